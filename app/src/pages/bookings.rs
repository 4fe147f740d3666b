//! The viewer's bookings and everybody else's, and what can be done with each.

pub mod acts;

use domain::finder::Span;
use domain::launch::by_host;
use domain::reservation::{Fate, State};
use domain::text::{When, t};
use domain::wire::calendar::{WaitMode, Waiting};
use domain::wire::page::{Booking, Frame};
use leptos::prelude::*;
use time::OffsetDateTime;

use crate::api::bookings::{BookingsPage, bookings};
use crate::components::booking_state::BookingState;
use crate::components::icon::Icon;
use crate::components::page::Page;
use crate::components::person::Person;
use crate::frame::loaded;
use acts::Acts;

/// What a booking is called: its purpose, or that it has none.
#[must_use]
pub fn name(booking: &Booking) -> String {
    if booking.purpose.is_empty() { t().bookings.untitled.to_owned() } else { booking.purpose.clone() }
}

/// The page.
#[component]
pub fn Bookings() -> impl IntoView {
    let words = &t().bookings;
    let data = Resource::new_blocking(|| (), |()| bookings());
    let acts = Acts::new();
    view! {
        <Page title=words.title class="bookings">
            <header class="pagehead">
                <h1>{words.title}</h1>
                <div class="end">
                    <a class="btn primary" href="/book">
                        <Icon name="plus" />
                        {words.find}
                    </a>
                </div>
            </header>
            {acts.refusal()}
            {loaded(data, move |frame, page| all(&frame, page, acts))}
        </Page>
    }
}

fn all(frame: &Frame, page: BookingsPage, acts: Acts) -> AnyView {
    let words = &t().bookings;
    let BookingsPage { lists, waiting } = page;
    let taken: Vec<Booking> = lists.mine.iter().chain(&lists.others).cloned().collect();
    let none = lists.mine.is_empty();
    let (running, to_come): (Vec<_>, Vec<_>) =
        lists.mine.into_iter().partition(|booking| booking.state == State::Active);
    // What others ask for comes first for those who decide about it.
    let (asked, rest): (Vec<Booking>, Vec<Booking>) = lists.others.into_iter().partition(|booking| booking.may_approve);
    let listed = |id: &'static str, heading: &'static str, bookings: Vec<Booking>, others: bool| {
        (!bookings.is_empty()).then(|| section(id, heading, table(frame, bookings, &taken, others, acts)))
    };
    view! {
        {listed("asked", words.asked, asked, true)}
        {none.then(nothing)}
        {listed("running", words.running, running, false)}
        {listed("to-come", words.to_come, to_come, false)}
        {(!waiting.is_empty()).then(|| section("waiting", words.waiting, waits(frame, &waiting, acts)))}
        {if rest.is_empty() {
            section("others", words.others, view! { <p class="pad muted sm">{words.others_none}</p> }.into_any())
        } else {
            section("others", words.others, table(frame, rest, &taken, true, acts))
        }}
        {listed("past", words.past, lists.past, false)}
    }
    .into_any()
}

fn section(id: &'static str, heading: &'static str, inside: AnyView) -> AnyView {
    view! {
        <section class="box" aria-labelledby=id>
            <header>
                <h2 id=id>{heading}</h2>
            </header>
            {inside}
        </section>
    }
    .into_any()
}

fn nothing() -> AnyView {
    let words = &t().bookings;
    let inside = view! {
        <div class="pad">
            <div class="empty">
                <Icon name="mine" />
                <h3>{words.none}</h3>
                <p>{words.none_why}</p>
                <div>
                    <a class="btn primary" href="/book">
                        {words.find}
                    </a>
                </div>
            </div>
        </div>
    };
    section("mine", words.mine, inside.into_any())
}

/// The viewer's places in the queue.
fn waits(frame: &Frame, waiting: &[Waiting], acts: Acts) -> AnyView {
    let words = &t().bookings;
    let when = When::new(&frame.zone, frame.now);
    let rows = waiting
        .iter()
        .map(|wait| {
            let model = wait.want.model.as_deref().unwrap_or_default();
            let span = match wait.want.when {
                Span::At(window) => when.range(&window),
                Span::Earliest { .. } => (words.wait_earliest)(&when.length(wait.want.when.length())),
            };
            let mode = match wait.mode {
                WaitMode::Tell => words.wait_tell,
                WaitMode::Book => words.wait_book,
            };
            let name = if wait.purpose.is_empty() { words.untitled.to_owned() } else { wait.purpose.clone() };
            view! {
                <li>
                    <b>{(words.wait_for)(wait.want.count, model)}</b>
                    <span>{span}</span>
                    <span class="muted">{name}</span>
                    <span class="st" data-state="booked">
                        <Icon name="wait" />
                        {(words.wait_position)(wait.position)}
                    </span>
                    <small class="muted">{mode} " " {(words.wait_until)(&when.at(wait.until))}</small>
                    {acts.stop_waiting(wait.id)}
                </li>
            }
        })
        .collect_view();
    view! { <ul class="waits pad">{rows}</ul> }.into_any()
}

