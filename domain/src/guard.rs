//! May this account start a job now, and on which cards? The verdict alone: no I/O, no clock.
//!
//! The agent passes in what it knows; a table from the portal and the cards as the host last reported them. Windows
//! are half-open: a booking gives its right from its first instant on, and has ended at its end.

mod mine;

use std::cmp::Ordering;

use time::{Duration, OffsetDateTime};

use crate::card::CardHealth;
use crate::id::{CardUuid, UserId};
use crate::window::Window;
use crate::wire::agent_v1::{CardReport, HostNotice, HostTable, TableBooking};
use crate::wire::guard_v1::{Answer, CardName, Free, Grant, Held, HostStatus, Refusal, Why};

pub use mine::mine;

/// A table counts for this long unless the administrator says otherwise.
pub const TABLE_MAX_AGE: Duration = Duration::hours(12);

/// A card that the host reports, or has reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCard {
    /// Its name as last sampled.
    pub name: CardName,
    /// In the last sample, and answering. Nothing is started on a card that is not.
    pub present: bool,
    /// Of a MIG instance: the card that it is a part of.
    pub parent: Option<CardUuid>,
    /// Cut into MIG instances, which are booked and used in its place.
    pub split: bool,
}

impl HostCard {
    /// The cards of a sample, in its order, by the names that people give them.
    #[must_use]
    pub fn all(sample: &[CardReport]) -> Vec<Self> {
        let mut named = Vec::with_capacity(sample.len());
        for report in sample {
            let facts = &report.facts;
            let mut name = CardName {
                uuid: facts.uuid.clone(),
                index: Some(facts.index),
                instance: None,
                model: facts.model().to_owned(),
            };
            if let Some(part) = &facts.part {
                let card = sample.iter().find(|card| card.facts.uuid == part.parent);
                name.index = Some(card.map_or(facts.index, |card| card.facts.index));
                name.instance = Some(part.instance);
                name.model = if part.profile.is_empty() { "MIG".to_owned() } else { format!("MIG {}", part.profile) };
            }
            named.push(Self {
                name,
                present: report.health != CardHealth::Lost,
                parent: facts.part.as_ref().map(|part| part.parent.clone()),
                split: facts.mig_on,
            });
        }
        named
    }
}

/// All that a verdict rests on.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// What the portal said last, if it ever did.
    pub table: Option<&'a HostTable>,
    /// How long ago the table was received. Never negative.
    pub table_age: Duration,
    /// Limit of `table_age`; exactly at the limit a table still counts.
    pub max_age: Duration,
    /// The host's cards.
    pub cards: &'a [HostCard],
    /// The account that asks, as the kernel and NSS name it.
    pub os_user: &'a str,
    /// The present, by the portal's clock as far as it is known.
    pub now: OffsetDateTime,
}

/// Decides about a launch on the cards `asked` for (an index, a UUID, or the beginning of one), or on all cards that
/// are the caller's now. Always [`Answer::Granted`] or [`Answer::Refused`].
#[must_use]
pub fn decide(scene: &Scene<'_>, asked: &[String]) -> Answer {
    match scene.verdict(asked) {
        Ok(grant) => Answer::Granted(grant),
        Err(why) => Answer::Refused(scene.refusal(why)),
    }
}

/// What the caller may see of the host. Answers with a table of any age, and says the age.
#[must_use]
pub fn status(scene: &Scene<'_>) -> HostStatus {
    let people = scene.people();
    let names: Vec<&str> = scene.accounts().map(|account| account.name.as_str()).collect();
    HostStatus {
        host_name: scene.table.map(|table| table.host_name.clone()).unwrap_or_default(),
        portal_url: scene.table.map(|table| table.portal_url.clone()).unwrap_or_default(),
        os_user: scene.os_user.to_owned(),
        person: (!names.is_empty()).then(|| names.join(", ")),
        held: scene.held(&people, |window| window.end() > scene.now),
        free: scene.free(),
        table_age_s: scene.table.map(|_| scene.age_s()),
        nvml: None,
        driver_version: None,
        cuda_version: None,
        sampled_at: None,
        cards: Vec::new(),
        accounts: scene.table.map(|table| table.accounts.clone()).unwrap_or_default(),
        notices: notices(scene),
    }
}

