//! Where a booking stands, and how much of it is left; counts down by itself.

use domain::reservation::{State, state};
use domain::text::{When, t};
use domain::wire::page::{BookingPage, Frame};
use leptos::prelude::*;
use time::OffsetDateTime;

use crate::components::booking_state::BookingState;
use crate::live::use_live;
use crate::pages::bookings::utc;

/// State, time left, bar, both ends.
#[component]
pub fn TimeLeft(frame: Frame, page: BookingPage, own: bool) -> impl IntoView {
    let words = &t().booking;
    let live = use_live();
    let booking = page.booking.clone();
    let window = booking.window;
    let cancelled = booking.state == State::Cancelled;
    // By the minute: nothing on the page is finer.
    let minute = Memo::new(move |_| domain::draft::wall::minute(live.now(frame.now)));
    let now = move || if minute.get() == domain::draft::wall::minute(frame.now) { frame.now } else { minute.get() };
    let current = Memo::new(move |_| state(&window, cancelled, now()));
    let zone = StoredValue::new(frame.zone.clone());
    let length = move || {
        zone.with_value(|zone| {
            let when = When::new(zone, now());
            match current.get() {
                State::Active => (words.left)(&when.length(window.end() - now())),
                State::Scheduled => (words.begins_in)(&when.length(window.start() - now())),
                State::Ended | State::Cancelled => String::new(),
            }
        })
    };
    let note = move || match current.get() {
        State::Active => words.begun_note,
        State::Scheduled => words.scheduled_note,
        State::Ended => words.ended_note,
        State::Cancelled => words.cancelled_note,
    };
    let when = When::new(&frame.zone, frame.now);
    let (start, end) = (when.at(window.start()), when.at(window.end()));
    let next = after(&page, &when);
    view! {
        <section class="timebar box" aria-label=words.time>
            <p class="big">
                {move || view! { <BookingState state=current.get() own /> }}
                <b>{length}</b>
                <span class="muted sm">{note}</span>
            </p>
            <div class="run" data-state=move || word(current.get()) style=move || format!("--p:{}%", share(&window, now()))>
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

fn word(state: State) -> &'static str {
    match state {
        State::Active => "active",
        State::Scheduled => "scheduled",
        State::Ended | State::Cancelled => "over",
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
        _ if matches!(page.booking.state, State::Ended | State::Cancelled) => String::new(),
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
