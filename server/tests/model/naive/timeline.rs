//! What a booking has of its cards, over time. Nothing is said of which shares: one is as good as another.

use std::collections::BTreeMap;

use domain::id::CardUuid;
use domain::window::Window;
use time::OffsetDateTime;

/// How much of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// All of it; of an instance: all of the instance.
    Whole,
    Shares(u32),
}

impl Amount {
    /// In shares of a card that has so many.
    pub fn of(self, all: u32) -> u32 {
        match self {
            Self::Whole => all,
            Self::Shares(shares) => shares,
        }
    }
}

/// Of each card pieces of time, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline(BTreeMap<CardUuid, Vec<(Window, Amount)>>);

impl Timeline {
    /// Every piece.
    pub fn pieces(&self) -> impl Iterator<Item = (&CardUuid, Window, Amount)> {
        self.0.iter().flat_map(|(card, pieces)| pieces.iter().map(move |(window, amount)| (card, *window, *amount)))
    }

    /// Adds a piece that comes after those that are there. A piece that goes on is one piece.
    pub fn add(&mut self, card: &CardUuid, window: Window, amount: Amount) {
        let pieces = self.0.entry(card.clone()).or_default();
        if let Some((last, same)) = pieces.last_mut()
            && last.end() == window.start()
            && *same == amount
        {
            *last = Window::new(last.start(), window.end()).unwrap();
        } else {
            pieces.push((window, amount));
        }
    }

    /// The same without what comes after an instant.
    pub fn cut(&self, at: OffsetDateTime) -> Self {
        let mut cut = Self::default();
        for (card, window, amount) in self.pieces() {
            if let Ok(window) = Window::new(window.start(), window.end().min(at)) {
                cut.add(card, window, amount);
            }
        }
        cut
    }

    /// The same without what comes before an instant.
    pub fn rest(&self, at: OffsetDateTime) -> Self {
        let mut rest = Self::default();
        for (card, window, amount) in self.pieces() {
            if let Ok(window) = Window::new(window.start().max(at), window.end()) {
                rest.add(card, window, amount);
            }
        }
        rest
    }

    /// What there is until an instant, and not only before it.
    pub fn until(&self, end: OffsetDateTime) -> BTreeMap<CardUuid, Amount> {
        self.pieces().filter(|(_, window, _)| window.end() == end).map(|(card, _, how)| (card.clone(), how)).collect()
    }

    /// The same without one card, from an instant on.
    pub fn without(&self, gone: &CardUuid, from: OffsetDateTime) -> Self {
        let mut left = Self::default();
        for (card, window, amount) in self.pieces() {
            let end = if card == gone { window.end().min(from) } else { window.end() };
            if let Ok(window) = Window::new(window.start(), end) {
                left.add(card, window, amount);
            }
        }
        left
    }

    /// When within a window there is less of a card than this.
    pub fn lacks(&self, card: &CardUuid, window: &Window, amount: Amount) -> Vec<Window> {
        let mut lacking = Vec::new();
        let mut from = window.start();
        for (has, _) in self.enough(card, window, amount) {
            lacking.extend(Window::new(from, has.start().min(window.end())).ok());
            from = from.max(has.end());
        }
        lacking.extend(Window::new(from, window.end()).ok());
        lacking
    }

    /// There are so many shares, and not all of it, all through a window.
    pub fn has_shares(&self, card: &CardUuid, window: &Window, shares: u32) -> bool {
        let whole = self.enough(card, window, Amount::Shares(0)).any(|(_, amount)| amount == Amount::Whole);
        !whole && self.lacks(card, window, Amount::Shares(shares)).is_empty()
    }

    fn enough(&self, card: &CardUuid, window: &Window, least: Amount) -> impl Iterator<Item = (Window, Amount)> {
        let enough = move |amount| match (amount, least) {
            (Amount::Whole, _) => true,
            (Amount::Shares(_), Amount::Whole) => false,
            (Amount::Shares(has), Amount::Shares(least)) => has >= least,
        };
        let pieces = self.0.get(card).into_iter().flatten().copied();
        pieces.filter(move |(has, amount)| has.overlaps(window) && enough(*amount))
    }
}
