//! Where services take the time from, so that expiry can be tested without waiting.

use time::OffsetDateTime;

/// A source of the current instant, in UTC.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> OffsetDateTime;
}

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> OffsetDateTime {
        to_micros(OffsetDateTime::now_utc())
    }
}

/// Cuts an instant down to what Postgres keeps; finer ones would not compare equal after a round trip.
#[must_use]
pub fn to_micros(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_nanosecond(at.microsecond() * 1000).unwrap_or(at)
}
