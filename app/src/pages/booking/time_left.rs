//! Where a booking stands, and how much of it is left.

use domain::reservation::State;
use domain::text::{When, t};
use domain::wire::page::{BookingPage, Frame};
use domain::zone::ZoneTable;
use leptos::prelude::*;
use time::{Duration, OffsetDateTime};

use crate::components::booking_state::BookingState;
use crate::pages::bookings::utc;

/// State, time left, bar, both ends.
#[component]
pub fn TimeLeft(frame: Frame, page: BookingPage, own: bool) -> impl IntoView {
    let words = &t().booking;
    let booking = page.booking.clone();
    let (window, now) = (booking.window, frame.now);
    let when = When::new(&frame.zone, now);
    let (until, note) = match booking.state {
        State::Active => (Some(window.end()), words.begun_note),
        State::Scheduled | State::Awaiting | State::Offered => (Some(window.start()), words.scheduled_note),
        State::Ended => (None, words.ended_note),
        State::Cancelled | State::Released | State::Missed => (None, words.cancelled_note),
    };
    let running = booking.state == State::Active;
    // What can be done is said to whoever can do it.
    let note = if until.is_none() || booking.may_change { note } else { "" };
    let (start, end) = (when.at(window.start()), when.at(window.end()));
    let next = after(&page, &when);
    view! {
        <section class="timebar box" aria-label=words.time>
            <p class="big">
                <BookingState state=booking.state own />
                {until.map(|until| view! { <Countdown until now running /> })}
                <span class="muted sm">{note}</span>
            </p>
            <div class="run" data-state=word(booking.state) style=format!("--p:{}%", share(&window, now))>
                <span></span>
            </div>
            <ul class="ends">
                <li>
                    <b>{start}</b>
                </li>
                <li>
                    <b>{end}</b>
                    " "
                    {next}
                </li>
            </ul>
            <p class="muted sm">{(words.zone)(frame.zone.name(), &utc(&booking))}</p>
        </section>
    }
}

/// Counts down by itself, and loads the page anew when the booking begins or ends.
#[cfg_attr(not(feature = "look"), component)]
#[cfg_attr(feature = "look", island)]
fn Countdown(
    /// To this instant.
    until: OffsetDateTime,
    /// The portal's clock when the page was made.
    now: OffsetDateTime,
    /// It has begun.
    running: bool,
) -> impl IntoView {
    let words = &t().booking;
    let left = RwSignal::new(until - now);
    follow(left, until, now);
    let said = move || {
        let utc = ZoneTable::utc();
        let length = When::new(&utc, now).length(left.get());
        if running { (words.left)(&length) } else { (words.begins_in)(&length) }
    };
    view! { <b>{said}</b> }
}

#[cfg(feature = "hydrate")]
fn follow(left: RwSignal<Duration>, until: OffsetDateTime, rendered: OffsetDateTime) {
    // How much time has passed is measured here; what time it is, the portal has said.
    let began = js_sys::Date::now();
    let pace = std::time::Duration::from_secs(10);
    set_interval(
        move || {
            let passed = Duration::seconds_f64((js_sys::Date::now() - began) / 1000.0);
            left.set(until - rendered - passed);
            if left.get_untracked() <= Duration::ZERO {
                let _ = window().location().reload();
            }
        },
        pace,
    );
}

#[cfg(not(feature = "hydrate"))]
fn follow(_left: RwSignal<Duration>, _until: OffsetDateTime, _rendered: OffsetDateTime) {}

fn word(state: State) -> &'static str {
    match state {
        State::Active => "active",
        State::Scheduled | State::Awaiting | State::Offered => "scheduled",
        State::Ended | State::Cancelled | State::Released | State::Missed => "over",
    }
}

/// Share of the span that is over, in percent with one digit.
fn share(window: &domain::window::Window, now: OffsetDateTime) -> f64 {
    let over = (now - window.start()).as_seconds_f64() / window.length().as_seconds_f64();
    (over.clamp(0.0, 1.0) * 1000.0).round() / 10.0
}

/// Who wants one of the cards next, and when.
fn after(page: &BookingPage, when: &When<'_>) -> String {
    let words = &t().booking;
    let end = page.booking.window.end();
    match page.wanted_next.iter().min_by_key(|(_, window, _)| window.start()) {
        _ if !page.booking.state.is_open() => String::new(),
        None => words.then_free.to_owned(),
        Some((_, window, who)) if window.start() <= end => (words.then_at_once)(who),
        Some((_, window, who)) => (words.then_free_until)(&when.at(window.start()), who),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::window::Window;
    use time::macros::datetime;

    #[test]
    fn share_of_the_time() {
        let window = Window::new(datetime!(2026-11-30 08:00 UTC), datetime!(2026-11-30 13:00 UTC)).expect("not empty");
        let share = |at| format!("{}", share(&window, at));
        assert_eq!(share(datetime!(2026-11-30 07:00 UTC)), "0");
        assert_eq!(share(datetime!(2026-11-30 09:12 UTC)), "24");
        assert_eq!(share(datetime!(2026-11-30 09:13 UTC)), "24.3");
        assert_eq!(share(datetime!(2026-11-30 20:00 UTC)), "100");
    }
}
