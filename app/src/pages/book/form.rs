//! The form around the list of cards: rendered by the server, kept true by [`super::pilot`].

use domain::draft::Draft;
use domain::draft::offer::Known;
use domain::draft::wall::Which;
use domain::text::t;
use domain::zone::ZoneTable;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::cards::Cards;
use super::fields::{END, PURPOSE, START, which_id};
use super::look::{ConflictLook, LENGTHS, Look, TimeLook, look};
use super::pilot::Pilot;
use crate::api::bookings::BookPage;
use crate::components::icon::Icon;

/// As many bookings of each card travel to the browser.
const KNOWN_MOST: usize = 8;

/// What the form begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Zone of the two times.
    pub zone: ZoneTable,
    /// The portal's clock, in seconds.
    pub now: i64,
    /// Cards and what is known to be booked on them.
    pub known: Vec<Known>,
    /// Idempotency key.
    pub key: String,
    /// The form was sent and came back.
    pub done: bool,
}

/// The form as `draft` fills it. `done` where it was sent and came back.
#[component]
pub fn BookForm(page: BookPage, zone: ZoneTable, draft: Draft, done: bool) -> impl IntoView {
    let words = &t().book;
    let now = page.fleet.now;
    let look = look(&draft, &page.known, &zone, now, done);
    let start = start(&page, &zone, now, &draft, done);
    let zone_name = zone.name().to_owned();
    view! {
        <Pilot start>
            <input type="hidden" name="form[zone]" value=zone_name.clone() />
            <input type="hidden" name="form[key]" value=draft.key.clone() />
            <section class="box pickcards" role="group" aria-labelledby="cards-h" aria-describedby="cards-note">
                <header>
                    <h2 id="cards-h">{words.cards}</h2>
                    <p role="status" id="cards-count" class="scripted">
                        {look.picked.clone()}
                    </p>
                </header>
                <p class="err" id="cards-note" role="alert">
                    {look.cards_error.clone()}
                </p>
                <Cards page zone draft=draft.clone() taken=look.taken.clone() />
            </section>
            <div class="bookside">
                <section class="box" role="group" aria-labelledby="when-h">
                    <header>
                        <h2 id="when-h">{words.when}</h2>
                        <p class="end">{zone_name} " " <span id="utc" class="scripted">{look.utc.clone()}</span></p>
                    </header>
                    <div class="pad form">
                        <div class="two">
                            {time_field(START, words.start, &draft.start, draft.start_which, look.start.clone())}
                            {time_field(END, words.end, &draft.end, draft.end_which, look.end.clone())}
                        </div>
                        {lengths(&look)}
                    </div>
                </section>
                {conflict(look.conflict.clone())}
                <section class="box">
                    <div class="pad">{purpose(&draft, &look)}</div>
                </section>
                <button class="btn primary big wide" id="book-button">
                    <span class="busy" hidden></span>
                    <span id="book-label" class="scripted">
                        {look.label}
                    </span>
                    // What is ticked is not known here.
                    <span class="unscripted">{words.title}</span>
                </button>
            </div>
        </Pilot>
    }
}

/// As one text: the browser reads it with the same code as an answer of the portal.
fn start(page: &BookPage, zone: &ZoneTable, now: OffsetDateTime, draft: &Draft, done: bool) -> String {
    let mut known = page.known.clone();
    known.iter_mut().for_each(|card| card.shorten(KNOWN_MOST));
    let start = Start { zone: zone.clone(), now: now.unix_timestamp(), known, key: draft.key.clone(), done };
    // Strings, numbers and lists always become JSON.
    serde_json::to_string(&start).unwrap_or_default()
}

fn time_field(id: &'static str, label: &'static str, value: &str, which: Option<Which>, look: TimeLook) -> AnyView {
    let note = format!("{id}-note");
    let name = id;
    let (first, second) = look.twice.clone().unwrap_or_default();
    let choice = |meaning: Which, words: String| {
        let name = format!("{}_which]", name.trim_end_matches(']'));
        view! {
            <label class="check">
                <input
                    type="radio"
                    name=name
                    id=which_id(id, meaning)
                    value=meaning.as_str()
                    checked=which == Some(meaning)
                />
                <span>{words}</span>
            </label>
        }
        .into_any()
    };
    let choices = view! { {choice(Which::First, first)} {choice(Which::Second, second)} }.into_any();
    let (way, at) = look.way.clone().unwrap_or_default();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input
                class="input"
                type="datetime-local"
                id=id
                name=name
                value=value.to_owned()
                required
                aria-invalid=(!look.error.is_empty()).then_some("true")
                aria-describedby=note.clone()
            />
            <div class="row twice" id=format!("{id}-twice") hidden=look.twice.is_none()>
                {choices}
            </div>
            <small id=note class="err" role="alert">
                {look.error}
            </small>
            <div class="scripted">
                <button type="button" class="btn small" id=format!("{id}-way") data-at=at.to_string() hidden=look.way.is_none()>
                    {way}
                </button>
            </div>
        </div>
    }
    .into_any()
}

fn lengths(look: &Look) -> AnyView {
    let words = &t().book;
    let chosen = look.hours;
    let chips = LENGTHS
        .into_iter()
        .map(|hours| {
            view! {
                <button
                    type="button"
                    class="chip"
                    data-hours=hours.to_string()
                    aria-pressed=if chosen == Some(hours) { "true" } else { "false" }
                >
                    {(words.hours)(hours)}
                </button>
            }
        })
        .collect_view();
    view! {
        <div class="row scripted" id="lengths" role="group" aria-label=words.lengths>
            {chips}
            <button type="button" class="chip" data-morning="">
                {(words.until_tomorrow)("09:00")}
            </button>
        </div>
    }
    .into_any()
}

fn conflict(look: Option<ConflictLook>) -> AnyView {
    let none = look.is_none();
    let ConflictLook { head, who, ways } =
        look.unwrap_or(ConflictLook { head: String::new(), who: Vec::new(), ways: Vec::new() });
    let who = who.into_iter().map(|line| view! { <li>{line}</li> }).collect_view();
    let ways = ways
        .into_iter()
        .map(|(words, href)| {
            view! {
                <li>
                    <a href=href>{words}</a>
                </li>
            }
        })
        .collect_view();
    view! {
        <div role="alert">
            <div class="conflict" id="conflict" hidden=none>
                <p class="hd">
                    <Icon name="rogue" />
                    <strong id="conflict-head">{head}</strong>
                </p>
                <ul class="who" id="conflict-who">
                    {who}
                </ul>
                <ul class="ways" id="conflict-ways">
                    {ways}
                </ul>
            </div>
        </div>
    }
    .into_any()
}

fn purpose(draft: &Draft, look: &Look) -> AnyView {
    let words = &t().book;
    view! {
        <div class="field">
            <label for=PURPOSE>{words.purpose}</label>
            <input
                class="input"
                id=PURPOSE
                name=PURPOSE
                value=draft.purpose.clone()
                aria-invalid=(!look.purpose_error.is_empty()).then_some("true")
                aria-describedby="form[purpose]-note purpose-hint"
            />
            <small id="form[purpose]-note" class="err" role="alert">
                {look.purpose_error.clone()}
            </small>
            <small id="purpose-hint">{words.purpose_hint}</small>
        </div>
    }
    .into_any()
}
