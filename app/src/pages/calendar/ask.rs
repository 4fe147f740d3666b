//! What can be asked about a booking of somebody else: its holder, or that one is told, or served, when such cards are free.

use domain::calendar::wants::{is_same, wait_for};
use domain::reservation::State;
use domain::text::t;
use domain::wire::calendar::{CalendarBooking, WaitMode};
use leptos::prelude::*;

use super::desk::Desk;

/// The buttons. What would be refused is not there.
pub fn ask(desk: Desk, booking: &CalendarBooking) -> AnyView {
    let words = &t().calendar;
    let (id, holder) = (booking.id, booking.holder.clone());
    // Whoever waits for an answer has nothing to give away yet.
    let asks = matches!(booking.state, State::Scheduled | State::Active).then(|| {
        let note = (words.ask_note)(&holder);
        let send = move |_| {
            desk.opened.set(None);
            #[cfg(feature = "hydrate")]
            super::stage::send::ask_holder(desk, id, holder.clone());
            #[cfg(not(feature = "hydrate"))]
            let _ = (id, &holder);
        };
        view! {
            <button type="button" class="btn small" title=note on:click=send>
                {words.ask}
            </button>
        }
    });
    view! {
        <div class="row">{asks}</div>
        {wait(desk, booking)}
    }
    .into_any()
}

/// Takes a place in the queue, or gives it up.
fn wait(desk: Desk, booking: &CalendarBooking) -> Option<AnyView> {
    let words = &t().calendar;
    let calendar = desk.calendar.get_untracked();
    let ask = |mode| wait_for(booking, &calendar.hosts, mode, desk.now());
    let (tell, book) = ask(WaitMode::Tell).zip(ask(WaitMode::Book))?;
    if let Some(place) = calendar.waiting.iter().find(|place| is_same(&place.want, &tell.want)) {
        let id = place.id;
        let stop = move |_| {
            desk.opened.set(None);
            #[cfg(feature = "hydrate")]
            super::stage::send::stop_waiting(desk, id);
            #[cfg(not(feature = "hydrate"))]
            let _ = id;
        };
        let said = (words.you_wait)(&(t().bookings.wait_position)(place.position));
        return Some(
            view! {
                <div class="waits">
                    <p>{said}</p>
                    <button type="button" class="btn small" on:click=stop>
                        {t().bookings.stop_waiting}
                    </button>
                </div>
            }
            .into_any(),
        );
    }
    let way = |label: &'static str, ask: domain::wire::calendar::WaitAsk| {
        let take = move |_| {
            desk.opened.set(None);
            #[cfg(feature = "hydrate")]
            super::stage::send::wait(desk, ask.clone());
            #[cfg(not(feature = "hydrate"))]
            let _ = &ask;
        };
        view! {
            <button type="button" class="btn small" on:click=take>
                {label}
            </button>
        }
        .into_any()
    };
    Some(
        view! {
            <div class="waits" role="group" aria-labelledby="waits-h">
                <p id="waits-h">{words.wait}</p>
                {way(words.wait_tell, tell)}
                {way(words.wait_book, book)}
            </div>
        }
        .into_any(),
    )
}
