//! What the caller is told, and where the caller waits.

use app::port::Notices;
use async_trait::async_trait;
use domain::error::ApiError;
use domain::notice::{Notices as NoticeList, Which};

use super::RequestPortal;
use crate::service::notices;

#[async_trait]
impl Notices for RequestPortal {
    async fn notices(&self) -> Result<NoticeList, ApiError> {
        notices::all(&self.services, self.caller.person()?.id).await
    }
    async fn mark_read(&self, which: Which) -> Result<(), ApiError> {
        notices::mark_read(&self.services, self.caller.person()?.id, &which).await
    }
}