/// What the caller has not read, newest first. Of an account that several people share, nobody can say who reads: it gets
/// none.
#[must_use]
pub fn notices(scene: &Scene<'_>) -> Vec<HostNotice> {
    let people = scene.people();
    let [person] = people.as_slice() else { return Vec::new() };
    let told = scene.table.map(|table| table.notices.as_slice()).unwrap_or_default();
    told.iter().filter(|notice| notice.person == *person).cloned().collect()
}

impl<'a> Scene<'a> {
    fn verdict(&self, asked: &[String]) -> Result<Grant, Why> {
        if self.table.is_none() {
            return Err(Why::NoTable);
        }
        if self.table_age > self.max_age {
            return Err(Why::TableTooOld { limit_s: seconds(self.max_age) });
        }
        let people = self.people();
        if people.is_empty() {
            return Err(Why::UnknownAccount { os_user: self.os_user.to_owned() });
        }
        let (cards, missing) =
            if asked.is_empty() { self.all_own(&people)? } else { (self.picked(&people, asked)?, Vec::new()) };
        // CUDA shows a process the first instance alone, whatever else it is given.
        if cards.len() > 1 && cards.iter().any(|card| card.uuid.is_mig()) {
            return Err(Why::SeveralInstances { cards });
        }
        let first = cards.iter().filter_map(|card| self.right_to(&card.uuid, &people)).min_by_key(|(until, _)| *until);
        // Every card got here by a right to it, so there is a first.
        let (until, reservation) = first.ok_or(Why::NoReservation { next: None })?;
        Ok(Grant { reservation, cards, missing, until, table_age_s: self.age_s() })
    }

    /// All cards that are the caller's now: those that can be used, and those that the host no longer reports.
    fn all_own(&self, people: &[UserId]) -> Result<(Vec<CardName>, Vec<CardName>), Why> {
        let own = self.held(people, |window| window.contains(self.now)).into_iter().filter(|held| held.own);
        let mut own: Vec<CardName> = own.map(|held| held.card).collect();
        own.dedup();
        if own.is_empty() {
            let later = self.bookings().filter(|b| b.lets(people) && b.window.start() > self.now);
            return Err(Why::NoReservation { next: later.map(|booking| booking.window.start()).min() });
        }
        if let Some(why) = own.iter().find_map(|card| self.split(card)) {
            return Err(why);
        }
        let (usable, missing): (Vec<_>, Vec<_>) = own.into_iter().partition(|card| self.is_present(&card.uuid));
        if usable.is_empty() { Err(Why::NotReported { cards: missing }) } else { Ok((usable, missing)) }
    }

    /// Exactly the cards asked for, in that order.
    fn picked(&self, people: &[UserId], asked: &[String]) -> Result<Vec<CardName>, Why> {
        let mut picked: Vec<CardName> = Vec::with_capacity(asked.len());
        for text in asked {
            let card = self.find(text).ok_or_else(|| Why::UnknownCard { asked: text.clone() })?;
            if picked.contains(&card) {
                return Err(Why::AskedTwice { card });
            }
            if let Some(why) = self.split(&card) {
                return Err(why);
            }
            picked.push(card);
        }
        let now = self.held(people, |window| window.contains(self.now));
        let is_own = |card: &CardName| now.iter().any(|held| held.own && held.card.uuid == card.uuid);
        let not_own: Vec<&CardName> = picked.iter().filter(|card| !is_own(card)).collect();
        let others = not_own.iter().filter_map(|card| now.iter().find(|held| held.card.uuid == card.uuid));
        let others: Vec<Held> = others.cloned().collect();
        if !others.is_empty() {
            return Err(Why::HeldByOthers { cards: others });
        }
        if !not_own.is_empty() {
            return Err(Why::NotReserved { cards: not_own.into_iter().cloned().collect() });
        }
        let missing: Vec<CardName> = picked.iter().filter(|card| !self.is_present(&card.uuid)).cloned().collect();
        if missing.is_empty() { Ok(picked) } else { Err(Why::NotReported { cards: missing }) }
    }

