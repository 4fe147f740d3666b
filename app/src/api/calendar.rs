//! The calendar.

use domain::wire::calendar::{Calendar, CalendarAsk};
use domain::wire::live_v1::Fleet;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use time::Date;

use crate::error::AppError;

/// Who holds what in a stretch of time.
#[server(name = LoadCalendar, prefix = "/api/page", endpoint = "calendar", input = Json)]
pub async fn calendar(span: CalendarAsk) -> Result<Calendar, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.calendar(span).await }.await)
}

/// What cards did in a stretch of time so far, as [`domain::calendar::traces::Traces::write`] writes it.
#[server(name = LoadUse, prefix = "/api/page", endpoint = "calendar_use", input = Json)]
pub async fn calendar_use(span: CalendarAsk) -> Result<String, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.calendar_use(span).await }.await)
}

/// What the page begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalendarPage {
    /// What cards do now.
    pub fleet: Fleet,
    /// Who holds them when.
    pub calendar: Calendar,
}

/// What the page begins with, at this zoom from this local day on; `None`: from today on.
#[server(name = LoadCalendarPage, prefix = "/api/page", endpoint = "calendar_page", input = Json)]
pub async fn calendar_page(zoom: String, from: Option<Date>) -> Result<CalendarPage, AppError> {
    use crate::{error::answer, port::portal};
    use domain::calendar::{Zoom, view::View};
    let page = async {
        let portal = portal()?;
        let frame = portal.frame().await?;
        let view = View { zoom: Zoom::parse(&zoom).unwrap_or_default(), from, ..View::default() };
        let span = view.axis(&frame.zone, frame.now).span();
        Ok(CalendarPage { calendar: portal.calendar(span).await?, fleet: portal.fleet().await? })
    };
    answer(page.await)
}
