//! What bookings are, said as simply as possible: a list, and loops over it. No locks, no constraint, no SQL.
//!
//! - here: what there is, and who is in whose way
//! - [`timeline`]: what a booking has of its cards, over time
//! - [`book`]: new bookings, and those that repeat
//! - [`edit`]: what becomes of those that exist
//! - [`rules`]: what administrators allow
//! - [`request`]: all of it as requests
//! - [`upkeep`]: maintenance, cards that are kept back or open for shares
//! - [`zone`]: clocks on walls

pub mod book;
pub mod edit;
pub mod request;
pub mod rules;
pub mod timeline;
pub mod upkeep;
pub mod verdict;
pub mod zone;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::error::ErrorCode;
use domain::id::{CardUuid, MaintenanceId, ReservationId, SeriesId, UserId};
use domain::reservation::{Awaits, Fate};
use domain::upkeep::Plan;
use domain::user::Role;
use domain::window::Window;
use domain::wire::page::Viewer;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::call::Done;
use crate::park::{Card, Park};
use timeline::{Amount, Timeline};

/// A part of a physical card.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    pub gpu: String,
    pub from: i32,
    /// Not included; `None`: the rest of it.
    pub to: Option<i32>,
}

impl Part {
    pub fn meets(&self, other: &Self) -> bool {
        self.gpu == other.gpu && other.to.is_none_or(|to| self.from < to) && self.to.is_none_or(|to| other.from < to)
    }
}

/// A booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    pub owner: UserId,
    pub purpose: String,
    pub window: Window,
    pub zone: String,
    pub version: i32,
    pub awaits: Option<(Awaits, OffsetDateTime)>,
    pub fate: Option<Fate>,
    pub series: Option<SeriesId>,
    pub co_users: BTreeSet<UserId>,
    /// What it has, and had, of its cards.
    pub cards: Timeline,
    /// It holds nothing of that any more.
    pub released: bool,
}

/// Of each card all of it, or so many shares.
pub type Wants = BTreeMap<CardUuid, Amount>;

impl Booking {
    /// Nobody has answered in time.
    pub fn is_overdue(&self, now: OffsetDateTime) -> bool {
        self.fate.is_none() && self.awaits.is_some_and(|(_, until)| until <= now)
    }

    pub fn is_open(&self, now: OffsetDateTime) -> bool {
        self.fate.is_none() && !self.is_overdue(now) && (self.awaits.is_some() || now < self.window.end())
    }

    /// Its cards are its owner's now.
    pub fn is_active(&self, now: OffsetDateTime) -> bool {
        self.is_open(now) && self.awaits.is_none() && self.window.start() <= now
    }

    /// Its past cannot be edited.
    pub fn has_begun(&self, now: OffsetDateTime) -> bool {
        self.window.start() <= now
    }

    /// What it has to its end.
    pub fn wants(&self) -> Wants {
        self.cards.until(self.window.end())
    }
}

/// Everything that is booked, or was, and all that has a say in it.
#[derive(Clone, Debug, Default)]
pub struct Books {
    pub bookings: BTreeMap<ReservationId, Booking>,
    pub maintenance: BTreeMap<MaintenanceId, Plan>,
    /// Kept from being booked.
    pub kept_back: HashSet<CardUuid>,
    /// Open for so many shares.
    pub shares: BTreeMap<CardUuid, u32>,
    /// Those of [`rules::LAWS`] that are in force.
    pub laws: BTreeSet<usize>,
    /// What keys have been used for: the content of the request, and what came of it.
    keys: BTreeMap<(UserId, Uuid), (String, Done)>,
}

/// Whose booking of which card is in the way.
pub type Clashes = BTreeSet<(ReservationId, CardUuid)>;

/// May change what is not theirs.
pub fn is_administrator(viewer: &Viewer) -> bool {
    viewer.role == Role::Administrator
}