    /// Why nothing is started on a card that is cut into instances; `None` for any other.
    fn split(&self, card: &CardName) -> Option<Why> {
        self.cards.iter().find(|known| known.split && known.name.uuid == card.uuid)?;
        let parts = self.cards.iter().filter(|part| part.present && part.parent.as_ref() == Some(&card.uuid));
        Some(Why::Split { card: card.clone(), instances: parts.map(|part| part.name.clone()).collect() })
    }

    /// The one card that the text means: its index now (`0:1` for an instance), its UUID, or a beginning that only one
    /// UUID has.
    fn find(&self, text: &str) -> Option<CardName> {
        let text = text.trim();
        if text.starts_with(|first: char| first.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_digit() || b == b':')
        {
            let (index, instance) = match text.split_once(':') {
                Some((index, instance)) => (index.parse().ok()?, Some(instance.parse::<u32>().ok()?)),
                None => (text.parse::<u32>().ok()?, None),
            };
            let named = self.cards.iter().map(|card| &card.name);
            return only(named.filter(|name| (name.index, name.instance) == (Some(index), instance)).cloned());
        }
        let known = self.cards.iter().map(|card| &card.name.uuid);
        let mut known: Vec<&CardUuid> = known.chain(self.bookings().flat_map(|booking| &booking.cards)).collect();
        known.sort();
        known.dedup();
        let exact = known.iter().find(|uuid| uuid.as_str().eq_ignore_ascii_case(text));
        let begins = |uuid: &str| text.len() > "GPU-".len() && has_prefix(uuid, text);
        let uuid = exact.copied().or_else(|| only(known.iter().copied().filter(|uuid| begins(uuid.as_str()))))?;
        Some(self.name(uuid))
    }

    fn refusal(&self, why: Why) -> Refusal {
        Refusal {
            host_name: self.table.map(|table| table.host_name.clone()).unwrap_or_default(),
            portal_url: self.table.map(|table| table.portal_url.clone()).unwrap_or_default(),
            why,
            held: self.held(&self.people(), |window| window.contains(self.now)),
            free: self.free(),
            table_age_s: self.table.map(|_| self.age_s()),
        }
    }

