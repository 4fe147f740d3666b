//! What the caller is told, and where the caller waits.

use app::port::Notices;
use async_trait::async_trait;

use super::RequestPortal;

#[async_trait]
impl Notices for RequestPortal {}
