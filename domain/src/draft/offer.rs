//! Who is in the way of a booking, and what would work instead, from what a page knows. The server decides.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::{CardFacts, CardNumber, Mib};
use crate::id::{CardUuid, ReservationId, UserId};
use crate::reservation::LENGTH_MIN;
use crate::rules::Cards;
use crate::window::Window;
use crate::wire::calendar::Calendar;
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
    /// Memory, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Mib>,
    /// Whether it can be booked at all.
    pub well: bool,
    /// Labels of the card and of its host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Open for so many shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<u32>,
    /// What each share is asked to stay within.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_memory_mib: Option<Mib>,
    /// In order of the start.
    pub booked: Vec<Booked>,
    /// There are more after the last of them.
    pub more: bool,
}

/// A booking of one card, or a time in which it is not to be had.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Booked {
    /// The booking; `None`: nobody's, an administrator keeps the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<ReservationId>,
    /// Display name; why, where it is nobody's.
    pub holder: String,
    /// Colour of the holder, in degrees.
    #[serde(default)]
    pub hue: u16,
    /// What for; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// So many shares; `None`: the whole card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<u32>,
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
                    .filter_map(|booking| {
                        let held = booking.cards.iter().find(|held| touches(&host.cards, &card.facts, &held.uuid))?;
                        Some(Booked {
                            reservation: Some(booking.id),
                            holder: booking.holder.clone(),
                            hue: booking.hue,
                            purpose: booking.purpose.clone(),
                            shares: held.shares,
                            own: booking.owner == viewer,
                            start: booking.window.start().unix_timestamp(),
                            end: booking.window.end().unix_timestamp(),
                        })
                    })
                    .collect();
                // Nobody's, but just as much in the way.
                booked.extend(card.closed.maintenance.iter().map(|closes| Booked {
                    holder: crate::text::t().now.maintenance.to_owned(),
                    purpose: closes.reason.clone(),
                    start: closes.window.start().unix_timestamp(),
                    end: closes.window.end().unix_timestamp(),
                    ..Booked::default()
                }));
                booked.sort_by_key(|booked| booked.start);
                all.push(Self {
                    uuid: card.facts.uuid.clone(),
                    host: host.name.clone(),
                    number: card.facts.number(),
                    model: card.facts.title(),
                    memory_mib: card.facts.memory_total_mib.get(),
                    well: host.trouble(card, fleet.now).is_none(),
                    labels: Vec::new(),
                    shares: None,
                    share_memory_mib: None,
                    booked,
                    more: false,
                });
            }
        }
        all
    }

    /// Every card of a calendar with what is on it in its stretch of time. `well` says whether a card can be booked as far
    /// as its own condition goes.
    #[must_use]
    pub fn of_calendar(calendar: &Calendar, viewer: UserId, well: impl Fn(&CardUuid) -> bool) -> Vec<Self> {
        let mut booked: BTreeMap<&CardUuid, Vec<Booked>> = BTreeMap::new();
        for booking in calendar.bookings.iter().filter(|booking| booking.state.is_open()) {
            for hold in &booking.holds {
                let window = hold.window.unwrap_or(booking.window);
                booked.entry(&hold.card).or_default().push(Booked {
                    reservation: Some(booking.id),
                    holder: booking.holder.clone(),
                    hue: booking.hue,
                    purpose: booking.purpose.clone(),
                    shares: hold.shares,
                    own: booking.owner == viewer,
                    start: window.start().unix_timestamp(),
                    end: window.end().unix_timestamp(),
                });
            }
        }
        for (closure, window) in calendar.closures.iter().filter_map(|closure| Some((closure, closure.window?))) {
            for card in &closure.cards {
                booked.entry(card).or_default().push(Booked {
                    holder: crate::text::t().now.maintenance.to_owned(),
                    purpose: closure.reason.clone(),
                    start: window.start().unix_timestamp(),
                    end: window.end().unix_timestamp(),
                    ..Booked::default()
                });
            }
        }
        let kept = |card: &CardUuid| {
            calendar.closures.iter().any(|closure| closure.window.is_none() && closure.cards.contains(card))
        };
        let cards = calendar.hosts.iter().flat_map(|host| host.cards.iter().map(move |card| (host, card)));
        cards
            .map(|(host, card)| {
                let mut booked = booked.remove(&card.uuid).unwrap_or_default();
                booked.sort_by_key(|booked| booked.start);
                Self {
                    uuid: card.uuid.clone(),
                    host: host.name.clone(),
                    number: card.number,
                    model: card.model.clone(),
                    memory_mib: card.memory_mib,
                    well: well(&card.uuid) && !kept(&card.uuid),
                    labels: Vec::new(),
                    shares: card.shares,
                    share_memory_mib: card.share_memory_mib,
                    booked,
                    more: false,
                }
            })
            .collect()
    }

    /// How much of a card so many shares of it are; `None`: all of it.
    #[must_use]
    pub fn part(&self, shares: Option<u32>) -> Cards {
        match (shares, self.shares) {
            (Some(count), Some(of)) => Cards::parts(count, of),
            _ => Cards::named(&self.model),
        }
    }

    /// Forgets all but the next so many bookings.
    pub fn shorten(&mut self, most: usize) {
        self.more |= self.booked.len() > most;
        self.booked.truncate(most);
    }

    /// What is in the way of so many of its shares (`None`: of the whole card) at that time.
    #[must_use]
    pub fn in_the_way(&self, window: &Window, wanted: Option<u32>) -> Vec<&Booked> {
        let met: Vec<&Booked> = self.booked.iter().filter(|booked| booked.overlaps(window)).collect();
        let (Some(wanted), Some(all)) = (wanted, self.shares) else { return met };
        let (whole, shared): (Vec<_>, Vec<_>) = met.into_iter().partition(|booked| booked.shares.is_none());
        if !whole.is_empty() {
            return whole;
        }
        // Most shares are taken when one of them begins, or at the start.
        let starts = shared.iter().map(|booked| booked.start.max(window.start().unix_timestamp()));
        let taken = |at: i64| -> u32 {
            shared.iter().filter(|other| other.start <= at && at < other.end).filter_map(|other| other.shares).sum()
        };
        let most = starts.map(taken).max().unwrap_or_default();
        if most + wanted <= all { Vec::new() } else { shared }
    }

    fn is_free(&self, window: &Window, wanted: Wanted<'_>) -> bool {
        // After the last booking that is known, anything may follow.
        let horizon = if self.more { self.booked.last().map_or(i64::MIN, |last| last.end) } else { i64::MAX };
        let shares = wanted.get(&self.uuid).copied();
        self.well && window.end().unix_timestamp() <= horizon && self.in_the_way(window, shares).is_empty()
    }
}

