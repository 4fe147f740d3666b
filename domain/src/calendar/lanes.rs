//! Rows and what lies on them. A row is a card; a booking is one block where its cards lie side by side, and several
//! blocks that say "1 of 2" where they do not.

use std::collections::HashMap;

use crate::id::CardUuid;
use crate::window::Window;
use crate::wire::calendar::{Calendar, CalendarCard, CalendarHost, Hold};

/// A host's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct HostRows {
    /// Position in [`Calendar::hosts`].
    pub host: usize,
    /// Positions in [`CalendarHost::cards`], from top to bottom.
    pub cards: Vec<usize>,
    /// Rows that NVLink joins, where not all rows are.
    pub brackets: Vec<Bracket>,
    /// Bookings, in order of their start.
    pub blocks: Vec<Block>,
    /// Times in which rows are not to be had.
    pub shut: Vec<Shut>,
}

/// Neighbouring rows that are linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// First row.
    pub row: usize,
    /// How many.
    pub rows: usize,
    /// The word of the link (`NV4`).
    pub word: String,
}

/// A booking, or a part of it, on neighbouring rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Position in [`Calendar::bookings`].
    pub booking: usize,
    /// First row.
    pub row: usize,
    /// How many.
    pub rows: usize,
    /// When these cards are held.
    pub window: Window,
    /// Which part of the booking it is, from 1, and of how many.
    pub part: (usize, usize),
    /// Which shares of the card, where it is not the whole.
    pub slot: Option<Slot>,
}

/// Some shares of a card, as a strip of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// First of them, from 0.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Of how many.
    pub of: u32,
}

/// A closure on neighbouring rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Shut {
    /// Position in [`Calendar::closures`].
    pub closure: usize,
    /// First row.
    pub row: usize,
    /// How many.
    pub rows: usize,
}

/// Where a card is: position of its host in the rows, and its row.
pub type Place = (usize, usize);

/// All rows that are shown, with what lies on them. Hosts of which no card is shown are left out.
#[must_use]
pub fn rows(
    calendar: &Calendar,
    by_number: bool,
    shown: &dyn Fn(&CalendarHost, &CalendarCard) -> bool,
) -> Vec<HostRows> {
    let mut hosts = Vec::new();
    for (index, host) in calendar.hosts.iter().enumerate() {
        let mut cards = if by_number { (0..host.cards.len()).collect() } else { by_links(host) };
        cards.retain(|card| host.cards.get(*card).is_some_and(|card| shown(host, card)));
        if !cards.is_empty() {
            let brackets = brackets(host, &cards);
            hosts.push(HostRows { host: index, cards, brackets, blocks: Vec::new(), shut: Vec::new() });
        }
    }
    let places = places(calendar, &hosts);
    for (index, booking) in calendar.bookings.iter().enumerate() {
        let mut blocks = blocks(index, &booking.holds, booking.window, &places);
        let parts = blocks.len();
        for (part, (_, block)) in blocks.iter_mut().enumerate() {
            block.part = (part + 1, parts);
        }
        for (host, block) in blocks {
            hosts[host].blocks.push(block);
        }
    }
    for (index, closure) in calendar.closures.iter().enumerate() {
        let here = closure.cards.iter().filter_map(|card| places.get(card)).copied().collect();
        for (host, row, rows) in runs(here) {
            hosts[host].shut.push(Shut { closure: index, row, rows });
        }
    }
    for rows in &mut hosts {
        give_slots(calendar, rows);
    }
    hosts
}

/// Where each card that is shown is.
#[must_use]
pub fn places<'a>(calendar: &'a Calendar, hosts: &[HostRows]) -> HashMap<&'a CardUuid, Place> {
    let mut places = HashMap::new();
    for (at, rows) in hosts.iter().enumerate() {
        for (row, card) in rows.cards.iter().enumerate() {
            if let Some(card) = calendar.hosts.get(rows.host).and_then(|host| host.cards.get(*card)) {
                places.insert(&card.uuid, (at, row));
            }
        }
    }
    places
}

/// The card at a place.
#[must_use]
pub fn card_at<'a>(calendar: &'a Calendar, hosts: &[HostRows], place: Place) -> Option<&'a CalendarCard> {
    let rows = hosts.get(place.0)?;
    calendar.hosts.get(rows.host)?.cards.get(*rows.cards.get(place.1)?)
}

