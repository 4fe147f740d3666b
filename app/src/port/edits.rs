//! Editing bookings, and those that repeat.

use async_trait::async_trait;

/// Editing bookings, and those that repeat. Every method authorises by the caller's role.
#[async_trait]
pub trait Edits: Send + Sync {}
