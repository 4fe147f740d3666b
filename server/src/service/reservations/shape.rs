//! What a booking is to hold: from what it holds, what it is to become, and what others have. Nothing here writes.

use std::collections::BTreeMap;

use domain::id::CardUuid;
use domain::window::Window;
use time::OffsetDateTime;

use super::lanes::{NoRoom, lanes};
use crate::store::reservations::LockedCard;
use crate::store::reservations::cards::{Slices, Taken};
use crate::store::reservations::held::{Held, Hold, Left};

/// Cards, each whole or so many shares of it.
pub(super) type Wants = BTreeMap<CardUuid, Option<u32>>;

/// What a booking is to become.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub window: Window,
    pub wants: Wants,
    /// It runs: what has been used stays, what comes begins then.
    pub begun: Option<OffsetDateTime>,
}

/// What it takes beyond what it has.
#[derive(Debug, Clone, Default)]
pub(super) struct Growth {
    /// Cards, and when.
    pub parts: Vec<(Vec<CardUuid>, Window)>,
}

impl Growth {
    /// Every card that is taken more of, each once.
    pub(super) fn cards(&self) -> Vec<CardUuid> {
        let mut cards: Vec<CardUuid> = self.parts.iter().flat_map(|(cards, _)| cards.clone()).collect();
        cards.sort_unstable();
        cards.dedup();
        cards
    }
}

/// What a booking wants of cards now.
pub(super) fn wants(held: &Held, cards: &[LockedCard]) -> Wants {
    let mut wants = Wants::new();
    for hold in held.lasting() {
        let want = wants.entry(hold.card.clone()).or_insert(Some(0));
        if is_whole(hold, cards) {
            *want = None;
        } else if let Some(shares) = want {
            *shares += 1;
        }
    }
    wants
}

fn is_whole(hold: &Hold, cards: &[LockedCard]) -> bool {
    let card = cards.iter().find(|card| card.uuid == hold.card);
    card.map_or(hold.slices.until.is_none(), |card| card.slices == hold.slices)
}

impl Shape {
    /// From when cards that come are held.
    pub(super) fn from(&self) -> OffsetDateTime {
        self.begun.map_or(self.window.start(), |now| now.max(self.window.start()))
    }

    /// What it takes beyond what `before` has.
    pub(super) fn growth(&self, before: Option<&Held>, cards: &[LockedCard]) -> Growth {
        let had = before.map(|before| wants(before, cards)).unwrap_or_default();
        let (mut come, mut stay) = (Vec::new(), Vec::new());
        for (card, want) in &self.wants {
            match (had.get(card), want) {
                (Some(None), _) => stay.push(card.clone()),
                (Some(Some(had)), Some(want)) if want <= had => stay.push(card.clone()),
                _ => come.push(card.clone()),
            }
        }
        let mut growth = Growth::default();
        if let (false, Ok(window)) = (come.is_empty(), Window::new(self.from(), self.window.end())) {
            growth.parts.push((come, window));
        }
        if let (false, Some(before)) = (stay.is_empty(), before) {
            let parts = beyond(&before.window, &self.window);
            growth.parts.extend(parts.into_iter().map(|part| (stay.clone(), part)));
        }
        growth
    }

    /// The rows that are to be, those on record among them.
    pub(super) fn holds(
        &self,
        before: Option<&Held>,
        cards: &[LockedCard],
        taken: &[Taken],
    ) -> Result<Vec<Hold>, NoRoom> {
        let had = before.map(|before| wants(before, cards)).unwrap_or_default();
        let rows = before.map(|before| before.holds.as_slice()).unwrap_or_default();
        let (past, live): (Vec<&Hold>, Vec<&Hold>) = rows.iter().partition(|row| row.released || row.left.is_some());
        let mut holds: Vec<Hold> = past.into_iter().cloned().collect();
        for (card, _) in had.iter().filter(|(card, _)| !self.wants.contains_key(*card)) {
            holds.extend(live.iter().filter(|row| row.card == *card).filter_map(|row| self.left(row, true)));
        }
        for (uuid, want) in &self.wants {
            let Some(card) = cards.iter().find(|card| card.uuid == *uuid) else { continue };
            let rows: Vec<&Hold> = live.iter().copied().filter(|row| row.card == *uuid).collect();
            match (had.get(uuid), want) {
                (Some(None), None) => holds.extend(rows.into_iter().map(|row| self.stretched(row))),
                (_, None) => {
                    holds.extend(rows.iter().filter_map(|row| self.left(row, true)));
                    let window = Window::new(self.from(), self.window.end()).unwrap_or(self.window);
                    holds.push(self.fresh(card, &rows, card.slices, window));
                }
                (had, Some(count)) => {
                    let within = before.is_some_and(|before| beyond(&before.window, &self.window).is_empty());
                    // What it has already, it keeps, however many shares there are now.
                    let grows = !within || !had.is_some_and(|had| had.is_some_and(|had| had >= *count));
                    holds.extend(self.shares(card, &rows, *count, grows, taken)?);
                }
            }
        }
        Ok(holds)
    }

