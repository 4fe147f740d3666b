//! The calendar.

use domain::wire::calendar::{Calendar, CalendarAsk};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

use crate::error::AppError;

/// Who holds what in a stretch of time.
#[server(name = LoadCalendar, prefix = "/api/page", endpoint = "calendar", input = Json)]
pub async fn calendar(span: CalendarAsk) -> Result<Calendar, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.calendar(span).await }.await)
}