/// All cards from one place to another, whichever is higher, over the heads of hosts.
#[must_use]
pub fn between(calendar: &Calendar, hosts: &[HostRows], a: Place, b: Place) -> Vec<CardUuid> {
    let (from, to) = (a.min(b), a.max(b));
    let all = hosts.iter().enumerate().flat_map(|(at, rows)| (0..rows.cards.len()).map(move |row| (at, row)));
    let cards = all.filter(|place| (from..=to).contains(place)).filter_map(|place| card_at(calendar, hosts, place));
    cards.map(|card| card.uuid.clone()).collect()
}

/// Cards of a set after each other, each set where its first card is.
fn by_links(host: &CalendarHost) -> Vec<usize> {
    let mut order = Vec::with_capacity(host.cards.len());
    for card in 0..host.cards.len() {
        if order.contains(&card) {
            continue;
        }
        let set = host.linked.iter().find(|(set, _)| set.iter().any(|member| usize::from(*member) == card));
        match set {
            Some((set, _)) => order.extend(set.iter().map(|member| usize::from(*member))),
            None => order.push(card),
        }
    }
    order
}

fn brackets(host: &CalendarHost, cards: &[usize]) -> Vec<Bracket> {
    let mut brackets = Vec::new();
    for (set, word) in host.linked.iter().filter(|(set, _)| set.len() < host.cards.len()) {
        let row = |member: &u16| cards.iter().position(|card| *card == usize::from(*member)).map(|row| (0, row));
        for (_, row, rows) in runs(set.iter().filter_map(row).collect()) {
            if rows > 1 {
                brackets.push(Bracket { row, rows, word: word.clone() });
            }
        }
    }
    brackets
}

/// Neighbouring places as one: host, first row, rows.
fn runs(mut places: Vec<Place>) -> Vec<(usize, usize, usize)> {
    places.sort_unstable();
    places.dedup();
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for (host, row) in places {
        match runs.last_mut() {
            Some((last, first, rows)) if *last == host && *first + *rows == row => *rows += 1,
            _ => runs.push((host, row, 1)),
        }
    }
    runs
}

fn blocks(booking: usize, holds: &[Hold], window: Window, places: &HashMap<&CardUuid, Place>) -> Vec<(usize, Block)> {
    let block = |row, rows, window, slot| Block { booking, row, rows, window, part: (1, 1), slot };
    let mut blocks = Vec::new();
    // Cards that are held at the same time, and whole, may form one block.
    let mut whole: Vec<(Window, Vec<Place>)> = Vec::new();
    for hold in holds {
        let Some(place) = places.get(&hold.card).copied() else { continue };
        let time = hold.window.unwrap_or(window);
        if let Some(count) = hold.shares {
            blocks.push((place.0, block(place.1, 1, time, Some(Slot { first: 0, count, of: count }))));
            continue;
        }
        match whole.iter_mut().find(|(same, _)| *same == time) {
            Some((_, places)) => places.push(place),
            None => whole.push((time, vec![place])),
        }
    }
    for (time, places) in whole {
        blocks.extend(runs(places).into_iter().map(|(host, row, rows)| (host, block(row, rows, time, None))));
    }
    blocks.sort_by_key(|(host, block)| (*host, block.row, block.window.start()));
    blocks
}

/// Lays shares of one card beside each other: each gets the first strip that nobody has at that time.
fn give_slots(calendar: &Calendar, rows: &mut HostRows) {
    let shares: Vec<u32> =
        rows.cards.iter().map(|card| calendar.hosts[rows.host].cards[*card].shares.unwrap_or(1)).collect();
    let mut taken: HashMap<usize, Vec<(Window, Slot)>> = HashMap::new();
    for block in &mut rows.blocks {
        let Some(slot) = &mut block.slot else { continue };
        let taken = taken.entry(block.row).or_default();
        let free = |first: u32| {
            taken.iter().all(|(window, other)| {
                !window.overlaps(&block.window)
                    || first + slot.count <= other.first
                    || other.first + other.count <= first
            })
        };
        slot.of = shares.get(block.row).copied().unwrap_or(1).max(slot.count);
        slot.first = (0..=slot.of - slot.count).find(|first| free(*first)).unwrap_or(0);
        taken.push((block.window, *slot));
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
