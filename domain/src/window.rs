//! A half-open span of time, `[start, end)`.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// `[start, end)` in UTC, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Bounds", into = "Bounds")]
pub struct Window {
    start: OffsetDateTime,
    end: OffsetDateTime,
}

/// Bounds as they travel: RFC 3339.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Bounds {
    #[serde(with = "time::serde::rfc3339")]
    start: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    end: OffsetDateTime,
}

/// The end is not after the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the end must be after the start")]
pub struct EmptyWindow;

impl Window {
    /// A span of at least one nanosecond.
    ///
    /// # Errors
    /// [`EmptyWindow`] where `end <= start`.
    pub fn new(start: OffsetDateTime, end: OffsetDateTime) -> Result<Self, EmptyWindow> {
        if end <= start {
            return Err(EmptyWindow);
        }
        let utc = time::UtcOffset::UTC;
        Ok(Self { start: start.to_offset(utc), end: end.to_offset(utc) })
    }

    /// First instant that belongs to it.
    #[must_use]
    pub fn start(&self) -> OffsetDateTime {
        self.start
    }

    /// First instant that no longer belongs to it.
    #[must_use]
    pub fn end(&self) -> OffsetDateTime {
        self.end
    }

    /// How long it is.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.end - self.start
    }

    /// Whether `at` lies in it; the end does not.
    #[must_use]
    pub fn contains(&self, at: OffsetDateTime) -> bool {
        self.start <= at && at < self.end
    }

    /// Whether the two share an instant. Back to back they do not.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

impl TryFrom<Bounds> for Window {
    type Error = EmptyWindow;

    fn try_from(bounds: Bounds) -> Result<Self, Self::Error> {
        Self::new(bounds.start, bounds.end)
    }
}

impl From<Window> for Bounds {
    fn from(window: Window) -> Self {
        Self { start: window.start, end: window.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::datetime;

    const BASE: OffsetDateTime = datetime!(2026-03-29 00:00 UTC);

    fn window(start: i64, end: i64) -> Window {
        Window::new(BASE + Duration::minutes(start), BASE + Duration::minutes(end)).expect("not empty")
    }

    #[test]
    fn back_to_back_is_no_overlap() {
        let (first, second) = (window(0, 30), window(30, 60));
        assert!(!first.overlaps(&second) && !second.overlaps(&first));
        assert!(first.contains(BASE) && !first.contains(second.start()) && second.contains(second.start()));
    }

    #[test]
    fn empty_and_reversed_are_refused_on_the_wire_too() {
        assert_eq!(Window::new(BASE, BASE), Err(EmptyWindow));
        let json = r#"{"start":"2026-03-29T02:00:00Z","end":"2026-03-29T01:00:00Z"}"#;
        assert!(serde_json::from_str::<Window>(json).is_err());
    }

    proptest! {
        #[test]
        fn overlap_is_sharing_a_minute(a in 0i64..50, la in 1i64..20, b in 0i64..50, lb in 1i64..20) {
            let (one, two) = (window(a, a + la), window(b, b + lb));
            let shared = (0..80).any(|m| {
                let at = BASE + Duration::minutes(m);
                one.contains(at) && two.contains(at)
            });
            prop_assert_eq!(one.overlaps(&two), shared);
            prop_assert_eq!(two.overlaps(&one), shared);
        }
    }
}
