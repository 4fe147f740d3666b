//! Keeps the tiles of the live page up to date: finds what the server rendered and changes texts and attributes in
//! place. Nothing is inserted or moved; a host or card that is new loads the page again.

use std::cell::RefCell;

use domain::band::{Act, State};
use domain::id::UserId;
use domain::text::{When, t};
use domain::user::initials;
use domain::wire::live_v1::{CardView, Fleet, HostView};
use domain::zone::ZoneTable;
use leptos::prelude::{document, window, window_event_listener_untyped};
use time::OffsetDateTime;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlFormElement, HtmlInputElement};

use super::dom::{all, attribute, children, find, hide, set, text};
use super::stream::{Follower, follow};

use crate::components::card_words::{self, CardWords, card_words, icon, pickable};
use crate::components::filters::Show;
use crate::components::host_words::{HostWords, host_words};

/// What is on the page.
struct Painter {
    viewer: UserId,
    zone: ZoneTable,
    show: Show,
    hosts: Vec<HostWords>,
    cards: Vec<CardWords>,
}

thread_local! {
    static PAINTER: RefCell<Option<Painter>> = const { RefCell::new(None) };
}

/// From now on the page is painted.
pub fn start(viewer: UserId, zone: ZoneTable, show: &str) {
    let show = Show::parse(Some(show));
    PAINTER.set(Some(Painter { viewer, zone, show, hosts: Vec::new(), cards: Vec::new() }));
    follow(Follower { paint, stale: || () });
    let _ = window_event_listener_untyped("change", |event| {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        if target.has_attribute("data-sends")
            && let Some(form) = target.closest("form").ok().flatten()
        {
            let _ = form.unchecked_into::<HtmlFormElement>().submit();
        }
        count_picked();
    });
    let _ = window_event_listener_untyped("click", |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target.is_some_and(|target| target.closest("[aria-disabled=true]").ok().flatten().is_some()) {
            event.prevent_default();
        }
    });
    count_picked();
}

/// Brings the page to `fleet` at `now`.
fn paint(fleet: &Fleet, now: OffsetDateTime) {
    PAINTER.with_borrow_mut(|painter| {
        if let Some(painter) = painter
            && !painter.paint(fleet, now)
        {
            let _ = window().location().reload();
        }
    });
}

impl Painter {
    /// `false` where hosts and cards are not those of the page.
    fn paint(&mut self, fleet: &Fleet, now: OffsetDateTime) -> bool {
        let when = When::new(&self.zone, now);
        let sections = all("[data-host]");
        if sections.len() != fleet.hosts.len() {
            return false;
        }
        let mut hosts = Vec::new();
        let mut cards = Vec::new();
        let mut news = String::new();
        for (section, host) in sections.iter().zip(&fleet.hosts) {
            let words = host_words(host, &when);
            if self.hosts.get(hosts.len()) != Some(&words) {
                paint_host(section, &words);
            }
            hosts.push(words);
            let tiles = children(section, "[data-card]");
            let same = |(tile, card): (&Element, &CardView)| {
                tile.get_attribute("data-card").as_deref() == Some(card.facts.uuid.as_str())
            };
            if tiles.len() != host.cards.len() || !tiles.iter().zip(&host.cards).all(same) {
                return false;
            }
            for (tile, card) in tiles.iter().zip(&host.cards) {
                let words = card_words(card, host, self.viewer, &when);
                let before = self.cards.get(cards.len());
                if before != Some(&words) {
                    paint_card(tile, host, card, &words);
                }
                if before.is_some_and(|before| before.band.state != words.band.state && own(before)) {
                    let band = &words.band;
                    news +=
                        &(t().now.card_is)(&host.name, card.facts.number(), &format!("{} {}", band.lead, band.rest));
                    news.push(' ');
                }
                cards.push(words);
            }
        }
        self.hosts = hosts;
        self.cards = cards;
        self.paint_counts();
        if !news.is_empty() {
            text(&document().document_element(), "[data-news]", &news);
        }
        true
    }

