//! Answers questions from what the agent knows. Neither NVML nor, but for linking, the network is in the way.

use std::sync::Arc;
use std::time::Duration;

use domain::guard::{CardUser, HostCard, Scene, cards_called, decide, mine, notices, own_bookings, status};
use domain::id::{CardUuid, ReservationId};
use domain::wire::agent_v1::{HostNotice, NvmlState};
use domain::wire::guard_v1::{Answer, Ask, CardName, HostStatus, Why};
use domain::wire::host_v1::{HostAct, HostBooking, HostChange, HostChanged, Which};
use domain::wire::launch_v1::{BookAsk, LaunchAsk, OwnBooking};
use time::OffsetDateTime;

use crate::clock::Stamp;
use crate::guard::leases::Held;
use crate::guard::peer::Caller;
use crate::guard::walk_in::{LENGTH_DEFAULT, NotDone, WalkIns, Wanted, random_key, used_cards};
use crate::guard::when::how_long;
use crate::log;
use crate::nvml::Latest;
use crate::table::Tables;

/// Longest pause, in seconds: a day of work on the machine.
pub const PAUSE_MAX_S: u32 = 24 * 3600;

/// Hands a link code and an account on to the portal; the person's name, or a sentence that says why not.
pub type Linker = dyn Fn(&str, &str) -> Result<String, String> + Send + Sync;

/// A call into the driver does not return, so NVML cannot be let go of yet. It will be once the call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLetGo;

/// Reads the cards, in the background.
pub trait Reader: Send + Sync {
    /// The newest values. Waits a little where the cards are looked at for the first time.
    fn latest(&self) -> Latest;
    /// The cards as last seen, also those that have vanished.
    fn cards(&self) -> Vec<HostCard>;
    /// Lets go of NVML; says when it is taken up again by itself.
    ///
    /// # Errors
    /// [`NotLetGo`]; the pause holds all the same.
    fn pause(&self, length: Duration) -> Result<OffsetDateTime, NotLetGo>;
    /// Takes it up again now.
    fn resume(&self);
}

/// Everything that an answer needs.
pub struct Desk {
    /// The portal's bookings.
    pub tables: Arc<Tables>,
    /// The cards.
    pub reader: Box<dyn Reader>,
    /// The kernel's id of this boot.
    pub boot_id: String,
    /// A table counts for this long.
    pub max_age: time::Duration,
    /// Way to the portal.
    pub linker: Box<Linker>,
    /// Who was let on which cards, and the bookings that were made for them.
    pub walk_ins: Arc<WalkIns>,
}

impl Desk {
    /// Answers one question.
    #[must_use]
    pub fn answer(&self, caller: &Caller, question: &Ask) -> Answer {
        let os_user = caller.os_user.as_str();
        match question {
            Ask::Launch(ask) => self.launch(caller, ask),
            Ask::Status => self.with_scene(os_user, |scene, latest| Answer::Status(with_cards(status(scene), latest))),
            Ask::Mine => self.with_scene(os_user, |scene, _| mine(scene)),
            Ask::Notices => Answer::Notices { notices: self.notices(os_user) },
            Ask::Bookings => self.with_scene(os_user, |scene, _| Answer::Bookings(own_bookings(scene))),
            Ask::Book(ask) => self.book(os_user, ask),
            Ask::Change { booking, act } => self.change(os_user, *booking, *act),
            Ask::Inventory => {
                let inventory = self.reader.latest().snapshot.inventory.clone();
                Answer::Inventory { inventory: inventory.map(|known| Box::new((*known).clone())) }
            }
            Ask::Pause { .. } | Ask::Resume if !caller.is_administrator() => Answer::Failed {
                message: "Only root and the account that the agent runs as may do that. Run it with sudo.".to_owned(),
            },
            Ask::Pause { seconds } => {
                let length = Duration::from_secs(u64::from((*seconds).min(PAUSE_MAX_S)));
                log::info("an administrator pauses NVML", &[("account", &os_user), ("seconds", &length.as_secs())]);
                match self.reader.pause(length) {
                    Ok(until) => Answer::Paused { until: Some(until) },
                    Err(NotLetGo) => Answer::Failed {
                        message:
                            "A call into the driver does not return, so NVML is still held. The agent lets go of it \
                                  once the call returns. If it does not, restart the machine."
                                .to_owned(),
                    },
                }
            }
            Ask::Resume => {
                self.reader.resume();
                log::info("an administrator has taken NVML up again", &[("account", &os_user)]);
                Answer::Paused { until: None }
            }
            Ask::Link { code } => self.link(os_user, code.trim()),
        }
    }

