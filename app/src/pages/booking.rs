//! One booking: what it is, how much of it is left, and the commands that start a job on exactly its cards.

#[cfg(feature = "ssr")]
pub mod acts;
mod explain;
mod launch;
mod panels;
mod people;
mod side;
mod tabs;
mod time_left;

use domain::band::gigabytes;
use domain::card::CardNumber;
use domain::id::ReservationId;
use domain::launch::{HostCards, Plan, by_host};
use domain::text::{BookingText, When, t};
use domain::wire::page::{Booking as Facts, BookingPage, Frame, MovedCard, Person as Colleague};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::bookings::booking;
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::components::person::Person;
use crate::frame::{loaded, title};
use crate::pages::bookings::acts::Acts;
use crate::pages::bookings::fate;
use launch::{Launch, Unlaunched};
use time_left::TimeLeft;

/// The page.
#[component]
pub fn Booking() -> impl IntoView {
    let words = &t().bookings;
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").and_then(|id| id.parse::<ReservationId>().ok()));
    // An address that cannot be a booking's is answered like that of one that is not there.
    let data = Resource::new_blocking(move || id.get().unwrap_or(ReservationId(uuid::Uuid::nil())), booking);
    let acts = Acts::new();
    view! {
        <Page title=words.title class="res">
            {acts.refusal()}
            {loaded(data, move |frame, (page, people)| view! { <Whole frame page people acts /> }.into_any())}
        </Page>
    }
}

#[component]
fn Whole(frame: Frame, page: BookingPage, people: Vec<Colleague>, acts: Acts) -> impl IntoView {
    let booking = page.booking.clone();
    let own = frame.viewer.as_ref().is_some_and(|viewer| viewer.id == booking.owner);
    let running = booking.state.is_open();
    let plan = Plan::from(&page);
    let several = plan.hosts.len() > 1;
    let boxes = (0..plan.hosts.len())
        .map(|at| {
            if own && running {
                view! { <Launch frame=frame.clone() plan=plan.clone() at window=booking.window /> }.into_any()
            } else {
                view! { <Unlaunched host=plan.hosts[at].clone() several /> }.into_any()
            }
        })
        .collect_view();
    let explained = running.then(|| plan.hosts.iter().map(|host| explain::explain(host, several)).collect_view());
    let beside = side::side(&page, &frame, own);
    let shared = people::people(&page, &people, acts);
    let head = head(&page, &people, &frame, own, acts);
    let asked = asked(&page.booking);
    view! {
        {asked}
        {head}
        {trouble(&page.booking, own)}
        {moved(&page, &frame)}
        {shares(&page.booking)}
        <TimeLeft frame=frame.clone() page own />
        <div class="cols">
            <div class="stack">{boxes}</div>
            <div class="stack">{explained} {shared} {beside}</div>
        </div>
    }
}

/// Whoever holds it has just been asked for it.
fn asked(booking: &Facts) -> Option<AnyView> {
    let words = &t().calendar;
    let query = use_query_map().get_untracked();
    let lead = match query.get_str("asked")? {
        "now" => (words.asked)(&booking.holder),
        _ => (words.asked_before)(&booking.holder),
    };
    Some(view! { <Notice tone=Tone::Plain lead /> }.into_any())
}

/// Cards that cannot be used for now: which, why, and what its owner can do. Nothing is changed by itself.
fn trouble(booking: &Facts, own: bool) -> Option<AnyView> {
    let words = &t().booking;
    let open = booking.state.is_open();
    let said: Vec<String> = booking
        .cards
        .iter()
        .filter_map(|card| Some((words.trouble)(card.trouble?, card.number, &card.host_name)))
        .collect();
    (open && !said.is_empty()).then(|| {
        view! {
            <p class="note bad" role="alert">
                <Icon name="sick" />
                <strong>{said.join(" ")}</strong>
                " "
                <span>{words.trouble_why}</span>
                {own.then(|| view! { " " <a href="/book">{words.trouble_way}</a> })}
            </p>
        }
        .into_any()
    })
}

/// Cards of which only shares are booked: how much, and that nobody enforces it.
fn shares(booking: &Facts) -> Option<AnyView> {
    let words = &t().booking;
    let said = booking.cards.iter().filter_map(|card| {
        let memory = card.budget_mib().map(gigabytes);
        Some((words.shares_of)(card.shares?, card.number, &card.host_name, memory.as_deref()))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty())
        .then(|| view! { <Notice tone=Tone::Plain lead=said.join(" ") text=words.shares_why /> }.into_any())
}

/// Cards that have another index now than when they were booked.
fn moved(page: &BookingPage, frame: &Frame) -> Option<AnyView> {
    let words = &t().host;
    let when = When::new(&frame.zone, frame.now);
    let of = |moved: &MovedCard| page.booking.cards.iter().find(|card| card.uuid == moved.card);
    let said = page.moved.iter().filter_map(|moved| {
        let card = of(moved)?;
        Some((words.booking_moved)(&card.host_name, card.number.index, moved.before, &when.at(moved.at)))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| {
        view! {
            <p class="note warn">
                <Icon name="rogue" />
                <strong>{said.join(" ")}</strong>
                " "
                <span>{words.booking_moved_why}</span>
            </p>
        }
        .into_any()
    })
}

/// What it is called, whose it is, and what can be done with it now.
fn head(page: &BookingPage, people: &[Colleague], frame: &Frame, own: bool, acts: Acts) -> AnyView {
    let words = &t().booking;
    let booking = &page.booking;
    let name = if booking.purpose.is_empty() { words.untitled.to_owned() } else { booking.purpose.clone() };
    let hosts = by_host(&booking.cards);
    let cards: Vec<String> = hosts.iter().map(|host| cards_on(words, host)).collect();
    // The first part of the UUID is enough to tell bookings apart by eye.
    let id = booking.id.to_string();
    let short = id.split('-').next().unwrap_or_default();
    let next = page.wanted_next.iter().map(|(_, window, _)| window.start()).min();
    let when = When::new(&frame.zone, frame.now);
    let fate = fate(booking, &when);
    view! {
        <Title text=title(&name) />
        <p class="crumb">
            <a href="/bookings">{t().bookings.title}</a>
            <span aria-hidden="true">"/"</span>
            <span>{(words.short_name)(short)}</span>
        </p>
        <header class="pagehead">
            <div>
                <h1>{name}</h1>
                <p class="ink2 facts">
                    {cards.join("; ")} " · " {words.booked_by} " "
                    <Person name=booking.holder.clone() hue=(!own).then_some(booking.hue) />
                    {fate.map(|fate| view! { " · " <span>{fate}</span> })}
                </p>
            </div>
            <div class="end">
                {(!own).then(|| acts.ask(booking, frame))} {acts.buttons(booking, next, frame)}
                {acts.transfer(booking, people)}
            </div>
        </header>
    }
    .into_any()
}

fn cards_on(words: &BookingText, host: &HostCards) -> String {
    let numbers: Vec<CardNumber> = host.cards.iter().map(|card| card.number).collect();
    (words.cards_on)(&host.host_name, &numbers)
}
