//! Who is in the way of a booking, and what would work instead, from what a page knows. The server decides.

use time::OffsetDateTime;

use crate::card::CardHealth;
use crate::id::{CardUuid, UserId};
use crate::reservation::{Clash, LENGTH_MIN};
use crate::window::Window;
use crate::wire::live_v1::{CardView, Fleet, HostView};

/// As many bookings of a card as a page knows; where it knows this many, there may be more after the last.
const KNOWN: usize = 4;

/// A way out of a conflict. Each rewrites the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The same cards, but only until the first of them is wanted.
    Shorter(Window),
    /// The same time on cards of the same models, on the same hosts.
    Elsewhere(Vec<CardUuid>),
    /// The same cards for the same length, as soon as all of them are free.
    Later(Window),
}

/// Bookings that are known to be in the way, by host, card and start.
#[must_use]
pub fn clashes(fleet: &Fleet, cards: &[CardUuid], window: &Window, viewer: UserId) -> Vec<Clash> {
    let mut found = Vec::new();
    for (host, card) in picked(fleet, cards) {
        for booking in card.bookings.iter().filter(|booking| booking.window.overlaps(window)) {
            found.push(Clash {
                reservation: booking.id,
                card: card.facts.uuid.clone(),
                host: host.name.clone(),
                index: card.facts.index,
                holder: booking.holder.clone(),
                own: booking.owner == viewer,
                window: booking.window,
            });
        }
    }
    found
}

/// Ways out, in the order in which people like them: shorter, elsewhere, later. Only what is known to be free is
/// offered. `refused` is what the server has said is in the way; the page may not know all of it.
#[must_use]
pub fn offers(fleet: &Fleet, cards: &[CardUuid], window: &Window, refused: &[Clash]) -> Vec<Offer> {
    let picked: Vec<_> = picked(fleet, cards).collect();
    if picked.is_empty() || picked.len() != cards.len() {
        return Vec::new();
    }
    let free = |card: &CardView, window: &Window| is_free(card, window, refused);
    [
        shorter(&picked, window, refused).map(Offer::Shorter),
        elsewhere(&picked, window, &free).map(Offer::Elsewhere),
        later(&picked, window, refused).map(Offer::Later),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn picked<'a>(fleet: &'a Fleet, cards: &'a [CardUuid]) -> impl Iterator<Item = (&'a HostView, &'a CardView)> {
    let all = fleet.hosts.iter().flat_map(|host| host.cards.iter().map(move |card| (host, card)));
    all.filter(|(_, card)| cards.contains(&card.facts.uuid))
}

/// Everything known to be booked on a card, in order of the start.
fn booked<'a>(card: &'a CardView, refused: &'a [Clash]) -> impl Iterator<Item = Window> {
    let here = refused.iter().filter(|clash| clash.card == card.facts.uuid).map(|clash| clash.window);
    let mut all: Vec<Window> = card.bookings.iter().map(|booking| booking.window).chain(here).collect();
    all.sort_by_key(Window::start);
    all.into_iter()
}

/// Where knowledge of a card ends; `None` where all is known.
fn horizon(card: &CardView) -> Option<OffsetDateTime> {
    (card.bookings.len() >= KNOWN).then(|| card.bookings.last().map(|booking| booking.window.end())).flatten()
}

fn is_free(card: &CardView, window: &Window, refused: &[Clash]) -> bool {
    card.truth.health == CardHealth::Ok
        && horizon(card).is_none_or(|known| window.end() <= known)
        && !booked(card, refused).any(|other| other.overlaps(window))
}

fn shorter(picked: &[(&HostView, &CardView)], window: &Window, refused: &[Clash]) -> Option<Window> {
    let wanted = picked.iter().flat_map(|(_, card)| booked(card, refused)).filter(|other| other.overlaps(window));
    let until = wanted.map(|other| other.start()).min()?;
    let shorter = Window::new(window.start(), until).ok()?;
    let fits = shorter.length() >= LENGTH_MIN && picked.iter().all(|(_, card)| is_free(card, &shorter, refused));
    fits.then_some(shorter)
}

/// Keeps the cards that are free, and puts a free one of the same model and host in place of each other.
fn elsewhere(
    picked: &[(&HostView, &CardView)],
    window: &Window,
    free: &impl Fn(&CardView, &Window) -> bool,
) -> Option<Vec<CardUuid>> {
    let mut chosen: Vec<CardUuid> =
        picked.iter().filter(|(_, card)| free(card, window)).map(|(_, card)| card.facts.uuid.clone()).collect();
    for (host, card) in picked.iter().filter(|(_, card)| !free(card, window)) {
        let other = host.cards.iter().find(|other| {
            other.facts.name == card.facts.name
                && free(other, window)
                && !chosen.contains(&other.facts.uuid)
                && !picked.iter().any(|(_, card)| card.facts.uuid == other.facts.uuid)
        })?;
        chosen.push(other.facts.uuid.clone());
    }
    Some(chosen)
}

/// A booking can only become possible when another one ends, so these ends are all starts worth trying.
fn later(picked: &[(&HostView, &CardView)], window: &Window, refused: &[Clash]) -> Option<Window> {
    let mut starts: Vec<_> = picked.iter().flat_map(|(_, card)| booked(card, refused)).map(|w| w.end()).collect();
    starts.retain(|&start| start > window.start());
    starts.sort_unstable();
    starts
        .into_iter()
        .filter_map(|start| Window::new(start, start + window.length()).ok())
        .find(|later| picked.iter().all(|(_, card)| is_free(card, later, refused)))
}

#[cfg(test)]
mod tests;