    /// A row of a card that goes; nothing where nothing of it was used.
    fn left(&self, row: &Hold, for_good: bool) -> Option<Hold> {
        let now = self.begun?;
        let window = Window::new(row.window.start(), row.window.end().min(now)).ok()?;
        let left = if for_good { Some(Left::Edited) } else { row.left };
        Some(Hold { window, left, ..row.clone() })
    }

    /// A row of a card that stays as it is.
    fn stretched(&self, row: &Hold) -> Hold {
        let start = if self.begun.is_some() { row.window.start() } else { self.window.start() };
        Hold { window: Window::new(start, self.window.end()).unwrap_or(self.window), ..row.clone() }
    }

    fn fresh(&self, card: &LockedCard, rows: &[&Hold], slices: Slices, window: Window) -> Hold {
        Hold {
            id: None,
            card: card.uuid.clone(),
            gpu: card.gpu.clone(),
            slices,
            window,
            released: false,
            left: None,
            index: rows.first().map_or(Some(card.index), |row| row.index),
        }
    }

    /// Shares of a card: those that it has go on where they can.
    fn shares(
        &self,
        card: &LockedCard,
        rows: &[&Hold],
        count: u32,
        grows: bool,
        taken: &[Taken],
    ) -> Result<Vec<Hold>, NoRoom> {
        let of = match card.shares {
            // No shares are no way to have a card, whatever else becomes of the booking.
            _ if count == 0 => return Err(NoRoom::NotOpen { card: card.uuid.clone() }),
            _ if !grows => u32::MAX,
            // An instance is a share of its own already.
            Some(of) if card.slices == Slices::WHOLE => of,
            _ => return Err(NoRoom::NotOpen { card: card.uuid.clone() }),
        };
        let window = Window::new(self.from(), self.window.end()).unwrap_or(self.window);
        let taken: Vec<Taken> = taken.iter().filter(|held| held.gpu == card.gpu).cloned().collect();
        let prefer: Vec<i32> =
            rows.iter().filter(|row| row.slices.until.is_some()).map(|row| row.slices.from).collect();
        let found = lanes(count, of, &window, &taken, &prefer).map_err(|free| NoRoom::Full {
            card: card.uuid.clone(),
            free,
            of,
        })?;
        let mut found: Vec<Option<(i32, Window)>> = found.into_iter().map(Some).collect();
        let mut holds = Vec::new();
        for row in rows {
            // One that goes on in the slot that it has is one row, not two.
            let goes_on = found.iter_mut().find(|lane| {
                lane.is_some_and(|(slot, lane)| {
                    row.slices == Slices::one(slot)
                        && lane.start() == window.start()
                        && row.window.contains(lane.start())
                })
            });
            match (goes_on.and_then(Option::take), self.begun) {
                (Some((_, lane)), Some(_)) => {
                    let window = Window::new(row.window.start(), lane.end()).unwrap_or(lane);
                    holds.push(Hold { window, ..(*row).clone() });
                }
                (Some((_, lane)), None) => holds.push(Hold { window: lane, ..(*row).clone() }),
                // A piece from before goes on elsewhere; a share that is given up has left.
                (None, _) => holds.extend(self.left(row, row.window.contains(window.start()))),
            }
        }
        let fresh = found.into_iter().flatten();
        holds.extend(fresh.map(|(slot, lane)| self.fresh(card, rows, Slices::one(slot), lane)));
        Ok(holds)
    }
}

/// What of `new` is not in `old`.
fn beyond(old: &Window, new: &Window) -> Vec<Window> {
    if !old.overlaps(new) {
        return vec![*new];
    }
    [(new.start(), old.start()), (old.end(), new.end())]
        .into_iter()
        .filter_map(|(from, until)| Window::new(from, until).ok())
        .collect()
}
