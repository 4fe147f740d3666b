//! May this account start a job now, and on which cards? The verdict alone: no I/O, no clock.
//!
//! The agent passes in what it knows; a table from the portal and the cards as the host last reported them. Windows
//! are half-open: a booking gives its right from its first instant on, and has ended at its end.
//!
//! - here: the verdict
//! - [`rights`]: who holds what; [`cards`]: the host's cards by name; [`used`]: who is on them

mod mine;

use std::cmp::Ordering;

use time::{Duration, OffsetDateTime};

use crate::card::CardHealth;
use crate::id::{CardUuid, ReservationId, UserId};
use crate::wire::agent_v1::{CardReport, HostNotice, HostTable};
use crate::wire::guard_v1::{Answer, CardName, Grant, Held, HostStatus, Refusal, Why};
use crate::wire::launch_v1::{LaunchAsk, OwnBooking, OwnBookings, Used};

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

mod cards;
mod rights;
mod used;

pub use used::CardUser;

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
    /// Who is on them.
    pub users: &'a [CardUser],
    /// Bookings that were made for one job, which runs still.
    pub kept: &'a [ReservationId],
    /// The account that asks, as the kernel and NSS name it.
    pub os_user: &'a str,
    /// The present, by the portal's clock as far as it is known.
    pub now: OffsetDateTime,
}

/// Decides about a launch on the cards asked for (an index, a UUID, or the beginning of one), or on all cards that
/// are the caller's now. Always [`Answer::Granted`] or [`Answer::Refused`].
#[must_use]
pub fn decide(scene: &Scene<'_>, ask: &LaunchAsk) -> Answer {
    match scene.verdict(ask) {
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

/// The caller's bookings, those that run and those that come. Answers with a table of any age, and says the age.
#[must_use]
pub fn own_bookings(scene: &Scene<'_>) -> OwnBookings {
    OwnBookings {
        host_name: scene.table.map(|table| table.host_name.clone()).unwrap_or_default(),
        bookings: scene.own_bookings(&scene.people(), |window| window.end() > scene.now),
        table_age_s: scene.table.map(|_| scene.age_s()),
    }
}

/// The cards that these texts mean: an index, a UUID, or the beginning of one.
///
/// # Errors
/// The first text that means no single card.
pub fn cards_called(scene: &Scene<'_>, asked: &[String]) -> Result<Vec<CardName>, String> {
    asked.iter().map(|text| scene.find(text).ok_or_else(|| text.clone())).collect()
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
    fn verdict(&self, ask: &LaunchAsk) -> Result<Grant, Why> {
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
        let meant = self.booking_meant(&people, ask)?;
        let (cards, missing) = if ask.cards.is_empty() {
            self.all_of(&people, meant.as_ref())?
        } else {
            (self.picked(&people, &ask.cards)?, Vec::new())
        };
        if let Some(booking) = meant.filter(|booking| cards.iter().any(|card| !booking.cards.contains(card))) {
            let cards = cards.into_iter().filter(|card| !booking.cards.contains(card)).collect();
            return Err(Why::NotInBooking { cards, booking });
        }
        let cards = self.as_many(cards, ask.gpus)?;
        // CUDA shows a process the first instance alone, whatever else it is given.
        if cards.len() > 1 && cards.iter().any(|card| card.uuid.is_mig()) {
            return Err(Why::SeveralInstances { cards });
        }
        let users: Vec<Used> = cards.iter().flat_map(|card| self.strangers(card)).collect();
        if !users.is_empty() && !ask.shared {
            return Err(Why::InUse { users });
        }
        let first = cards.iter().filter_map(|card| self.right_to(&card.uuid, &people)).min_by_key(|(until, _)| *until);
        // Every card got here by a right to it, so there is a first.
        let (until, reservation) = first.ok_or(Why::NoReservation { next: None })?;
        Ok(Grant { reservation, cards, missing, until, table_age_s: self.age_s(), walk_in: false })
    }

    /// All cards of the caller's booking of now: those that can be used, and those that the host no longer reports.
    fn all_of(&self, people: &[UserId], booking: Option<&OwnBooking>) -> Result<(Vec<CardName>, Vec<CardName>), Why> {
        let Some(booking) = booking else {
            let later = self.bookings().filter(|b| b.lets(people) && b.window.start() > self.now);
            return Err(Why::NoReservation { next: later.map(|booking| booking.window.start()).min() });
        };
        if let Some(why) = booking.cards.iter().find_map(|card| self.split(card)) {
            return Err(why);
        }
        let present = |card: &CardName| self.is_present(&card.uuid);
        let (usable, missing): (Vec<_>, Vec<_>) = booking.cards.iter().cloned().partition(present);
        if usable.is_empty() { Err(Why::NotReported { cards: missing }) } else { Ok((usable, missing)) }
    }

    /// So many of them, first those on which the caller has the fewest jobs.
    fn as_many(&self, cards: Vec<CardName>, wanted: Option<u32>) -> Result<Vec<CardName>, Why> {
        let Some(asked) = wanted else { return Ok(cards) };
        let count = usize::try_from(asked).unwrap_or(usize::MAX);
        if count == 0 || count > cards.len() {
            return Err(Why::TooFew { asked });
        }
        let mut by_jobs = cards.clone();
        by_jobs.sort_by_key(|card| self.own_jobs(card));
        by_jobs.truncate(count);
        Ok(cards.into_iter().filter(|card| by_jobs.contains(card)).collect())
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

    fn accounts(&self) -> impl Iterator<Item = &'a crate::wire::agent_v1::Account> {
        let os_user = self.os_user;
        self.table.into_iter().flat_map(|table| &table.accounts).filter(move |account| account.os_user == os_user)
    }

    /// Everybody whose account this is: several people may share one.
    fn people(&self) -> Vec<UserId> {
        self.accounts().map(|account| account.person).collect()
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

#[cfg(test)]
mod tests;
