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
        // Postgres keeps microseconds; finer instants would not compare equal after a round trip.
        let now = OffsetDateTime::now_utc();
        now.replace_nanosecond(now.microsecond() * 1000).unwrap_or(now)
    }
}
