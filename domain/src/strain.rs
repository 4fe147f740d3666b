//! Cards that run too hot or at the end of their power: worth a warning once it lasts.

use time::{Duration, OffsetDateTime};

/// From here on a card is hot.
pub const HOT_CELSIUS: u32 = 85;
/// From this share of its power limit on, a card is held back by it.
pub const CAPPED_PERCENT: u32 = 97;
/// Only what lasts this long is worth a warning.
pub const LASTS: Duration = Duration::minutes(1);

/// Since when a condition holds without a break: `since` carried on, begun, or forgotten.
#[must_use]
pub fn carry(since: Option<OffsetDateTime>, holds: bool, now: OffsetDateTime) -> Option<OffsetDateTime> {
    // A clock that was set back must not make it last for ever, nor begin in the future.
    holds.then(|| since.map_or(now, |since| since.min(now)))
}

/// Whether the temperature is one to warn of.
#[must_use]
pub fn is_hot(celsius: u32) -> bool {
    celsius >= HOT_CELSIUS
}

/// Whether the power drawn is at the limit; both in milliwatts.
#[must_use]
pub fn is_capped(drawn: u32, limit: u32) -> bool {
    limit > 0 && u64::from(drawn) * 100 >= u64::from(limit) * u64::from(CAPPED_PERCENT)
}

/// Whether what holds since then is worth a warning now.
#[must_use]
pub fn is_worth_a_warning(since: Option<OffsetDateTime>, now: OffsetDateTime) -> bool {
    since.is_some_and(|since| now - since >= LASTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn a_minute_without_a_break() {
        let start = datetime!(2026-11-30 10:00 UTC);
        let mut since = None;
        for second in 0..=60 {
            let now = start + Duration::seconds(second);
            since = carry(since, is_hot(85), now);
            assert_eq!(is_worth_a_warning(since, now), second == 60);
        }
        let now = start + Duration::seconds(61);
        since = carry(since, is_hot(84), now);
        assert_eq!(since, None);
        since = carry(since, true, now);
        assert_eq!(since, Some(now));
    }

    #[test]
    fn at_the_limit_from_97_percent() {
        assert!(is_capped(679_000, 700_000) && is_capped(700_000, 700_000) && is_capped(710_000, 700_000));
        assert!(!is_capped(678_999, 700_000));
        assert!(!is_capped(0, 0), "a limit of nothing is no limit");
    }
}
