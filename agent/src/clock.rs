//! The clocks of this host: the wall clock, which may be wrong or set, and the time since boot, which only runs on.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// An instant on both clocks, so that an age can be told whatever happens to one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// By the wall clock.
    #[serde(with = "time::serde::rfc3339")]
    pub wall: OffsetDateTime,
    /// The kernel's id of this boot.
    pub boot_id: String,
    /// Since that boot, suspended time included.
    pub since_boot_ms: u64,
}

impl Stamp {
    /// The present.
    #[must_use]
    pub fn now(boot_id: &str) -> Self {
        let since_boot = u64::try_from(since_boot().as_millis()).unwrap_or(u64::MAX);
        Self { wall: OffsetDateTime::now_utc(), boot_id: boot_id.to_owned(), since_boot_ms: since_boot }
    }

    /// How long ago it was at `now`. Within one boot the wall clock plays no part. Over a reboot it is all there is:
    /// a stamp from the future then counts as just as old, as a clock that far off says nothing.
    #[must_use]
    pub fn age(&self, now: &Self) -> time::Duration {
        if self.boot_id == now.boot_id {
            let ms = now.since_boot_ms.saturating_sub(self.since_boot_ms);
            return time::Duration::milliseconds(i64::try_from(ms).unwrap_or(i64::MAX));
        }
        (now.wall - self.wall).abs()
    }
}

/// Time since boot, suspended time included.
#[must_use]
pub fn since_boot() -> Duration {
    clock_gettime(ClockId::CLOCK_BOOTTIME).map(Duration::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    fn stamp(boot_id: &str, wall: OffsetDateTime, since_boot_ms: u64) -> Stamp {
        Stamp { wall, boot_id: boot_id.to_owned(), since_boot_ms }
    }

    const NOON: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

    #[test]
    fn a_set_wall_clock_changes_no_age_within_a_boot() {
        let then = stamp("a", NOON, 5_000);
        let now = stamp("a", NOON - time::Duration::days(400), 8_000);
        assert_eq!(then.age(&now), time::Duration::seconds(3));
        assert_eq!(now.age(&then), time::Duration::ZERO);
    }

    #[test]
    fn over_a_reboot_the_wall_clock_counts_in_either_direction() {
        let then = stamp("a", NOON, 5_000);
        assert_eq!(then.age(&stamp("b", NOON + time::Duration::hours(2), 10)), time::Duration::hours(2));
        assert_eq!(then.age(&stamp("b", NOON - time::Duration::hours(20), 10)), time::Duration::hours(20));
    }

    #[test]
    fn the_clock_since_boot_runs() {
        let first = since_boot();
        assert!(first > Duration::ZERO && since_boot() >= first);
    }
}
