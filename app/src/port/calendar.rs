//! The calendar, and what its panel asks while somebody plans.

use async_trait::async_trait;

/// The calendar, and what its panel asks while somebody plans. Every method authorises by the caller's role.
#[async_trait]
pub trait Calendars: Send + Sync {}
