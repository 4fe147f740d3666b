//! The portal over HTTP, as agents, browsers and other programs use it.

mod book_form;
mod bookings;
mod calendar;
mod commands;
mod compressed;
mod events;
mod find;
mod full_disk;
mod host_bookings;
mod outage;
mod packed;
mod replicas;
mod reports;

use domain::id::CardUuid;
use domain::window::Window;
use serde_json::{Value, json};
use time::Duration;

use crate::support::clock::MORNING;

/// Arguments of the server function `book`.
fn wish(cards: &[CardUuid], from: i64, until: i64) -> Value {
    let window = Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(until)).unwrap();
    json!({ "ask": { "cards": cards, "window": window, "purpose": "", "idempotency_key": uuid::Uuid::new_v4() } })
}
