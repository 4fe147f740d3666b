//! A booking at a glance, beside its bar.

use domain::card::CardNumber;
use domain::reservation::State;
use domain::reservation::edit::Scope;
use domain::text::{When, t};
use domain::wire::calendar::{Calendar, CalendarBooking};
use leptos::prelude::*;

use super::desk::{Desk, Plan, use_desk};
use crate::components::confirm::Confirm;
use crate::components::icon::Icon;
use crate::components::person::Avatar;

/// Shown while [`Desk::opened`] names a booking.
#[component]
pub fn Popover() -> impl IntoView {
    let Some(desk) = use_desk() else { return ().into_any() };
    let opened = move || {
        let (id, x, y) = desk.opened.get()?;
        let found = desk.calendar.with(|calendar| {
            let booking = calendar.bookings.iter().find(|booking| booking.id == id)?;
            Some((booking.clone(), cards(calendar, booking)))
        });
        let (booking, cards) = found?;
        Some(popover(desk, booking, cards, x, y))
    };
    opened.into_any()
}

/// Its cards, one line for each host.
fn cards(calendar: &Calendar, booking: &CalendarBooking) -> Vec<String> {
    let of = |host: &domain::wire::calendar::CalendarHost| {
        let held = host.cards.iter().filter(|card| booking.holds.iter().any(|hold| hold.card == card.uuid));
        let numbers: Vec<CardNumber> = held.map(|card| card.number).collect();
        (!numbers.is_empty()).then(|| (t().calendar.cards_on)(&host.name, &numbers))
    };
    calendar.hosts.iter().filter_map(of).collect()
}

fn popover(desk: Desk, booking: CalendarBooking, cards: Vec<String>, x: f64, y: f64) -> AnyView {
    let words = &t().calendar;
    let own = booking.owner == desk.viewer();
    let name = if own { words.you.to_owned() } else { booking.holder.clone() };
    let time = desk.with_zone(|zone| {
        let when = When::new(zone, desk.now());
        format!("{}, {}", when.range(&booking.window), when.length(booking.window.length()))
    });
    let state = match booking.state {
        State::Awaiting => words.awaiting,
        State::Offered => words.offered,
        State::Ended => words.ended,
        State::Released => words.released,
        State::Missed => words.missed,
        State::Scheduled | State::Active | State::Cancelled => "",
    };
    let waiting = (booking.waiting > 0).then(|| (words.waiting)(booking.waiting));
    let label = name.clone();
    let frame = NodeRef::<leptos::html::Div>::new();
    #[cfg(feature = "hydrate")]
    Effect::new(move || {
        if let Some(frame) = frame.get() {
            let _ = frame.focus();
        }
    });
    let marks =
        [booking.repeats.then(|| words.repeats.to_owned()), waiting, (!state.is_empty()).then(|| state.to_owned())];
    let marks: Vec<String> = marks.into_iter().flatten().collect();
    let close = move |_| desk.opened.set(None);
    view! {
        <div
            class="calpop"
            role="dialog"
            aria-label=label
            tabindex="-1"
            node_ref=frame
            style=("--x", x.to_string())
            style=("--y", y.to_string())
        >
            <header>
                <Avatar name=booking.holder.clone() hue=(!own).then_some(booking.hue) />
                <p>
                    <b>{name.clone()}</b>
                    <span>{booking.purpose.clone()}</span>
                </p>
                <button type="button" class="btn quiet icon" aria-label=words.close on:click=close>
                    <Icon name="x" />
                </button>
            </header>
            <p>{time}</p>
            {cards.into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
            {(!marks.is_empty()).then(|| view! { <p class="muted">{marks.join(" · ")}</p> })}
            <div class="row">
                <a class="btn primary small" href=format!("/bookings/{}", booking.id)>
                    {words.open}
                </a>
                {booking.may_change.then(|| acts(desk, &booking))}
            </div>
            {(!own && !booking.co_user && booking.state.is_open()).then(|| super::ask::ask(desk, &booking))}
        </div>
    }
    .into_any()
}

/// Change it in the panel; give it back, once somebody has read what that does.
fn acts(desk: Desk, booking: &CalendarBooking) -> AnyView {
    let words = &t().calendar;
    let plan = Plan::of(booking, desk.now());
    let change = move |_| {
        desk.opened.set(None);
        desk.plan.set(Some(plan.clone()));
    };
    let more = &t().bookings;
    let running = booking.state == State::Active;
    let (label, sentence) = if running { (words.end_now, more.end_sure) } else { (words.cancel, more.cancel_sure) };
    let ways = match (running, booking.repeats) {
        (true, _) => vec![(more.end_yes, Scope::One)],
        (false, true) => vec![(more.cancel_one, Scope::One), (more.cancel_following, Scope::Following)],
        (false, false) => vec![(more.cancel_yes, Scope::One)],
    };
    let ways = ways.into_iter().map(|(label, scope)| give_back(desk, booking, label, scope)).collect_view();
    view! {
        <button type="button" class="btn small" on:click=change>
            {words.change}
        </button>
        <Confirm label about=label.to_owned() sentence>
            {ways}
        </Confirm>
    }
    .into_any()
}

fn give_back(desk: Desk, booking: &CalendarBooking, label: &'static str, scope: Scope) -> AnyView {
    let booking = booking.clone();
    let act = move |_| {
        desk.opened.set(None);
        #[cfg(feature = "hydrate")]
        super::stage::send::give_back(desk, &booking, scope);
        #[cfg(not(feature = "hydrate"))]
        let _ = (&booking, scope);
    };
    view! {
        <button type="button" class="btn small danger" on:click=act>
            {label}
        </button>
    }
    .into_any()
}
