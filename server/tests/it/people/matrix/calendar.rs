//! `app::port::Calendars`.

use app::port::Portal;
use domain::wire::calendar::CalendarAsk;
use time::Duration;

use super::{Gate, Row, gate};
use crate::support::clock::MORNING;

/// One method; `None` where it is none of these.
pub async fn call(portal: &impl Portal, method: &str) -> Option<Gate> {
    let span = CalendarAsk { from: MORNING, to: MORNING + Duration::days(1) };
    match method {
        "calendar" => Some(gate(portal.calendar(span).await)),
        "calendar_use" => Some(gate(portal.calendar_use(span).await)),
        _ => None,
    }
}

/// Its rows.
pub const ROWS: &[Row] =
    &[("calendar", [Gate::SignIn, Gate::Open, Gate::Open]), ("calendar_use", [Gate::SignIn, Gate::Open, Gate::Open])];