    /// The lease is taken before anybody else is answered: the next one to ask knows of it.
    fn launch(&self, caller: &Caller, ask: &LaunchAsk) -> Answer {
        let mut held = self.walk_ins.leases.lock();
        let answer = self.with_leases(&caller.os_user, &held, |scene, latest| match latest.snapshot.nvml {
            // A card that is about to be reset is no place for a job.
            NvmlState::Paused { until } => Answer::Failed { message: paused(until) },
            _ => decide(scene, ask),
        });
        if let Answer::Granted(grant) = &answer {
            let cards = grant.cards.iter().map(|card| card.uuid.clone()).collect();
            held.take(caller.pid, &caller.os_user, cards, grant.reservation);
        }
        match (&answer, ask.gpus) {
            (Answer::Refused(refusal), Some(count)) if comes_without_booking(ask, &refusal.why) => {
                drop(held);
                self.walk_in(caller, ask, count)
            }
            _ => answer,
        }
    }

    /// The portal books for somebody who has nothing booked.
    fn walk_in(&self, caller: &Caller, ask: &LaunchAsk, count: u32) -> Answer {
        let known = self.tables.get();
        let accounts = known.iter().flat_map(|known| &known.table.accounts);
        let mut people = accounts.filter(|account| account.os_user == caller.os_user);
        let person = match (people.next(), people.next()) {
            (Some(one), None) => (one.person, one.name.clone()),
            _ => {
                let message = "Several people share this account, so nobody can say whose booking it would be. Book in the portal.";
                return Answer::Failed { message: message.to_owned() };
            }
        };
        let mut avoid = Vec::new();
        if !ask.shared {
            avoid = used_cards(&CardUser::all(&self.reader.latest().snapshot.cards));
            avoid.extend(used_cards(&self.walk_ins.leases.lock().users()));
        }
        let wanted = Wanted { count, minutes: ask.minutes.unwrap_or(LENGTH_DEFAULT), avoid: &avoid };
        match self.walk_ins.admit(caller, &person, wanted, |card| self.name(card)) {
            Ok(grant) => Answer::Granted(grant),
            Err(message) => Answer::Failed { message },
        }
    }

    /// Books through the portal, in the caller's name.
    fn book(&self, os_user: &str, ask: &BookAsk) -> Answer {
        let failed = |message: String| Answer::Failed { message };
        let mut cards = Vec::new();
        let found = self.with_scene(os_user, |scene, _| match cards_called(scene, &ask.cards) {
            Ok(found) => {
                cards = found.into_iter().map(|card| card.uuid).collect();
                Answer::Paused { until: None }
            }
            Err(text) => {
                failed(format!("`{text}` is not the index of a card here, and not the beginning of one UUID."))
            }
        });
        if let Answer::Failed { .. } = found {
            return found;
        }
        let key = match random_key() {
            Ok(key) => key,
            Err(why) => return failed(why),
        };
        let BookAsk { count, start, minutes, purpose, .. } = ask.clone();
        let os_user = os_user.to_owned();
        let wish = HostBooking { os_user, key, cards, count, avoid: Vec::new(), start, minutes, purpose };
        match self.walk_ins.portal.book(&wish) {
            Ok(booked) => {
                let cards = booked.cards.iter().map(|card| self.name(card)).collect();
                let booking = OwnBooking { id: booked.reservation, holder: None, cards, window: booked.window };
                Answer::Booked { booking: Some(booking), awaits: booked.awaits }
            }
            Err(NotDone::Refused(why)) => failed(why),
            Err(NotDone::Away(why)) => {
                failed(format!("Nothing can be booked while the portal does not answer: {why}."))
            }
        }
    }

