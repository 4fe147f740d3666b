//! Editing bookings, and those that repeat.

use async_trait::async_trait;
use domain::error::ApiError;
use domain::reservation::edit::{EditAsk, Edited};
use domain::reservation::series::{NewSeries, SeriesOutcome};

/// Editing bookings, and those that repeat. Every method authorises by the caller's role.
#[async_trait]
pub trait Edits: Send + Sync {
    /// Changes a booking, or one that repeats and all that follow it. All of it, or nothing.
    async fn edit(&self, ask: EditAsk) -> Result<Edited, ApiError>;
    /// Books what repeats: all of it, or those that are free.
    async fn book_series(&self, ask: NewSeries) -> Result<SeriesOutcome, ApiError>;
}
