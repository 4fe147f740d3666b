//! Fetches the calendar, and saves changes of bookings: shown at once, taken back where the server refuses.

use std::cell::Cell;
use std::sync::Arc;

use domain::calendar::traces::Traces;
use domain::error::ApiError;
use domain::id::ReservationId;
use domain::reservation::edit::{Edit, EditAsk, Edited, Scope};
use domain::text::{When, t};
use domain::wire::calendar::{Calendar, CalendarAsk};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};

use super::{draw, with};
use crate::live::fetch::post;
use crate::pages::calendar::desk::{Desk, Plan, Undo, edit_of};

const JSON: &str = "application/json";

thread_local! {
    static FETCHING: Cell<bool> = const { Cell::new(false) };
    static AGAIN: Cell<bool> = const { Cell::new(false) };
}

#[derive(Serialize)]
struct Span {
    span: CalendarAsk,
}

#[derive(Serialize)]
struct Ask<'a> {
    ask: &'a EditAsk,
}

/// A refusal as server functions send it.
#[derive(Deserialize)]
struct Refused {
    #[serde(rename = "Api")]
    api: ApiError,
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
        let body = serde_json::to_string(&Span { span }).unwrap_or_default();
        let answer = post("/api/page/calendar", JSON, &body).await;
        let calendar = answer.filter(|(status, _)| *status == 200);
        let calendar = calendar.and_then(|(_, body)| serde_json::from_str::<Calendar>(&body).ok());
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
        let body = serde_json::to_string(&Span { span }).unwrap_or_default();
        let answer = post("/api/page/calendar_use", JSON, &body).await.filter(|(status, _)| *status == 200);
        let text = answer.and_then(|(_, body)| serde_json::from_str::<String>(&body).ok());
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
                tell(desk, (t().calendar.changed)(&time), back);
            }
            Err(why) => tell(desk, (t().calendar.not_changed)(&why), None),
        }
        desk.done(key);
    });
}

/// Takes back what was done.
pub fn undo(desk: Desk, ask: EditAsk) {
    spawn_local(async move {
        match edit(&ask).await {
            Ok(_) => tell(desk, t().calendar.undone.to_owned(), None),
            Err(why) => tell(desk, (t().calendar.not_changed)(&why), None),
        }
        desk.refetch();
    });
}

/// Ends a booking that runs, or calls off one that does not yet.
pub fn give_back(desk: Desk, reservation: ReservationId, version: i32, running: bool) {
    let edit = if running { Edit::EndNow } else { Edit::Cancel };
    let idempotency_key = uuid::Uuid::new_v4();
    let ask = EditAsk { reservation, edit, scope: Scope::One, version: Some(version), idempotency_key };
    spawn_local(async move {
        match self::edit(&ask).await {
            Ok(_) => tell(desk, t().calendar.given_back.to_owned(), None),
            Err(why) => tell(desk, (t().calendar.not_changed)(&why), None),
        }
        desk.refetch();
    });
}

/// Asks the server for an edit; a refusal in words.
///
/// # Errors
/// Why it was not done.
pub async fn edit(ask: &EditAsk) -> Result<Edited, String> {
    let body = serde_json::to_string(&Ask { ask }).unwrap_or_default();
    let Some((status, body)) = post("/api/page/edit", JSON, &body).await else {
        return Err(t().frame.unreachable.to_owned());
    };
    if status == 200 {
        return serde_json::from_str(&body).map_err(|_| t().frame.unreachable.to_owned());
    }
    let refused = serde_json::from_str::<Refused>(&body);
    Err(refused.map_or_else(|_| t().frame.unreachable.to_owned(), |refused| refused.api.message))
}

fn tell(desk: Desk, done: String, back: Option<EditAsk>) {
    desk.say(done.clone());
    desk.undo.set(Some(Undo { done, back }));
    with(|stage| stage.cursor.forget_selection());
}
