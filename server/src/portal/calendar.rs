//! The calendar, and what its panel asks while somebody plans.

use app::port::Calendars;
use async_trait::async_trait;
use domain::error::ApiError;
use domain::user::Act;
use domain::wire::calendar::{Calendar, CalendarAsk};

use super::RequestPortal;

#[async_trait]
impl Calendars for RequestPortal {
    async fn calendar(&self, span: CalendarAsk) -> Result<Calendar, ApiError> {
        self.services.calendar.read(self.caller.may(Act::ViewFleet)?, span).await
    }

    async fn calendar_use(&self, span: CalendarAsk) -> Result<String, ApiError> {
        self.caller.may(Act::ViewFleet)?;
        Ok(self.services.traces.read(span).await?.as_ref().to_owned())
    }
}