    /// Changes through the portal, in the caller's name.
    fn change(&self, os_user: &str, booking: ReservationId, act: HostAct) -> Answer {
        let change = HostChange { os_user: os_user.to_owned(), booking: Which::Id(booking), act };
        match self.walk_ins.portal.change(&change) {
            Ok(HostChanged { window, .. }) => {
                // Until the next table comes, this host knows it already.
                self.tables.patch(|table| match window {
                    Some(window) => {
                        table.bookings.iter_mut().filter(|b| b.id == booking).for_each(|b| b.window = window)
                    }
                    None => table.bookings.retain(|b| b.id != booking),
                });
                let known = self.tables.get();
                let of = known.iter().flat_map(|known| &known.table.bookings).filter(|b| b.id == booking);
                let cards = of.flat_map(|b| &b.cards).map(|card| self.name(card)).collect();
                let booking = window.map(|window| OwnBooking { id: booking, holder: None, cards, window });
                Answer::Booked { booking, awaits: false }
            }
            Err(NotDone::Refused(message)) => Answer::Failed { message },
            Err(NotDone::Away(why)) => {
                Answer::Failed { message: format!("Nothing can be changed while the portal does not answer: {why}.") }
            }
        }
    }

    fn name(&self, uuid: &CardUuid) -> CardName {
        let known = self.reader.cards().into_iter().find(|card| card.name.uuid == *uuid).map(|card| card.name);
        known.unwrap_or_else(|| CardName { uuid: uuid.clone(), index: None, instance: None, model: String::new() })
    }

    fn with_scene(&self, os_user: &str, verdict: impl FnOnce(&Scene<'_>, &Latest) -> Answer) -> Answer {
        self.with_leases(os_user, &self.walk_ins.leases.lock(), verdict)
    }

    fn with_leases(
        &self,
        os_user: &str,
        held: &Held<'_>,
        verdict: impl FnOnce(&Scene<'_>, &Latest) -> Answer,
    ) -> Answer {
        let stamp = Stamp::now(&self.boot_id);
        let known = self.tables.get();
        let latest = self.reader.latest();
        let cards = self.reader.cards();
        let mut users = CardUser::all(&latest.snapshot.cards);
        users.extend(held.users());
        let kept = held.kept_bookings();
        let scene = Scene {
            table: known.as_ref().map(|known| &known.table),
            table_age: known.as_ref().map(|known| known.age(&stamp)).unwrap_or_default(),
            max_age: self.max_age,
            cards: &cards,
            users: &users,
            kept: &kept,
            os_user,
            now: known.as_ref().map_or_else(OffsetDateTime::now_utc, |known| known.portal_now(&stamp)),
        };
        verdict(&scene, &latest)
    }

    /// Without a look at the cards: everybody who logs in asks, and some cards sleep.
    fn notices(&self, os_user: &str) -> Vec<HostNotice> {
        let known = self.tables.get();
        let Some(known) = known.as_ref() else { return Vec::new() };
        let stamp = Stamp::now(&self.boot_id);
        notices(&Scene {
            table: Some(&known.table),
            table_age: known.age(&stamp),
            max_age: self.max_age,
            cards: &[],
            users: &[],
            kept: &[],
            os_user,
            now: known.portal_now(&stamp),
        })
    }

    fn link(&self, os_user: &str, code: &str) -> Answer {
        if os_user.starts_with("uid:") {
            let message = format!("This account ({os_user}) has no name on this host, so it cannot be linked.");
            return Answer::Failed { message };
        }
        match (self.linker)(code, os_user) {
            Ok(name) => Answer::Linked { name },
            Err(message) => Answer::Failed { message },
        }
    }
}

/// So many cards were asked for, no booking was named, and there is none.
fn comes_without_booking(ask: &LaunchAsk, why: &Why) -> bool {
    ask.reservation.is_none() && ask.cards.is_empty() && matches!(why, Why::NoReservation { .. })
}

fn paused(until: OffsetDateTime) -> String {
    let left = u64::try_from((until - OffsetDateTime::now_utc()).whole_seconds()).unwrap_or(0);
    format!(
        "An administrator works on this host's cards, so nothing is started on them for another {}, or until `sudo berth \
         agent resume`.",
        how_long(left)
    )
}

fn with_cards(status: HostStatus, latest: &Latest) -> HostStatus {
    let snapshot = &latest.snapshot;
    HostStatus {
        nvml: Some(snapshot.nvml.clone()),
        driver_version: snapshot.driver_version.clone(),
        cuda_version: snapshot.cuda_version.clone(),
        sampled_at: Some(latest.sampled_at),
        cards: snapshot.cards.clone(),
        ..status
    }
}

#[cfg(test)]
mod tests;