    fn bookings(&self) -> impl Iterator<Item = &'a TableBooking> {
        self.table.into_iter().flat_map(|table| &table.bookings)
    }

    fn accounts(&self) -> impl Iterator<Item = &'a crate::wire::agent_v1::Account> {
        let os_user = self.os_user;
        self.table.into_iter().flat_map(|table| &table.accounts).filter(move |account| account.os_user == os_user)
    }

    /// Everybody whose account this is: several people may share one.
    fn people(&self) -> Vec<UserId> {
        self.accounts().map(|account| account.person).collect()
    }

    /// Bookings whose window is `wanted`, one entry for each card, in order of card and start. The end is where the
    /// holder's right ends: back-to-back bookings count as one.
    fn held(&self, people: &[UserId], wanted: impl Fn(&Window) -> bool) -> Vec<Held> {
        let mut held: Vec<Held> = Vec::new();
        for booking in self.bookings().filter(|booking| wanted(&booking.window)) {
            for uuid in &booking.cards {
                let end = self.end_of_right(booking, uuid, people);
                held.push(Held {
                    card: self.name(uuid),
                    holder: booking.holder.clone(),
                    own: booking.lets(people),
                    window: Window::new(booking.window.start(), end).unwrap_or(booking.window),
                });
            }
        }
        held.sort_by(|a, b| by_index(&a.card, &b.card).then(a.window.start().cmp(&b.window.start())));
        // The second of two back-to-back bookings is within the first entry already.
        held.dedup_by(|later, kept| {
            later.card.uuid == kept.card.uuid && later.holder == kept.holder && later.window.end() == kept.window.end()
        });
        held
    }

    /// End of the booking, or of the last one that its holder has back to back on this card; for one of
    /// those who ask, of the last one that this person may use.
    fn end_of_right(&self, booking: &TableBooking, card: &CardUuid, people: &[UserId]) -> OffsetDateTime {
        let mut end = booking.window.end();
        let continues = |end: OffsetDateTime| {
            let both = |b: &TableBooking, person: UserId| booking.lets(&[person]) && b.lets(&[person]);
            let goes_on =
                |b: &&TableBooking| b.person == booking.person || people.iter().any(|person| both(b, *person));
            let same = self.bookings().filter(goes_on).filter(|b| b.cards.contains(card));
            same.filter(|b| b.window.start() <= end && b.window.end() > end).map(|b| b.window.end()).max()
        };
        while let Some(later) = continues(end) {
            end = later;
        }
        end
    }

    /// When the caller's right to a card ends, and the booking that gives it.
    fn right_to(&self, card: &CardUuid, people: &[UserId]) -> Option<(OffsetDateTime, crate::id::ReservationId)> {
        let own = self.bookings().filter(|b| b.lets(people) && b.window.contains(self.now));
        let own = own.filter(|booking| booking.cards.contains(card));
        own.map(|booking| (self.end_of_right(booking, card, people), booking.id)).max_by_key(|(until, _)| *until)
    }

    /// Cards that can be used and that nobody holds now, in order of their index.
    fn free(&self) -> Vec<Free> {
        let on = |uuid: &CardUuid| {
            let uuid = uuid.clone();
            // What waits for an answer can be used by nobody, and holds its cards all the same.
            let waiting = self.table.into_iter().flat_map(|table| &table.waiting);
            self.bookings().chain(waiting).filter(move |b| b.cards.contains(&uuid)).map(|booking| &booking.window)
        };
        let present = self.cards.iter().filter(|card| card.present && !card.split).map(|card| &card.name);
        let idle = present.filter(|card| !on(&card.uuid).any(|window| window.contains(self.now)));
        let mut free: Vec<Free> = idle
            .map(|card| Free {
                card: card.clone(),
                until: on(&card.uuid).map(Window::start).filter(|start| *start > self.now).min(),
            })
            .collect();
        free.sort_by(|a, b| by_index(&a.card, &b.card));
        free
    }

    fn is_present(&self, uuid: &CardUuid) -> bool {
        self.cards.iter().any(|card| card.present && card.name.uuid == *uuid)
    }

    /// The card's name; a card that the host has never reported has its UUID only.
    fn name(&self, uuid: &CardUuid) -> CardName {
        let known = self.cards.iter().find(|card| card.name.uuid == *uuid).map(|card| card.name.clone());
        known.unwrap_or_else(|| CardName { uuid: uuid.clone(), index: None, instance: None, model: String::new() })
    }

    fn age_s(&self) -> u64 {
        seconds(self.table_age)
    }
}

fn seconds(duration: Duration) -> u64 {
    u64::try_from(duration.whole_seconds()).unwrap_or(0)
}

/// By index, an instance after its card; cards without one come last, by UUID.
fn by_index(a: &CardName, b: &CardName) -> Ordering {
    (a.index.is_none(), a.index, a.instance, &a.uuid).cmp(&(b.index.is_none(), b.index, b.instance, &b.uuid))
}

fn has_prefix(uuid: &str, text: &str) -> bool {
    uuid.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
}

/// The item of an iterator that has one and no more.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests;
