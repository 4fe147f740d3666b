//! When to try again: after pauses that grow.

use std::time::{Duration, Instant};

/// First pause after a failure; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(1);
/// Longest pause.
const LONGEST: Duration = Duration::from_secs(30);

/// When to try again.
pub(super) struct Retry {
    pause: Duration,
    not_before: Option<Instant>,
}

impl Retry {
    pub(super) const fn new() -> Self {
        Self { pause: FIRST, not_before: None }
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.not_before.is_none_or(|at| now >= at)
    }

    pub(super) fn failed(&mut self, now: Instant) {
        self.not_before = Some(now + self.pause);
        self.pause = (self.pause * 2).min(LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_half_a_minute() {
        let start = Instant::now();
        let mut retry = Retry::new();
        assert!(retry.is_due(start));
        let mut pauses = Vec::new();
        for _ in 0..7 {
            retry.failed(start);
            pauses.push(retry.not_before.map_or(0, |at| (at - start).as_secs()));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        assert!(!retry.is_due(start) && retry.is_due(start + Duration::from_secs(30)));
    }
}
