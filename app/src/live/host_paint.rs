//! Keeps a host's page up to date: states and values from the stream in place; what the stream does not have, such as
//! a new process's row, as the server renders it now.

use std::cell::RefCell;
use std::fmt::Write as _;

use domain::band::gigabytes;
use domain::id::{HostId, UserId};
use domain::text::{When, t};
use domain::wire::live_v1::{CardView, Fleet, HostView};
use domain::zone::ZoneTable;
use leptos::prelude::{document, window};
use time::OffsetDateTime;
use web_sys::Element;

use super::dom::{attribute, find, say, set, text};
use super::paint::own;
use super::stream::{Follower, follow};
use super::{fresh, light};
use crate::components::card_words::{CardWords, card_words, icon};
use crate::components::host_words::host_words;
use crate::components::node_words::node_words;

/// What is on the page.
struct Painter {
    viewer: UserId,
    zone: ZoneTable,
    host: HostId,
    cards: Vec<CardWords>,
    /// Everything of which a change needs other markup.
    shape: String,
}

thread_local! {
    static PAINTER: RefCell<Option<Painter>> = const { RefCell::new(None) };
}

/// From now on the page of this host is painted.
pub fn start(viewer: UserId, zone: ZoneTable, host: HostId) {
    PAINTER.set(Some(Painter { viewer, zone, host, cards: Vec::new(), shape: String::new() }));
    follow(Follower { paint, stale: || () });
    light::start();
}

/// Brings the page to `fleet` at `now`.
fn paint(fleet: &Fleet, now: OffsetDateTime) {
    PAINTER.with_borrow_mut(|painter| {
        let Some(painter) = painter else { return };
        match fleet.hosts.iter().find(|host| host.id == painter.host) {
            Some(host) => painter.paint(host, now),
            // The host is gone; the server says so.
            None => _ = window().location().reload(),
        }
    });
}

impl Painter {
    fn paint(&mut self, host: &HostView, now: OffsetDateTime) {
        let when = When::new(&self.zone, now);
        let words: Vec<CardWords> = host.cards.iter().map(|card| card_words(card, host, self.viewer, &when)).collect();
        let shape = shape(host, &words);
        if fresh::apply() {
            // What was put in is from another moment.
            self.cards.clear();
        }
        let changed = !self.shape.is_empty() && self.shape != shape;
        fresh::ask(changed);
        self.shape = shape;

        let root = document().document_element();
        let said = host_words(host, &when);
        attribute(&root, "[data-beat]", "class", said.beat_class);
        text(&root, "[data-beat]", &said.beat);
        let mut news = String::new();
        for (at, (card, words)) in host.cards.iter().zip(&words).enumerate() {
            let before = self.cards.get(at);
            if before != Some(words) {
                paint_card(host, card, words);
            }
            if before.is_some_and(|before| before.band.state != words.band.state && own(before)) {
                let band = format!("{} {}", words.band.lead, words.band.rest);
                news += &(t().now.card_is)(&host.name, card.facts.number(), &band);
                news.push(' ');
            }
            paint_values(card);
        }
        self.cards = words;
        if !news.is_empty() {
            text(&root, "[data-news]", &news);
        }
    }
}

fn shape(host: &HostView, words: &[CardWords]) -> String {
    let mut shape = String::new();
    shape += &serde_json::to_string(&host.pulse.nvml).unwrap_or_default();
    for (card, words) in host.cards.iter().zip(words) {
        let _ = write!(shape, "{}{}{}", card.facts.uuid, words.band.state.as_str(), card.facts.index);
        shape += card.bookings.first().map_or("", |booking| &booking.holder);
        for process in card.truth.processes.iter().flatten() {
            let _ = write!(shape, " {} {} {}", process.pid, process.state as u8, process.people.len());
        }
        shape.push(if card.truth.processes.is_some() { ';' } else { '?' });
    }
    shape
}

fn one(name: &str, value: &str) -> Option<Element> {
    find(&document().document_element(), &format!("[{name}=\"{value}\"]"))
}

/// State and words: in the picture, in the bar and the table of instances.
fn paint_card(host: &HostView, card: &CardView, words: &CardWords) {
    let uuid = card.facts.uuid.as_str();
    let state = words.band.state;
    let parts = host.parts(&card.facts.uuid).count();
    let said = node_words(words, &card.facts.number().to_string(), parts);
    if let Some(node) = one("data-node", uuid) {
        set(&node, "data-state", Some(state.as_str()));
        set(&node, "aria-label", Some(&said.label));
        let share = card.truth.sample.utilisation_percent.get().unwrap_or(0).min(100);
        set(&node, "style", Some(&format!("--share:{share}")));
        let node = Some(node);
        text(&node, ".w", &said.word);
        text(&node, ".u", &words.truth.utilisation);
    }
    if let Some(slice) = one("data-slice", uuid) {
        set(&slice, "data-state", Some(state.as_str()));
    }
    let row = one("data-row", uuid);
    attribute(&row, ".st", "data-state", state.as_str());
    attribute(&row, ".st use", "href", &format!("#i-{}", icon(state)));
    text(&row, ".st span", &said.word);
}

/// Numbers in the tables.
fn paint_values(card: &CardView) {
    let sample = &card.truth.sample;
    let row = one("data-row", card.facts.uuid.as_str());
    let number = |name: &str, value: Option<u32>| {
        if let Some(value) = value {
            text(&row, &format!("[data-value={name}]"), &value.to_string());
        }
    };
    number("sm", sample.sm_clock_mhz.get());
    number("heat", sample.temperature_celsius.get());
    number("power", sample.power_milliwatts.get().map(|drawn| drawn.saturating_add(500) / 1000));
    if let Some(used) = sample.memory_used_mib.get() {
        text(&row, "[data-value=memory]", &gigabytes(used));
    }
    for process in card.truth.processes.iter().flatten() {
        let Some(memory) = process.memory_mib.get() else { continue };
        if let Some(cell) = one("data-memory", &format!("{} {}", card.facts.uuid, process.pid)) {
            say(&cell, &(t().host.gigabytes)(&gigabytes(memory)));
        }
    }
}
