//! The stock as it stands at one moment, for one person: what the finder searches.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use time::{Duration, OffsetDateTime};

pub use super::stock::{Card, Hold, NewHost, Stock, Works};
use super::stock::{micros, span};
use super::taken::{Micros, Taken};
use super::{Closed, ClosedWhy, FoundCard};
use crate::card::CardNumber;
use crate::id::{CardUuid, ReservationId};
use crate::trouble::Trouble;
use crate::window::Window;

/// A card that somebody uses without a booking does not count as free for this long.
pub const USED_FOR: Duration = Duration::hours(1);

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

    /// As if somebody else used these cards without a booking.
    #[must_use]
    pub fn shun(mut self, cards: &[CardUuid]) -> Self {
        for (at, card) in self.stock.cards.iter().enumerate() {
            self.today[at].used_by_others |= cards.contains(&card.uuid);
        }
        self
    }

    /// What a booking holds, now or later: [`Stock::wish_of`].
    #[must_use]
    pub fn wish_of(&self, booking: ReservationId) -> Option<(Vec<CardUuid>, BTreeMap<CardUuid, u32>, Window)> {
        self.stock.wish_of(booking)
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
        // A booking may change its slot on the way: what counts is how many are held at once.
        let mut events: Vec<(Micros, i64)> = Vec::new();
        for hold in held.filter(|hold| self.without != Some(hold.reservation) && meets(&hold.window)) {
            let Some(end) = hold.end_slice else { return Some(0) };
            let ((from, to), width) = (span(&hold.window), i64::from(end.saturating_sub(hold.first_slice)));
            events.extend([(from, width), (to, -width)]);
        }
        // What is given back at an instant can be taken at that instant.
        events.sort_unstable();
        let mut now = 0;
        let most = events.into_iter().map(|(_, change)| {
            now += change;
            now
        });
        Some(shares.saturating_sub(u32::try_from(most.max().unwrap_or(0)).unwrap_or(u32::MAX)))
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