/// Shares of those cards that are not wanted whole.
type Wanted<'a> = &'a BTreeMap<CardUuid, u32>;

/// Whether a booking of `booked` keeps the card from others: it is the same, or the whole of which the one or the other is
/// a MIG instance.
fn touches(cards: &[CardView], card: &CardFacts, booked: &CardUuid) -> bool {
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

/// Cards that are taken at that time, each with the bookings in the way. Of the cards in `shares` only so many are wanted.
#[must_use]
pub fn taken<'a>(
    known: &'a [Known],
    cards: &[CardUuid],
    shares: &BTreeMap<CardUuid, u32>,
    window: &Window,
) -> Vec<(&'a Known, Vec<&'a Booked>)> {
    let in_the_way = |card: &'a Known| {
        let booked = card.in_the_way(window, shares.get(&card.uuid).copied());
        (!booked.is_empty()).then_some((card, booked))
    };
    known.iter().filter(|card| cards.contains(&card.uuid)).filter_map(in_the_way).collect()
}

/// Ways out, in the order in which people like them: shorter, elsewhere, later. Only what is known to be free is
/// offered.
#[must_use]
pub fn offers(known: &[Known], cards: &[CardUuid], shares: &BTreeMap<CardUuid, u32>, window: &Window) -> Vec<Offer> {
    let picked: Vec<&Known> = known.iter().filter(|card| cards.contains(&card.uuid)).collect();
    if picked.is_empty() || picked.len() != cards.len() {
        return Vec::new();
    }
    // Other cards may have other shares.
    let other = if shares.is_empty() { elsewhere(known, &picked, window) } else { None };
    [
        shorter(&picked, shares, window).map(Offer::Shorter),
        other.map(Offer::Elsewhere),
        later(&picked, shares, window).map(Offer::Later),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn shorter(picked: &[&Known], shares: Wanted<'_>, window: &Window) -> Option<Window> {
    // It can only be in the way from where another one begins; with shares the first of them need not be.
    let starts =
        picked.iter().flat_map(|card| &card.booked).filter(|other| other.overlaps(window)).map(|other| other.start);
    let works = |until: i64| {
        let shorter = Window::new(window.start(), OffsetDateTime::from_unix_timestamp(until).ok()?).ok()?;
        let free = picked.iter().all(|card| card.is_free(&shorter, shares));
        (free && shorter.length() >= LENGTH_MIN).then_some(shorter)
    };
    starts.filter_map(works).max_by_key(Window::length)
}

/// Keeps the cards that are free, and puts a free one of the same model and host in place of each other.
fn elsewhere(known: &[Known], picked: &[&Known], window: &Window) -> Option<Vec<CardUuid>> {
    let whole = BTreeMap::new();
    let mut chosen: Vec<CardUuid> =
        picked.iter().filter(|card| card.is_free(window, &whole)).map(|card| card.uuid.clone()).collect();
    for card in picked.iter().filter(|card| !card.is_free(window, &whole)) {
        let other = known.iter().find(|other| {
            other.host == card.host
                && other.model == card.model
                && other.is_free(window, &whole)
                && !chosen.contains(&other.uuid)
                && !picked.iter().any(|card| card.uuid == other.uuid)
        })?;
        chosen.push(other.uuid.clone());
    }
    Some(chosen)
}

/// A booking can only become possible when another one ends, so of these ends the first that works is the answer.
fn later(picked: &[&Known], shares: Wanted<'_>, window: &Window) -> Option<Window> {
    let works = |end: i64| {
        let start = OffsetDateTime::from_unix_timestamp(end).ok()?;
        let later = Window::new(start, start.checked_add(window.length())?).ok()?;
        (start > window.start() && picked.iter().all(|card| card.is_free(&later, shares))).then_some(later)
    };
    let ends = picked.iter().flat_map(|card| &card.booked).map(|booked| booked.end);
    ends.filter_map(works).min_by_key(Window::start)
}

#[cfg(test)]
mod tests;
