//! Fetches the calendar, and saves changes of bookings: shown at once, taken back where the server refuses.

use std::cell::Cell;
use std::sync::Arc;

use domain::calendar::traces::Traces;
use domain::id::{ReservationId, WaitId};
use domain::reservation::State;
use domain::reservation::edit::{Edit, EditAsk, Edited, Scope};
use domain::text::{When, t};
use domain::window::Window;
use domain::wire::calendar::{CalendarAsk, CalendarBooking, WaitAsk, WaitMode};
use leptos::prelude::*;
use leptos::task::spawn_local;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{draw, with};
use crate::api::bookings::ActOnBooking;
use crate::api::calendar::{LoadCalendar, LoadUse};
use crate::api::edits::EditBooking;
use crate::api::notices::{AskHolder, StopWaiting, Wait};
use crate::error::AppError;
use crate::live::fetch::{call, call_form};
use crate::pages::calendar::desk::{Back, Desk, Plan, Undo, edit_of};

thread_local! {
    static FETCHING: Cell<bool> = const { Cell::new(false) };
    static AGAIN: Cell<bool> = const { Cell::new(false) };
}

/// Fetches the calendar of the view; while one is on its way, the next one follows it.
pub fn fetch(desk: Desk) {
    if FETCHING.replace(true) {
        AGAIN.set(true);
        return;
    }
    let span = desk.view.with_untracked(|view| desk.with_zone(|zone| view.axis(zone, desk.now()).span()));
    let settled: Vec<u32> =
        desk.pending.with_untracked(|all| all.iter().filter(|one| one.settled).map(|one| one.key).collect());
    spawn_local(async move {
        let calendar = call(&LoadCalendar { span }).await.ok();
        FETCHING.set(false);
        let again = AGAIN.replace(false);
        // What was asked for may not be what is looked at any more.
        let wanted = desk.view.with_untracked(|view| desk.with_zone(|zone| view.axis(zone, desk.now()).span()));
        if let Some(calendar) = calendar.filter(|calendar| calendar.span == wanted) {
            if *desk.calendar.get_untracked() != calendar {
                desk.calendar.set(Arc::new(calendar));
            }
            if !desk.ready.get_untracked() {
                desk.ready.set(true);
            }
            if !settled.is_empty() {
                desk.pending.update(|all| all.retain(|one| !settled.contains(&one.key)));
            }
            fetch_use(desk);
        }
        if again {
            fetch(desk);
        }
    });
}

/// Fetches what cards did in the view so far: once a minute at most, and when the view is another.
pub fn fetch_use(desk: Desk) {
    thread_local! {
        static ASKED: Cell<Option<(CalendarAsk, i64)>> = const { Cell::new(None) };
    }
    let now = desk.now();
    let span = desk.view.with_untracked(|view| desk.with_zone(|zone| view.axis(zone, now).span()));
    let asked = (span, now.unix_timestamp() / 60);
    if span.from >= now || ASKED.replace(Some(asked)) == Some(asked) {
        return;
    }
    spawn_local(async move {
        let text = call(&LoadUse { span }).await.ok();
        if let Some(traces) = text.and_then(|text| Traces::read(&text)) {
            with(|stage| stage.traces = Some(traces));
            draw();
        }
    });
}

/// Saves a change that was made on the timeline: shown at once, with a way back for ten seconds.
pub fn save(desk: Desk, plan: Plan, before: Plan) {
    let Some(ask) = edit_of(&plan, Scope::One) else { return };
    let window = plan.window;
    let key = desk.begin(plan);
    spawn_local(async move {
        match edit(&ask).await {
            Ok(edited) => {
                let time = desk.with_zone(|zone| When::new(zone, desk.now()).range(&window));
                let id = ask.reservation;
                let back = edit_of(&Plan { edits: Some((id, edited.version)), ..before }, Scope::One);
                tell(desk, (t().calendar.changed)(&time), back.map(Back::Edit));
            }
            Err(why) => tell(desk, (t().calendar.not_changed)(&why), None),
        }
        desk.done(key);
    });
}

