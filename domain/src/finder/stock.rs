//! Everything that can be booked, who holds it and when it is closed. Plain data, made once from what is stored, and
//! searched through a [`Park`](super::Park) as often as is wanted.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use time::OffsetDateTime;

use super::links::Links;
use super::taken::{Micros, Taken};
use crate::card::{CardNumber, Mib};
use crate::id::{CardUuid, MaintenanceId, ReservationId};
use crate::topology::Topology;
use crate::trouble::Condition;
use crate::window::Window;

/// A host as it goes into the stock.
#[derive(Clone, Debug)]
pub struct NewHost {
    /// Name.
    pub name: String,
    /// Labels.
    pub labels: Vec<String>,
    /// How its physical cards are linked, where that is known.
    pub topology: Option<Topology>,
    /// Its cards and MIG instances.
    pub cards: Vec<Card>,
}

/// A card or a MIG instance.
#[derive(Clone, Debug)]
pub struct Card {
    /// Identity.
    pub uuid: CardUuid,
    /// The physical card; its own identity where it is one.
    pub gpu: CardUuid,
    /// Of a MIG instance: its part of that card.
    pub slice: Option<u32>,
    /// Number on its host.
    pub number: CardNumber,
    /// Model without the maker, or `MIG` and the profile.
    pub model: String,
    /// Architecture.
    pub architecture: Option<String>,
    /// Memory.
    pub memory_mib: Option<Mib>,
    /// See [`super::power::speed`].
    pub speed: Option<u64>,
    /// Labels of its own.
    pub labels: Vec<String>,
    /// Open for so many shares.
    pub shares: Option<u32>,
    /// What each share is asked to stay within.
    pub share_memory_mib: Option<Mib>,
    /// Why an administrator wants nobody to book it.
    pub not_bookable: Option<String>,
    /// Whether it can be used.
    pub condition: Condition,
}

/// A card, or a part or share of it, that a booking holds.
#[derive(Clone, Debug)]
pub struct Hold {
    /// Whose.
    pub reservation: ReservationId,
    /// The physical card.
    pub gpu: CardUuid,
    /// First part that is held.
    pub first_slice: u32,
    /// First part after it that is not; `None`: all of the card.
    pub end_slice: Option<u32>,
    /// When.
    pub window: Window,
}

/// A maintenance.
#[derive(Clone, Debug)]
pub struct Works {
    /// Which.
    pub id: MaintenanceId,
    /// Why.
    pub reason: String,
    /// When.
    pub window: Window,
    /// Whether a card is part of it.
    pub cards: BTreeSet<CardUuid>,
}

/// A host in the stock.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) name: String,
    pub(super) labels: BTreeSet<String>,
    /// Positions of its cards in [`Stock::cards`].
    pub(super) cards: std::ops::Range<usize>,
    pub(super) links: Links,
}

/// All cards, who holds them, and when they are closed.
#[derive(Debug)]
pub struct Stock {
    pub(super) hosts: Vec<Host>,
    /// By host, then number.
    pub(super) cards: Vec<Card>,
    /// Position of each card's host.
    host_of: Vec<usize>,
    by_uuid: HashMap<CardUuid, usize>,
    /// When each card as a whole is taken.
    pub(super) taken: Vec<Taken>,
    /// What is held of each physical card.
    pub(super) holds: HashMap<CardUuid, Vec<Hold>>,
    pub(super) works: Vec<Works>,
}

impl Stock {
    /// Puts everything in order; holds that are over may be left out.
    #[must_use]
    pub fn new(mut hosts: Vec<NewHost>, holds: Vec<Hold>, works: Vec<Works>) -> Self {
        hosts.sort_by(|a, b| a.name.cmp(&b.name));
        let mut by_gpu: HashMap<CardUuid, Vec<Hold>> = HashMap::new();
        for hold in holds {
            by_gpu.entry(hold.gpu.clone()).or_default().push(hold);
        }
        let mut stock = Self {
            hosts: Vec::with_capacity(hosts.len()),
            cards: Vec::new(),
            host_of: Vec::new(),
            by_uuid: HashMap::new(),
            taken: Vec::new(),
            holds: by_gpu,
            works,
        };
        for mut host in hosts {
            host.cards.sort_by(|a, b| a.number.cmp(&b.number).then_with(|| a.uuid.cmp(&b.uuid)));
            let first = stock.cards.len();
            let links = Links::new(&host.cards, host.topology.as_ref());
            for card in host.cards {
                stock.by_uuid.insert(card.uuid.clone(), stock.cards.len());
                stock.host_of.push(stock.hosts.len());
                stock.taken.push(stock.taken_without(&card, None));
                stock.cards.push(card);
            }
            stock.hosts.push(Host {
                name: host.name,
                labels: host.labels.into_iter().collect(),
                cards: first..stock.cards.len(),
                links,
            });
        }
        stock
    }

