//! Jobs that come without a booking: one is made for each in the portal, extended while the job runs, and ended when its
//! process is gone, whether it has ended, was killed, or went down with the machine.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use domain::guard::CardUser;
use domain::id::{CardUuid, ReservationId, UserId};
use domain::window::Window;
use domain::wire::agent_v1::TableBooking;
use domain::wire::guard_v1::{CardName, Grant};
use domain::wire::host_v1::{HostAct, HostBooked, HostBooking, HostChange, HostChanged, Which};
use time::OffsetDateTime;
use uuid::Uuid;

use super::leases::{Ending, Held, Lease, Leases};
use super::peer::Caller;
use crate::clock::Stamp;
use crate::log;
use crate::state::StateDir;
use crate::table::Tables;

/// How long cards are booked for where nobody says, in minutes.
pub const LENGTH_DEFAULT: u32 = 4 * 60;
/// A booking that ends within this time is extended.
const EXTEND_WITHIN: time::Duration = time::Duration::minutes(10);
/// By so much at once.
const EXTEND_BY: time::Duration = time::Duration::hours(1);
/// Processes are looked after this often.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What the portal has not done is asked for again after so many looks.
const AGAIN_AFTER_LOOKS: u32 = 15;

/// Why the portal has not done it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDone {
    /// It says no, and has done nothing.
    #[error("{0}")]
    Refused(String),
    /// It did not answer: nobody knows whether it has done it.
    #[error("{0}")]
    Away(String),
}

/// The way to the portal, in the name of the host's people.
pub trait Bookings: Send + Sync {
    /// Books cards.
    ///
    /// # Errors
    /// [`NotDone`].
    fn book(&self, ask: &HostBooking) -> Result<HostBooked, NotDone>;

    /// Changes a booking.
    ///
    /// # Errors
    /// [`NotDone`].
    fn change(&self, ask: &HostChange) -> Result<HostChanged, NotDone>;
}

/// Owns the bookings that were made for jobs.
pub struct WalkIns {
    /// All leases.
    pub leases: Leases,
    /// Way to the portal.
    pub portal: Box<dyn Bookings>,
    /// The portal's bookings.
    pub tables: Arc<Tables>,
    /// The kernel's id of this boot.
    pub boot_id: String,
    /// Where they survive a restart; `None` in tests.
    pub state: Option<StateDir>,
}

/// What is wanted without a booking.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// So many cards.
    pub count: u32,
    /// For so long at first, in minutes.
    pub minutes: u32,
    /// Cards that are not to be taken.
    pub avoid: &'a [CardUuid],
}