    fn paint_counts(&self) {
        let root = document().document_element();
        for show in Show::ALL {
            let count = self.cards.iter().filter(|card| show.admits(card.band.state)).count();
            text(&root, &format!("[data-count={}]", show.word()), &count.to_string());
        }
        // What matches by now and is not shown, on hosts that are shown.
        let hidden = all("[data-card]");
        let more = hidden
            .iter()
            .zip(&self.cards)
            .filter(|(tile, card)| tile.has_attribute("hidden") && self.show.admits(card.band.state));
        let more = more.count();
        if let Some(link) = find(&root, "[data-more]") {
            let other_host = window().location().search().is_ok_and(|search| search.contains("host="));
            hide(&link, more == 0 || other_host);
            text(&root, "[data-more]", &(t().now.more_match)(more));
        }
    }
}

/// Whether the viewer holds it.
pub(super) fn own(words: &CardWords) -> bool {
    words.band.state == State::Mine || matches!(words.band.act, Act::Open(_))
}

fn paint_host(section: &Element, words: &HostWords) {
    let root = Some(section.clone());
    if let Some(beat) = find(&root, "header .live") {
        set(&beat, "class", Some(words.beat_class));
    }
    text(&root, "header .live", &words.beat);
    text(&root, ".models", &words.models);
    text(&root, ".facts", &words.facts);
    let (lead, why) = &words.trouble;
    text(&root, ".note strong", lead);
    text(&root, ".note span", why);
    if let Some(note) = find(&root, ".note") {
        hide(&note, lead.is_empty());
    }
}

fn paint_card(tile: &Element, host: &HostView, card: &CardView, words: &CardWords) {
    let root = Some(tile.clone());
    let (band, truth) = (&words.band, &words.truth);
    set(tile, "class", Some(words.class));
    set(tile, "data-state", Some(band.state.as_str()));
    text(&root, "header p b", &band.lead);
    text(&root, "header p span", &band.rest);
    text(&root, ".next", &band.side);
    let flag = |selector: &str, hidden: bool| {
        if let Some(element) = find(&root, selector) {
            hide(&element, hidden);
        }
    };
    attribute(&root, ".next", "class", if band.side_idle { "next idle" } else { "next" });
    let (name, hue) = band.holder.clone().unwrap_or_default();
    flag("header .av", band.holder.is_none());
    flag("header > .i", band.holder.is_some());
    text(&root, "header .av", &initials(&name));
    attribute(&root, "header .av", "style", &format!("--hue:{hue}"));
    attribute(&root, "header use", "href", &format!("#i-{}", icon(band.state)));
    let act = card_words::act(band.act, card, &host.name);
    flag("header .btn", act.is_none());
    if let Some((href, label, word)) = act {
        attribute(&root, "header .btn", "href", &href);
        attribute(&root, "header .btn", "aria-label", &label);
        text(&root, "header .btn", word);
    }
    if let Some(tick) = find(&root, "input").and_then(|input| input.dyn_into::<HtmlInputElement>().ok()) {
        tick.set_disabled(!pickable(band.state));
    }
    text(&root, "output", &truth.utilisation);
    attribute(&root, ".a", "d", &words.trace.0);
    attribute(&root, ".l", "d", &words.trace.1);
    attribute(&root, ".meter", "style", &format!("--w:{}%", truth.memory_percent));
    attribute(&root, ".meter", "aria-valuenow", &truth.memory_percent.to_string());
    text(&root, ".mem span", &truth.memory);
    text(&root, ".who b", &truth.who);
    text(&root, ".who code", &truth.command);
    text(&root, ".who span", &truth.more);
    attribute(&root, ".heat > :first-child", "class", if truth.hot { "val hotval" } else { "val" });
    attribute(&root, ".heat > :last-child", "class", if truth.near_limit { "val warnval" } else { "val" });
    text(&root, ".heat > :first-child span", &truth.heat);
    text(&root, ".heat > :last-child span", &truth.power);
}

fn count_picked() {
    let count = all("[name=card]:checked").len();
    let words = &t().now;
    let label = if count == 0 { words.book_picked_some.to_owned() } else { (words.book_picked)(count) };
    text(&document().document_element(), "[data-pick]", &label);
}
