//! What the caller is told, and where the caller waits.

use async_trait::async_trait;
use domain::error::ApiError;
use domain::notice::{Notices as NoticeList, Which};

/// What the caller is told, and where the caller waits. Every method authorises by the caller's role.
#[async_trait]
pub trait Notices: Send + Sync {
    /// The caller's notices, newest first.
    async fn notices(&self) -> Result<NoticeList, ApiError>;
    /// Marks notices of the caller as read.
    async fn mark_read(&self, which: Which) -> Result<(), ApiError>;
}