    /// When a card as a whole is taken, but for one booking.
    pub(super) fn taken_without(&self, card: &Card, without: Option<ReservationId>) -> Taken {
        let held = self.holds.get(&card.gpu).into_iter().flatten();
        let held = held.filter(|hold| overlaps(card, hold) && without != Some(hold.reservation));
        let closed = self.works.iter().filter(|works| works.cards.contains(&card.uuid));
        Taken::of(held.map(|hold| span(&hold.window)).chain(closed.map(|works| span(&works.window))).collect())
    }

    /// All cards, by host and number, each with the name of its host.
    pub fn cards(&self) -> impl Iterator<Item = (&Card, &str)> {
        self.cards.iter().enumerate().map(|(at, card)| (card, self.host(at).name.as_str()))
    }

    /// What a booking holds, now or later, and from when until when: its cards, and of some of them only so many shares.
    #[must_use]
    pub fn wish_of(&self, reservation: ReservationId) -> Option<(Vec<CardUuid>, BTreeMap<CardUuid, u32>, Window)> {
        let (mut cards, mut shares) = (BTreeSet::new(), BTreeMap::new());
        let mut all: Option<Window> = None;
        for hold in self.holds.values().flatten().filter(|hold| hold.reservation == reservation) {
            all = Some(match all {
                None => hold.window,
                Some(all) => {
                    Window::new(all.start().min(hold.window.start()), all.end().max(hold.window.end())).ok()?
                }
            });
            let instance = |card: &&Card| card.gpu == hold.gpu && card.slice == Some(hold.first_slice);
            match (hold.end_slice, self.cards.iter().find(instance)) {
                (Some(_), Some(instance)) => {
                    cards.insert(instance.uuid.clone());
                }
                (None, _) => {
                    cards.insert(hold.gpu.clone());
                }
                (Some(_), None) => {
                    cards.insert(hold.gpu.clone());
                    shares.entry(hold.gpu.clone()).or_insert_with(Vec::new).push(hold.window);
                }
            }
        }
        // Pieces of one share follow each other.
        let at_once = |windows: &Vec<Window>| {
            let at = windows.iter().map(|one| windows.iter().filter(|two| two.contains(one.start())).count());
            u32::try_from(at.max().unwrap_or(0)).unwrap_or(u32::MAX)
        };
        let shares = shares.iter().map(|(card, windows)| (card.clone(), at_once(windows))).collect();
        Some((cards.into_iter().collect(), shares, all?))
    }

    /// Bookings that hold some of a card at an instant.
    pub fn held_at(&self, card: &Card, at: OffsetDateTime) -> impl Iterator<Item = ReservationId> {
        let held = self.holds.get(&card.gpu).into_iter().flatten();
        held.filter(move |hold| overlaps(card, hold) && hold.window.contains(at)).map(|hold| hold.reservation)
    }

    pub(super) fn host(&self, card: usize) -> &Host {
        &self.hosts[self.host_of[card]]
    }

    pub(super) fn position(&self, card: &CardUuid) -> Option<usize> {
        self.by_uuid.get(card).copied()
    }
}

/// Whether a hold keeps others from the card.
fn overlaps(card: &Card, hold: &Hold) -> bool {
    card.slice.is_none_or(|slice| hold.first_slice <= slice && hold.end_slice.is_none_or(|end| slice < end))
}

pub(super) fn micros(at: OffsetDateTime) -> Micros {
    i64::try_from(at.unix_timestamp_nanos() / 1000).unwrap_or(i64::MAX)
}

pub(super) fn instant(at: Micros) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1000).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

pub(super) fn span(window: &Window) -> (Micros, Micros) {
    (micros(window.start()), micros(window.end()))
}
