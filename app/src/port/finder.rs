//! Which cards serve a wish best.

use async_trait::async_trait;

/// Which cards serve a wish best. Every method authorises by the caller's role.
#[async_trait]
pub trait Finder: Send + Sync {}
