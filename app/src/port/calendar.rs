//! The calendar, and what its panel asks while somebody plans.

use async_trait::async_trait;
use domain::error::ApiError;
use domain::wire::calendar::{Calendar, CalendarAsk};

/// The calendar, and what its panel asks while somebody plans. Every method authorises by the caller's role.
#[async_trait]
pub trait Calendars: Send + Sync {
    /// Who holds what in a stretch of time.
    async fn calendar(&self, span: CalendarAsk) -> Result<Calendar, ApiError>;

    /// What cards did in it so far, as [`domain::calendar::traces::Traces::write`] writes it.
    async fn calendar_use(&self, span: CalendarAsk) -> Result<String, ApiError>;
}
