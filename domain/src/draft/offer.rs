//! Who is in the way of a booking, and what would work instead, from what a page knows. The server decides.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::{CardFacts, CardNumber};
use crate::id::{CardUuid, UserId};
use crate::reservation::LENGTH_MIN;
use crate::window::Window;
use crate::wire::live_v1::{CardView, Fleet};
use crate::wire::page::Bookings;

/// A card, and what is known to be booked on it from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Card.
    pub uuid: CardUuid,
    /// Name of its host.
    pub host: String,
    /// Number on it.
    pub number: CardNumber,
    /// Model, as NVML names it.
    pub model: String,
    /// Whether it can be booked at all.
    pub well: bool,
    /// In order of the start.
    pub booked: Vec<Booked>,
    /// There are more after the last of them.
    pub more: bool,
}

/// A booking of one card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booked {
    /// Display name.
    pub holder: String,
    /// Whether that is the viewer.
    pub own: bool,
    /// First second.
    pub start: i64,
    /// First second after it.
    pub end: i64,
}

impl Booked {
    /// When.
    #[must_use]
    pub fn window(&self) -> Option<Window> {
        let at = |seconds| OffsetDateTime::from_unix_timestamp(seconds).ok();
        Window::new(at(self.start)?, at(self.end)?).ok()
    }

    fn overlaps(&self, window: &Window) -> bool {
        self.start < window.end().unix_timestamp() && window.start().unix_timestamp() < self.end
    }
}

impl Known {
    /// Every card of the fleet with all its bookings that are active or to come.
    #[must_use]
    pub fn all(fleet: &Fleet, bookings: &Bookings, viewer: UserId) -> Vec<Self> {
        let mut all = Vec::new();
        for host in &fleet.hosts {
            for card in &host.cards {
                let mut booked: Vec<Booked> = bookings
                    .mine
                    .iter()
                    .chain(&bookings.others)
                    .filter(|booking| booking.cards.iter().any(|booked| shares(&host.cards, &card.facts, &booked.uuid)))
                    .map(|booking| Booked {
                        holder: booking.holder.clone(),
                        own: booking.owner == viewer,
                        start: booking.window.start().unix_timestamp(),
                        end: booking.window.end().unix_timestamp(),
                    })
                    .collect();
                // Nobody's, but just as much in the way.
                booked.extend(card.closed.maintenance.iter().map(|closes| Booked {
                    holder: crate::text::t().now.maintenance.to_owned(),
                    own: false,
                    start: closes.window.start().unix_timestamp(),
                    end: closes.window.end().unix_timestamp(),
                }));
                booked.sort_by_key(|booked| booked.start);
                all.push(Self {
                    uuid: card.facts.uuid.clone(),
                    host: host.name.clone(),
                    number: card.facts.number(),
                    model: card.facts.name.clone(),
                    well: host.trouble(card, fleet.now).is_none(),
                    booked,
                    more: false,
                });
            }
        }
        all
    }

    /// Forgets all but the next so many bookings.
    pub fn shorten(&mut self, most: usize) {
        self.more |= self.booked.len() > most;
        self.booked.truncate(most);
    }

    fn is_free(&self, window: &Window) -> bool {
        // After the last booking that is known, anything may follow.
        let horizon = if self.more { self.booked.last().map_or(i64::MIN, |last| last.end) } else { i64::MAX };
        self.well && window.end().unix_timestamp() <= horizon && !self.booked.iter().any(|other| other.overlaps(window))
    }
}

/// Whether a booking of `booked` keeps the card from others: it is the same, or the whole of which the one or the other is
/// a MIG instance.
fn shares(cards: &[CardView], card: &CardFacts, booked: &CardUuid) -> bool {
    let parent = |facts: &CardFacts| facts.part.as_ref().map(|part| part.parent.clone());
    card.uuid == *booked
        || parent(card).as_ref() == Some(booked)
        || cards.iter().any(|other| other.facts.uuid == *booked && parent(&other.facts).as_ref() == Some(&card.uuid))
}

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

/// Cards that are taken at that time, each with the bookings in the way.
#[must_use]
pub fn taken<'a>(known: &'a [Known], cards: &[CardUuid], window: &Window) -> Vec<(&'a Known, Vec<&'a Booked>)> {
    let in_the_way = |card: &'a Known| {
        let booked: Vec<&Booked> = card.booked.iter().filter(|booked| booked.overlaps(window)).collect();
        (!booked.is_empty()).then_some((card, booked))
    };
    known.iter().filter(|card| cards.contains(&card.uuid)).filter_map(in_the_way).collect()
}

/// Ways out, in the order in which people like them: shorter, elsewhere, later. Only what is known to be free is
/// offered.
#[must_use]
pub fn offers(known: &[Known], cards: &[CardUuid], window: &Window) -> Vec<Offer> {
    let picked: Vec<&Known> = known.iter().filter(|card| cards.contains(&card.uuid)).collect();
    if picked.is_empty() || picked.len() != cards.len() {
        return Vec::new();
    }
    [
        shorter(&picked, window).map(Offer::Shorter),
        elsewhere(known, &picked, window).map(Offer::Elsewhere),
        later(&picked, window).map(Offer::Later),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn shorter(picked: &[&Known], window: &Window) -> Option<Window> {
    let wanted = picked.iter().flat_map(|card| &card.booked).filter(|other| other.overlaps(window));
    let until = wanted.map(|other| other.start).min()?;
    let shorter = Window::new(window.start(), OffsetDateTime::from_unix_timestamp(until).ok()?).ok()?;
    (shorter.length() >= LENGTH_MIN && picked.iter().all(|card| card.is_free(&shorter))).then_some(shorter)
}

/// Keeps the cards that are free, and puts a free one of the same model and host in place of each other.
fn elsewhere(known: &[Known], picked: &[&Known], window: &Window) -> Option<Vec<CardUuid>> {
    let mut chosen: Vec<CardUuid> =
        picked.iter().filter(|card| card.is_free(window)).map(|card| card.uuid.clone()).collect();
    for card in picked.iter().filter(|card| !card.is_free(window)) {
        let other = known.iter().find(|other| {
            other.host == card.host
                && other.model == card.model
                && other.is_free(window)
                && !chosen.contains(&other.uuid)
                && !picked.iter().any(|card| card.uuid == other.uuid)
        })?;
        chosen.push(other.uuid.clone());
    }
    Some(chosen)
}

/// A booking can only become possible when another one ends, so of these ends the first that works is the answer.
fn later(picked: &[&Known], window: &Window) -> Option<Window> {
    let works = |end: i64| {
        let start = OffsetDateTime::from_unix_timestamp(end).ok()?;
        let later = Window::new(start, start.checked_add(window.length())?).ok()?;
        (start > window.start() && picked.iter().all(|card| card.is_free(&later))).then_some(later)
    };
    let ends = picked.iter().flat_map(|card| &card.booked).map(|booked| booked.end);
    ends.filter_map(works).min_by_key(Window::start)
}

#[cfg(test)]
mod tests;
