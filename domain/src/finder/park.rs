//! Everything that can be booked, and when it is taken: what the finder searches.
//!
//! [`Stock`] is made once from what is stored; [`Park`] is that stock as it stands at one moment for one person. Both are
//! plain data: whoever has them can search as often as is wanted.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use time::{Duration, OffsetDateTime};

use super::links::Links;
use super::taken::{Micros, Taken};
use super::{Closed, ClosedWhy, FoundCard};
use crate::card::{CardNumber, Mib};
use crate::id::{CardUuid, MaintenanceId, ReservationId};
use crate::topology::Topology;
use crate::trouble::{Condition, Trouble};
use crate::window::Window;

/// A card that somebody uses without a booking does not count as free for this long.
pub const USED_FOR: Duration = Duration::hours(1);

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
    taken: Vec<Taken>,
    /// What is held of each physical card.
    holds: HashMap<CardUuid, Vec<Hold>>,
    works: Vec<Works>,
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
    fn taken_without(&self, card: &Card, without: Option<ReservationId>) -> Taken {
        let held = self.holds.get(&card.gpu).into_iter().flatten();
        let held = held.filter(|hold| overlaps(card, hold) && without != Some(hold.reservation));
        let closed = self.works.iter().filter(|works| works.cards.contains(&card.uuid));
        Taken::of(held.map(|hold| span(&hold.window)).chain(closed.map(|works| span(&works.window))).collect())
    }

    /// All cards, by host and number, each with the name of its host.
    pub fn cards(&self) -> impl Iterator<Item = (&Card, &str)> {
        self.cards.iter().enumerate().map(|(at, card)| (card, self.host(at).name.as_str()))
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

/// A card at one moment, as far as it is not in the stock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Today {
    /// What keeps it from being used.
    pub trouble: Option<Trouble>,
    /// Somebody else than the person who asks uses it without a booking.
    pub used_by_others: bool,
    /// Utilisation as last reported.
    pub load_percent: Option<u32>,
}

/// The stock at one moment, for one person.
#[derive(Clone, Debug)]
pub struct Park {
    pub(super) stock: Arc<Stock>,
    pub(super) today: Vec<Today>,
    pub(super) now: Micros,
    /// What cards would be like without the booking that is being edited.
    freed: HashMap<usize, Taken>,
    without: Option<ReservationId>,
}

impl Park {
    /// The stock at `now`; `look` says what is known of each card beyond it.
    #[must_use]
    pub fn new(stock: Arc<Stock>, now: OffsetDateTime, look: impl FnMut(&Card) -> Today) -> Self {
        let today = stock.cards.iter().map(look).collect();
        Self { stock, today, now: micros(now), freed: HashMap::new(), without: None }
    }

    /// The stock at `now` with nobody on any card.
    #[must_use]
    pub fn quiet(stock: Arc<Stock>, now: OffsetDateTime) -> Self {
        Self::new(stock, now, |card| Today { trouble: card.condition.trouble(now), ..Today::default() })
    }

    /// As if a booking were not there: it is about to be replaced.
    #[must_use]
    pub fn without(mut self, reservation: ReservationId) -> Self {
        let of_it = |at: &usize| {
            let held = self.stock.holds.get(&self.stock.cards[*at].gpu);
            held.into_iter().flatten().any(|hold| hold.reservation == reservation)
        };
        let cards: Vec<usize> = (0..self.stock.cards.len()).filter(of_it).collect();
        self.freed = cards
            .into_iter()
            .map(|at| (at, self.stock.taken_without(&self.stock.cards[at], Some(reservation))))
            .collect();
        self.without = Some(reservation);
        self
    }

    pub(super) fn taken(&self, card: usize) -> &Taken {
        if self.freed.is_empty() {
            return &self.stock.taken[card];
        }
        self.freed.get(&card).unwrap_or(&self.stock.taken[card])
    }

    /// Whether a card can be booked at all.
    pub(super) fn is_bookable(&self, card: usize) -> bool {
        self.today[card].trouble.is_none() && self.stock.cards[card].not_bookable.is_none()
    }

    /// Before this instant a card is not offered: it is past, or somebody uses it without a booking.
    pub(super) fn floor(&self, card: usize) -> Micros {
        let used = if self.today[card].used_by_others { USED_FOR } else { Duration::ZERO };
        self.now + i64::try_from(used.whole_microseconds()).unwrap_or(0)
    }

    /// Whether it can be offered for that time.
    pub(super) fn is_free(&self, card: usize, start: Micros, end: Micros) -> bool {
        start >= self.floor(card) && self.taken(card).is_free(start, end)
    }

    /// How many of a card's shares nobody holds at any instant of that time; `None` where it is not open for shares.
    pub(super) fn free_shares(&self, card: usize, start: Micros, end: Micros) -> Option<u32> {
        let it = &self.stock.cards[card];
        let shares = it.shares?;
        let meets = |window: &Window| {
            let (from, to) = span(window);
            from < end && start < to
        };
        if self.stock.works.iter().any(|works| works.cards.contains(&it.uuid) && meets(&works.window)) {
            return Some(0);
        }
        let held = self.stock.holds.get(&it.gpu).into_iter().flatten();
        let mut slots = BTreeSet::new();
        for hold in held.filter(|hold| self.without != Some(hold.reservation) && meets(&hold.window)) {
            let Some(end) = hold.end_slice else { return Some(0) };
            slots.extend(hold.first_slice..end);
        }
        Some(shares.saturating_sub(u32::try_from(slots.len()).unwrap_or(u32::MAX)))
    }