/// Takes back what was done.
pub fn undo(desk: Desk, back: Back) {
    spawn_local(async move {
        let done = match back {
            Back::Edit(ask) => edit(&ask).await.map(drop),
            Back::Again(id, window) => again(id, window, desk.now()).await,
        };
        match done {
            Ok(()) => tell(desk, t().calendar.undone.to_owned(), None),
            Err(why) => tell(desk, (t().calendar.not_changed)(&why), None),
        }
        desk.refetch();
    });
}

/// Ends a booking that runs, or calls off one that does not yet.
///
/// The viewer's own can be booked again while nobody else has taken the cards; one of several that repeat would be no
/// more one of them.
pub fn give_back(desk: Desk, booking: &CalendarBooking, scope: Scope) {
    let running = booking.state == State::Active;
    let edit = if running { Edit::EndNow } else { Edit::Cancel };
    let idempotency_key = uuid::Uuid::new_v4();
    let ask = EditAsk { reservation: booking.id, edit, scope, version: Some(booking.version), idempotency_key };
    let own = booking.owner == desk.viewer() && !booking.repeats && booking.state != State::Offered;
    let back = own.then_some(Back::Again(booking.id, booking.window));
    spawn_local(async move {
        match self::edit(&ask).await {
            Ok(_) => tell(desk, t().calendar.given_back.to_owned(), back),
            Err(why) => tell(desk, (t().calendar.not_changed)(&why), None),
        }
        desk.refetch();
    });
}

/// Books what was given back once more, for what is left of its time.
async fn again(id: ReservationId, window: Window, now: OffsetDateTime) -> Result<(), String> {
    let at = |at: OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
    let (start, end, key) = (at(window.start().max(now)), at(window.end()), uuid::Uuid::new_v4());
    let fields = [("id", id.to_string()), ("act", "again".to_owned()), ("key", key.to_string())];
    let fields = fields.into_iter().chain([("start", start), ("end", end)]);
    let encode = |value: String| js_sys::encode_uri_component(&value).as_string().unwrap_or_default();
    let body: Vec<String> = fields.map(|(name, value)| format!("form[{name}]={}", encode(value))).collect();
    call_form::<ActOnBooking>(&body.join("&")).await.map(drop).map_err(in_words)
}

/// Asks the holder of a booking for its cards.
pub fn ask_holder(desk: Desk, id: ReservationId, holder: String) {
    spawn_local(async move {
        let words = &t().calendar;
        match call_form::<AskHolder>(&format!("id={id}")).await {
            Ok(true) => tell(desk, (words.asked)(&holder), None),
            Ok(false) => tell(desk, (words.asked_before)(&holder), None),
            Err(refused) => tell(desk, (words.not_changed)(refused.message()), None),
        }
    });
}

/// Takes a place in the queue.
pub fn wait(desk: Desk, ask: WaitAsk) {
    spawn_local(async move {
        let [told, booked] = t().notices.then;
        let then = if ask.mode == WaitMode::Tell { told } else { booked };
        match call(&Wait { ask }).await {
            Ok(_) => tell(desk, format!("{then}."), None),
            Err(refused) => tell(desk, (t().calendar.not_changed)(refused.message()), None),
        }
        desk.refetch();
    });
}

/// Gives a place in the queue up.
pub fn stop_waiting(desk: Desk, id: WaitId) {
    spawn_local(async move {
        match call_form::<StopWaiting>(&format!("id={id}")).await {
            Ok(()) => tell(desk, t().calendar.waits_no_more.to_owned(), None),
            Err(refused) => tell(desk, (t().calendar.not_changed)(refused.message()), None),
        }
        desk.refetch();
    });
}

/// Asks the server for an edit; a refusal in words.
///
/// # Errors
/// Why it was not done.
pub async fn edit(ask: &EditAsk) -> Result<Edited, String> {
    call(&EditBooking { ask: ask.clone() }).await.map_err(in_words)
}

fn in_words(refused: AppError) -> String {
    refused.message().to_owned()
}

fn tell(desk: Desk, done: String, back: Option<Back>) {
    desk.say(done.clone());
    desk.undo.set(Some(Undo { done, back }));
    with(|stage| stage.cursor.forget_selection());
}
