//! What is in the way of a plan, as far as the calendar at hand knows. The database decides.

use std::collections::BTreeMap;

use crate::id::{CardUuid, ReservationId};
use crate::window::Window;
use crate::wire::calendar::Calendar;

/// Something in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// On this card.
    pub card: CardUuid,
    /// During this part of the plan.
    pub window: Window,
    /// What.
    pub by: By,
}

/// What is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A booking: position in [`Calendar::bookings`].
    Booking(usize),
    /// A closure: position in [`Calendar::closures`].
    Closure(usize),
}

/// Everything in the way of having these cards, or shares of some of them, for a while; in order of the start.
/// `except`: the booking that is being changed.
#[must_use]
pub fn obstacles(
    calendar: &Calendar,
    cards: &[CardUuid],
    shares: &BTreeMap<CardUuid, u32>,
    window: &Window,
    except: Option<ReservationId>,
) -> Vec<Obstacle> {
    let mut found = Vec::new();
    // What others have of a card that is open for shares.
    let mut shared: BTreeMap<&CardUuid, Vec<(Window, u32, usize)>> = BTreeMap::new();
    for (index, booking) in calendar.bookings.iter().enumerate() {
        if Some(booking.id) == except || !booking.state.is_open() {
            continue;
        }
        for hold in booking.holds.iter().filter(|hold| cards.contains(&hold.card)) {
            let Some(overlap) = common(&hold.window.unwrap_or(booking.window), window) else { continue };
            match (hold.shares, shares.contains_key(&hold.card)) {
                (Some(count), true) => shared.entry(&hold.card).or_default().push((overlap, count, index)),
                _ => found.push(Obstacle { card: hold.card.clone(), window: overlap, by: By::Booking(index) }),
            }
        }
    }
    for (card, held) in shared {
        let of = calendar.hosts.iter().flat_map(|host| &host.cards).find(|known| known.uuid == *card);
        let most = of.and_then(|card| card.shares).unwrap_or(1);
        let wanted = shares.get(card).copied().unwrap_or(1);
        for (overlap, _, index) in &held {
            // Most are held when one of them begins.
            let at = overlap.start();
            let together: u32 = held.iter().filter(|(other, ..)| other.contains(at)).map(|(_, count, _)| count).sum();
            if together + wanted > most {
                found.push(Obstacle { card: card.clone(), window: *overlap, by: By::Booking(*index) });
            }
        }
    }
    for (index, closure) in calendar.closures.iter().enumerate() {
        let Some(overlap) = common(&closure.window.unwrap_or(*window), window) else { continue };
        for card in closure.cards.iter().filter(|card| cards.contains(card)) {
            found.push(Obstacle { card: card.clone(), window: overlap, by: By::Closure(index) });
        }
    }
    found.sort_by_key(|obstacle| obstacle.window.start());
    found
}

/// What two windows share.
fn common(a: &Window, b: &Window) -> Option<Window> {
    Window::new(a.start().max(b.start()), a.end().min(b.end())).ok()
}

#[cfg(test)]
#[path = "clash_tests.rs"]
mod tests;
