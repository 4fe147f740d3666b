//! How many cards of a host are free when: what is left of a host once its rows are folded away.

use std::collections::{HashMap, HashSet};

use time::OffsetDateTime;

use crate::id::CardUuid;
use crate::window::Window;
use crate::wire::calendar::{Calendar, CalendarHost};

/// When each card is not free, whoever or whatever the reason is.
#[derive(Debug, Default)]
pub struct Busy {
    times: HashMap<CardUuid, Vec<Window>>,
    /// Cards that nobody may book.
    never: HashSet<CardUuid>,
}

/// What is known of a card beyond the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing is wrong.
    Well,
    /// Somebody uses it without a booking: not counted as free until then.
    UsedUntil(OffsetDateTime),
    /// Lost, unhealthy, or silent: not counted as free at all.
    Out,
}

/// So many cards are free for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// When.
    pub window: Window,
    /// How many.
    pub cards: u32,
}

impl Busy {
    /// Of a calendar. A card of which some shares are held is not free: nobody can have it alone.
    #[must_use]
    pub fn new(calendar: &Calendar) -> Self {
        let mut busy = Self::default();
        for booking in &calendar.bookings {
            for hold in &booking.holds {
                busy.take(&hold.card, hold.window.unwrap_or(booking.window));
            }
        }
        for closure in &calendar.closures {
            for card in &closure.cards {
                match closure.window {
                    Some(window) => busy.take(card, window),
                    None => _ = busy.never.insert(card.clone()),
                }
            }
        }
        busy
    }

    fn take(&mut self, card: &CardUuid, window: Window) {
        match self.times.get_mut(card) {
            Some(times) => times.push(window),
            None => _ = self.times.insert(card.clone(), vec![window]),
        }
    }

    /// Whether a card is free at an instant, as far as the calendar knows.
    #[must_use]
    pub fn is_free(&self, card: &CardUuid, at: OffsetDateTime) -> bool {
        !self.never.contains(card)
            && self.times.get(card).is_none_or(|times| !times.iter().any(|window| window.contains(at)))
    }

    /// Until when a card stays free from an instant on; `None` where nothing is known to follow. Of a card that is not
    /// free at `at` this is `at` itself.
    #[must_use]
    pub fn free_until(&self, card: &CardUuid, at: OffsetDateTime) -> Option<OffsetDateTime> {
        if !self.is_free(card, at) {
            return Some(at);
        }
        self.times.get(card)?.iter().map(Window::start).filter(|start| *start > at).min()
    }

    /// How many cards of a host are free from `from` to `to`. Neighbours differ.
    #[must_use]
    pub fn stretches(
        &self,
        host: &CalendarHost,
        from: OffsetDateTime,
        to: OffsetDateTime,
        standing: &dyn Fn(&CardUuid) -> Standing,
    ) -> Vec<Stretch> {
        let mut changes: Vec<(OffsetDateTime, i32)> = Vec::new();
        let mut cards = 0_i32;
        for card in &host.cards {
            let standing = standing(&card.uuid);
            if standing == Standing::Out || self.never.contains(&card.uuid) {
                continue;
            }
            cards += 1;
            let used = match standing {
                Standing::UsedUntil(until) => Window::new(from, until).ok(),
                _ => None,
            };
            let mut times: Vec<Window> = self.times.get(&card.uuid).cloned().unwrap_or_default();
            times.extend(used);
            times.sort_unstable_by_key(Window::start);
            // Shares overlap each other: a card is taken once at a time.
            let mut end = from;
            for time in times {
                let (start, stop) = (time.start().max(end), time.end().min(to));
                if start < stop {
                    changes.push((start, -1));
                    changes.push((stop, 1));
                    end = stop;
                }
            }
        }
        changes.sort_unstable();
        let mut stretches: Vec<Stretch> = Vec::new();
        let (mut at, mut free) = (from, cards);
        let mut changes = changes.into_iter().peekable();
        loop {
            while let Some((_, by)) = changes.next_if(|(when, _)| *when <= at) {
                free += by;
            }
            let next = changes.peek().map_or(to, |(when, _)| *when);
            let Ok(window) = Window::new(at, next) else { break };
            let cards = u32::try_from(free).unwrap_or(0);
            match stretches.last_mut() {
                Some(last) if last.cards == cards => {
                    last.window = Window::new(last.window.start(), next).unwrap_or(last.window);
                }
                _ => stretches.push(Stretch { window, cards }),
            }
            at = next;
        }
        stretches
    }
}

#[cfg(test)]
#[path = "free_tests.rs"]
mod tests;