impl WalkIns {
    /// Books cards for the process that asks, and lets it on them. The lease is written down before the portal is asked, so
    /// that whatever happens meanwhile the booking is ended.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn admit(
        &self,
        caller: &Caller,
        person: &(UserId, String),
        wanted: Wanted<'_>,
        name: impl Fn(&CardUuid) -> CardName,
    ) -> Result<Grant, String> {
        let key = random_key()?;
        let mut held = self.leases.lock();
        held.begin(caller.pid, &caller.os_user, key).ok_or_else(|| "The program that asked has gone.".to_owned())?;
        self.keep(&held)?;
        drop(held);
        let ask = HostBooking {
            os_user: caller.os_user.clone(),
            key,
            cards: Vec::new(),
            count: wanted.count,
            avoid: wanted.avoid.to_vec(),
            start: None,
            minutes: wanted.minutes,
            purpose: "berth run".to_owned(),
        };
        let outcome = self.portal.book(&ask);
        let mut held = self.leases.lock();
        let grant = match outcome {
            Ok(booked) if booked.awaits => {
                held.doubt(key);
                Err("Somebody has to approve such a booking first. Book it in the portal.".to_owned())
            }
            Ok(booked) => {
                let HostBooked { reservation, cards, window, .. } = booked;
                if held.booked(key, reservation, cards.clone(), window.end()) {
                    self.note(reservation, person, &cards, window);
                    let cards = cards.iter().map(name).collect();
                    let (missing, until) = (Vec::new(), window.end());
                    Ok(Grant { reservation, cards, missing, until, table_age_s: 0, walk_in: true })
                } else {
                    held.end_later(&caller.os_user, reservation);
                    Err("The program that asked has gone.".to_owned())
                }
            }
            Err(NotDone::Refused(why)) => {
                held.give_up(key);
                Err(why)
            }
            Err(NotDone::Away(why)) => {
                held.doubt(key);
                Err(format!("Cards can be booked only while the portal answers: {why}."))
            }
        };
        // Losing a lease over a restart would leave its booking; the process itself runs on all the same.
        if let Err(why) = self.keep(&held) {
            log::warn("bookings made for jobs cannot be kept for a restart", &[("error", &why)]);
        }
        grant
    }

    /// Looks after them on a thread of its own until the process ends.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn watch(self: Arc<Self>) -> io::Result<()> {
        let mut looks: u32 = 0;
        let look = move || {
            loop {
                thread::sleep(LOOK_EVERY);
                self.look(looks.is_multiple_of(AGAIN_AFTER_LOOKS));
                looks = looks.wrapping_add(1);
            }
        };
        thread::Builder::new().name("walk-ins".to_owned()).spawn(look).map(|_| ())
    }

    /// Ends what is over, and extends what runs. `again` also tries what the portal has not done before.
    pub fn look(&self, again: bool) {
        let held = self.leases.lock();
        let news = held.to_keep(&self.boot_id);
        let (endings, running): (Vec<Ending>, Vec<Lease>) =
            (held.endings().to_vec(), held.walk_ins().cloned().collect());
        drop(held);
        if endings.is_empty() && running.is_empty() {
            return;
        }
        let mut changed = false;
        for ending in endings {
            changed |= self.end(&ending);
        }
        for lease in running.iter().filter(|_| again) {
            changed |= self.extend(lease);
        }
        let held = self.leases.lock();
        if (changed || held.to_keep(&self.boot_id) != news)
            && let Err(why) = self.keep(&held)
        {
            log::warn("bookings made for jobs cannot be kept for a restart", &[("error", &why)]);
        }
    }

    fn end(&self, ending: &Ending) -> bool {
        let change = HostChange { os_user: ending.os_user.clone(), booking: ending.booking, act: HostAct::End };
        match self.portal.change(&change) {
            Ok(done) => {
                if let Some(id) = done.reservation {
                    self.tables.patch(|table| table.bookings.retain(|booking| booking.id != id));
                    log::info("a booking has ended with its job", &[("booking", &id), ("account", &ending.os_user)]);
                }
            }
            // Its owner has ended it, or its account is another's by now.
            Err(NotDone::Refused(why)) => log::info("a booking is not ended with its job", &[("why", &why)]),
            Err(NotDone::Away(_)) => return false,
        }
        self.leases.lock().ended(ending.booking);
        true
    }

    fn extend(&self, lease: &Lease) -> bool {
        let (Some(id), Some(walk_in)) = (lease.reservation, &lease.walk_in) else { return false };
        let Some(until) = walk_in.until else { return false };
        let (Some(now), Some(next)) = (self.now(), self.next_booking(id, &lease.cards)) else { return false };
        if until - now > EXTEND_WITHIN {
            return false;
        }
        let target = next.map_or(until + EXTEND_BY, |next| next.min(until + EXTEND_BY));
        if target <= until {
            return false;
        }
        let change = HostChange { os_user: lease.os_user.clone(), booking: Which::Id(id), act: HostAct::Until(target) };
        let Ok(HostChanged { window: Some(window), .. }) = self.portal.change(&change) else { return false };
        self.leases.lock().booked(walk_in.key, id, lease.cards.clone(), window.end());
        self.tables.patch(|table| {
            for booking in table.bookings.iter_mut().filter(|booking| booking.id == id) {
                booking.window = window;
            }
        });
        true
    }

    /// The present, by the portal's clock.
    fn now(&self) -> Option<OffsetDateTime> {
        Some(self.tables.get()?.portal_now(&Stamp::now(&self.boot_id)))
    }

    /// When somebody else's booking of these cards begins, if one does; `None` without a table.
    fn next_booking(&self, own: ReservationId, cards: &[CardUuid]) -> Option<Option<OffsetDateTime>> {
        let known = self.tables.get()?;
        let now = known.portal_now(&Stamp::now(&self.boot_id));
        let all = known.table.bookings.iter().chain(&known.table.waiting);
        let others = all.filter(|booking| booking.id != own && booking.cards.iter().any(|card| cards.contains(card)));
        Some(others.map(|booking| booking.window.start()).filter(|start| *start > now).min())
    }

    /// Until the next table comes, this host knows of the booking already.
    fn note(&self, id: ReservationId, person: &(UserId, String), cards: &[CardUuid], window: Window) {
        let (person, holder) = person.clone();
        let cards = cards.to_vec();
        self.tables.patch(|table| {
            table.bookings.push(TableBooking { id, person, holder, cards, window, co_users: Vec::new() });
        });
    }

    fn keep(&self, held: &Held<'_>) -> Result<(), String> {
        let Some(state) = &self.state else { return Ok(()) };
        state.keep_leases(&held.to_keep(&self.boot_id)).map_err(|error| error.to_string())
    }
}

/// Cards that somebody is on, other than the one who asks for cards of which nobody is.
#[must_use]
pub fn used_cards(users: &[CardUser]) -> Vec<CardUuid> {
    let mut cards: Vec<CardUuid> = users.iter().map(|user| user.card.clone()).collect();
    cards.sort();
    cards.dedup();
    cards
}

/// A key for a request.
///
/// # Errors
/// Where the system gives no random numbers, a sentence for people.
pub fn random_key() -> Result<Uuid, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("The system gives no random numbers: {error}."))?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid())
}