    /// Whether a booking of so many shares, or of the whole card, would fit there, whoever uses it now.
    pub(super) fn has_room(&self, card: usize, shares: Option<u32>, start: Micros, end: Micros) -> bool {
        match shares {
            None => self.taken(card).is_free(start, end),
            Some(wanted) => self.free_shares(card, start, end).is_some_and(|free| free >= wanted),
        }
    }

    /// Up to when such a booking could last that begins at `start`, `end` at most; `start` where it cannot begin.
    pub(super) fn room_until(&self, card: usize, shares: Option<u32>, start: Micros, end: Micros) -> Micros {
        if shares.is_none() {
            return self.taken(card).next(start).map_or(end, |next| next.min(end));
        }
        if self.has_room(card, shares, start, end) {
            return end;
        }
        let mut begins: Vec<Micros> = self.edges(card).map(|(from, _)| from.clamp(start, end)).collect();
        begins.sort_unstable_by(|a, b| b.cmp(a));
        begins.into_iter().find(|until| start < *until && self.has_room(card, shares, start, *until)).unwrap_or(start)
    }

    /// When such a booking that lasts from `start` to `end` would meet another one, were it to go on.
    pub(super) fn taken_next(&self, card: usize, shares: Option<u32>, start: Micros, end: Micros) -> Option<Micros> {
        if shares.is_none() {
            return self.taken(card).next(end);
        }
        let mut begins: Vec<Micros> = self.edges(card).map(|(from, _)| from).filter(|from| *from >= end).collect();
        begins.sort_unstable();
        begins.into_iter().find(|from| !self.has_room(card, shares, start, from + 1))
    }

    /// When something of a card is given back, or opened again, after an instant.
    pub(super) fn given_back_after(&self, card: usize, shares: Option<u32>, at: Micros) -> Vec<Micros> {
        if shares.is_none() {
            return self.taken(card).ends_after(at).collect();
        }
        self.edges(card).map(|(_, to)| to).filter(|to| *to > at).collect()
    }

    /// What is held of a physical card and when it is closed.
    fn edges(&self, card: usize) -> impl Iterator<Item = (Micros, Micros)> {
        let it = &self.stock.cards[card];
        let held = self.stock.holds.get(&it.gpu).into_iter().flatten();
        let held = held.filter(|hold| self.without != Some(hold.reservation)).map(|hold| span(&hold.window));
        let works = self.stock.works.iter().filter(|works| works.cards.contains(&it.uuid));
        held.chain(works.map(|works| span(&works.window)))
    }

    /// The latest instant up to which a booking that ends at `end` could go on.
    pub(super) fn free_until(&self, cards: &[usize], end: Micros) -> Option<Micros> {
        cards.iter().filter_map(|card| self.taken(*card).next(end)).min()
    }

    /// Why a card is not to be had then, whoever books; nothing where it is.
    #[must_use]
    pub fn closed(&self, card: &CardUuid, shares: Option<u32>, window: &Window) -> Vec<Closed> {
        let Some(at) = self.stock.position(card) else {
            let (host, number) = (String::new(), CardNumber::from(0));
            return vec![Closed { card: card.clone(), host, number, why: ClosedWhy::Unknown }];
        };
        let it = &self.stock.cards[at];
        let (start, end) = span(window);
        let mut why: Vec<ClosedWhy> = Vec::new();
        let trouble = self.today[at].trouble.filter(|why| *why != Trouble::NotBookable || it.not_bookable.is_none());
        why.extend(trouble.map(ClosedWhy::Trouble));
        why.extend(it.not_bookable.clone().map(|reason| ClosedWhy::NotBookable { reason }));
        let works = self.stock.works.iter().filter(|works| works.cards.contains(card) && works.window.overlaps(window));
        why.extend(works.map(|works| ClosedWhy::Maintenance {
            id: works.id,
            reason: works.reason.clone(),
            window: works.window,
        }));
        if let Some(wanted) = shares
            && why.is_empty()
        {
            let free = self.free_shares(at, start, end);
            let of = it.shares;
            why.extend((free.unwrap_or(0) < wanted).then(|| ClosedWhy::Shares { free: free.unwrap_or(0), of }));
        }
        let host = &self.stock.host(at).name;
        why.into_iter().map(|why| Closed { card: card.clone(), host: host.clone(), number: it.number, why }).collect()
    }

    pub(super) fn found(&self, card: usize, shares: Option<u32>) -> FoundCard {
        let it = &self.stock.cards[card];
        FoundCard {
            uuid: it.uuid.clone(),
            host: self.stock.host(card).name.clone(),
            number: it.number,
            model: it.model.clone(),
            memory_mib: it.memory_mib,
            shares,
        }
    }
}
