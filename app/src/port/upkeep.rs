//! Maintenance, and cards that are not to be had or are open for shares.

use async_trait::async_trait;

/// Maintenance, and cards that are not to be had or are open for shares. Every method authorises by the caller's role.
#[async_trait]
pub trait Upkeep: Send + Sync {}
