//! What the caller is told, and where the caller waits.

use async_trait::async_trait;

/// What the caller is told, and where the caller waits. Every method authorises by the caller's role.
#[async_trait]
pub trait Notices: Send + Sync {}
