//! What the caller is told, and where the caller waits.

use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::{ReservationId, WaitId};
use domain::notice::{Answer, Notices as NoticeList, Which};
use domain::wire::calendar::{WaitAsk, Waiting};

/// What the caller is told, and where the caller waits. Every method authorises by the caller's role.
#[async_trait]
pub trait Notices: Send + Sync {
    /// The caller's notices, newest first.
    async fn notices(&self) -> Result<NoticeList, ApiError>;
    /// Marks notices of the caller as read.
    async fn mark_read(&self, which: Which) -> Result<(), ApiError>;
    /// Answers what a notice of the caller asks.
    async fn answer(&self, notice: i64, answer: Answer) -> Result<(), ApiError>;
    /// Asks the holder of a booking whether its cards can be had earlier; whether that was said now, and not before today.
    async fn ask_holder(&self, booking: ReservationId) -> Result<bool, ApiError>;
    /// Takes a place in the queue for cards.
    async fn wait(&self, ask: WaitAsk) -> Result<WaitId, ApiError>;
    /// Gives a place of the caller up.
    async fn stop_waiting(&self, id: WaitId) -> Result<(), ApiError>;
    /// The caller's places.
    async fn waiting(&self) -> Result<Vec<Waiting>, ApiError>;
}
