//! Groups, labels and what administrators allow.

use async_trait::async_trait;

/// Groups, labels and what administrators allow. Every method authorises by the caller's role.
#[async_trait]
pub trait Rules: Send + Sync {}