fn table(frame: &Frame, bookings: Vec<Booking>, taken: &[Booking], others: bool, acts: Acts) -> AnyView {
    let words = &t().bookings;
    let rows = bookings.into_iter().map(|booking| row(frame, &booking, taken, others, acts)).collect_view();
    view! {
        <table class="data bookinglist">
            <thead>
                <tr>
                    <th>{words.booking}</th>
                    {others.then(|| view! { <th>{words.holder}</th> })}
                    <th>{words.cards}</th>
                    <th>{words.when}</th>
                    <th>{words.state}</th>
                    <th>
                        <span class="sr">{words.acts}</span>
                    </th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

fn row(frame: &Frame, booking: &Booking, taken: &[Booking], others: bool, acts: Acts) -> AnyView {
    let words = &t().bookings;
    let when = When::new(&frame.zone, frame.now);
    let own = frame.viewer.as_ref().is_some_and(|viewer| viewer.id == booking.owner);
    let class = if booking.purpose.is_empty() { "lnk muted" } else { "lnk" };
    let shared = (!own && !others).then(|| (words.shared_by)(&booking.holder));
    view! {
        <tr>
            <th scope="row" class="wrap">
                <a class=class href=format!("/bookings/{}", booking.id)>
                    {name(booking)}
                </a>
                {booking
                    .series
                    .is_some()
                    .then(|| view! { " " <span title=words.repeats><Icon name="repeat" small=true /></span> })}
                {shared.map(|shared| view! { " " <small class="muted">{shared}</small> })}
            </th>
            {others
                .then(|| {
                    view! {
                        <td>
                            <Person name=booking.holder.clone() hue=(!own).then_some(booking.hue) />
                        </td>
                    }
                })}
            <td class="wrap">{cards(booking)} {unusable(booking)}</td>
            <td title=utc(booking)>{when.range(&booking.window)}</td>
            <td>
                <BookingState state=booking.state own />
                {fate(booking, &when).map(|words| view! { <small class="fate">{words}</small> })}
            </td>
            <td class="acts">
                <div class="row">{acts.buttons(booking, wanted_next(booking, taken), frame)}</div>
            </td>
        </tr>
    }
    .into_any()
}

/// When another booking wants one of the cards, after this one.
fn wanted_next(booking: &Booking, taken: &[Booking]) -> Option<OffsetDateTime> {
    let end = booking.window.end();
    let wants = |other: &&Booking| {
        other.id != booking.id
            && other.window.start() >= end
            && other.cards.iter().any(|card| booking.cards.iter().any(|own| own.uuid == card.uuid))
    };
    taken.iter().filter(wants).map(|other| other.window.start()).min()
}

/// What a booking waits for, or why it ended.
#[must_use]
pub fn fate(booking: &Booking, when: &When<'_>) -> Option<String> {
    let words = &t().bookings;
    let until = booking.awaits_until.map(|until| when.at(until));
    match (booking.state, booking.fate) {
        (State::Awaiting, _) => until.map(|until| (words.awaits_until)(&until)),
        (State::Offered, _) => until.map(|until| (words.offered_until)(&until)),
        (_, Some(Fate::Refused)) => Some((words.refused)(booking.fate_why.as_deref().unwrap_or_default())),
        (_, Some(Fate::Lapsed)) => Some(words.lapsed.to_owned()),
        (_, Some(Fate::Released)) => Some((words.released_why)(booking.fate_why.as_deref().unwrap_or_default())),
        (_, Some(Fate::Missed)) => Some((words.missed_why)(booking.fate_why.as_deref().unwrap_or_default())),
        _ => None,
    }
}

/// Hosts and indices of a booking: `dgx-h100: 0, 1`.
fn cards(booking: &Booking) -> String {
    let host = |host: &domain::launch::HostCards| {
        let indices: Vec<String> = host.cards.iter().map(|card| card.number.to_string()).collect();
        (t().bookings.cards_on)(&host.host_name, &indices.join(", "))
    };
    by_host(&booking.cards).iter().map(host).collect::<Vec<_>>().join("; ")
}

/// A mark where cards of a booking that is not over cannot be used for now; its page says why.
fn unusable(booking: &Booking) -> Option<AnyView> {
    let open = booking.state.is_open();
    let count = booking.cards.iter().filter(|card| card.trouble.is_some()).count();
    (open && count > 0).then(|| {
        view! {
            " "
            <span class="st" data-state="sick">
                <Icon name="sick" />
                {(t().bookings.unusable)(count)}
            </span>
        }
        .into_any()
    })
}

/// The span in coordinated universal time, with its dates.
#[must_use]
pub fn utc(booking: &Booking) -> String {
    let zone = domain::zone::ZoneTable::utc();
    let span = When::new(&zone, booking.window.start()).range(&booking.window);
    (t().book.in_utc)(&span)
}