impl Books {
    /// What keeps `booking` from being as it is: cards that are not to be had at times at which `before` did not have
    /// them, and others who hold them. Those in `except` are in nobody's way.
    pub fn hindrances(
        &self,
        park: &Park,
        before: Option<&Booking>,
        booking: &Booking,
        except: &BTreeSet<ReservationId>,
        now: OffsetDateTime,
    ) -> (HashSet<ErrorCode>, Clashes) {
        let (mut reasons, mut clashes) = (HashSet::new(), Clashes::new());
        for (uuid, window, amount) in booking.cards.pieces().filter(|(_, window, _)| now < window.end()) {
            let Some(card) = park.card(uuid) else {
                reasons.insert(ErrorCode::UnknownCard);
                continue;
            };
            let grown = before.map_or_else(|| vec![window], |before| before.cards.lacks(uuid, &window, amount));
            if !grown.is_empty() && (card.unwell || self.kept_back.contains(uuid)) {
                reasons.insert(ErrorCode::CardNotBookable);
            }
            if grown.iter().any(|window| self.under_maintenance(park, card, window)) {
                reasons.insert(ErrorCode::Maintenance);
            }
            let others = self.holders(park, card, &window, except, now);
            match amount {
                Amount::Whole => clashes.extend(others.iter().map(|(id, ..)| (*id, uuid.clone()))),
                Amount::Shares(wanted) => {
                    let had_enough = before.is_some_and(|before| before.cards.has_shares(uuid, &window, wanted));
                    let of = self.shares.get(uuid).copied().unwrap_or_default();
                    if !had_enough && (wanted == 0 || wanted > of) {
                        reasons.insert(ErrorCode::NoShares);
                    }
                    let whole = others.iter().filter(|(.., amount)| *amount == Amount::Whole);
                    clashes.extend(whole.map(|(id, ..)| (*id, uuid.clone())));
                    // At whichever moment most is taken: when somebody begins, or at the start.
                    let moments = others.iter().map(|(_, held, _)| held.start()).chain([window.start()]);
                    for at in moments.filter(|at| window.contains(*at)) {
                        let here = others.iter().filter(|(_, held, _)| held.contains(at));
                        let taken: u32 = here.map(|(.., amount)| amount.of(of)).sum();
                        if taken + wanted > of && !(had_enough && taken == 0) {
                            reasons.insert(ErrorCode::NoShares);
                        }
                    }
                }
            }
        }
        if !clashes.is_empty() {
            reasons.insert(ErrorCode::Overlap);
        }
        (reasons, clashes)
    }

    /// Who has what of a card within a window.
    fn holders(
        &self,
        park: &Park,
        wanted: &Card,
        window: &Window,
        except: &BTreeSet<ReservationId>,
        now: OffsetDateTime,
    ) -> Vec<(ReservationId, Window, Amount)> {
        let mut found = Vec::new();
        for (id, booking) in &self.bookings {
            if booking.released || booking.is_overdue(now) || except.contains(id) {
                continue;
            }
            for (uuid, held, amount) in booking.cards.pieces() {
                // What an edit of several comes to is looked at even where one of its cards does not exist.
                let Some(card) = park.card(uuid) else { continue };
                if card.part.meets(&wanted.part) && held.overlaps(window) {
                    found.push((*id, held, amount));
                }
            }
        }
        found
    }

    /// The same request before: what came of it, or that it was another one.
    fn before(&self, person: UserId, key: Uuid, content: &str) -> Option<verdict::Must> {
        let (known, done) = self.keys.get(&(person, key))?;
        Some(if known == content {
            verdict::Must::Repeat(done.clone())
        } else {
            verdict::Must::Not(HashSet::from([ErrorCode::KeyReused]))
        })
    }

    /// From now on the key stands for this.
    pub fn used(&mut self, person: UserId, key: Uuid, content: String, done: Done) {
        self.keys.insert((person, key), (content, done));
    }

    /// What nobody has answered in time lapses.
    pub fn lapse(&mut self, now: OffsetDateTime) {
        for booking in self.bookings.values_mut().filter(|booking| booking.is_overdue(now)) {
            booking.fate = Some(Fate::Lapsed);
            booking.released = true;
            booking.version += 1;
        }
    }
}
