//! When to try again: after pauses that grow.

use std::time::{Duration, Instant};

/// Pauses between tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pauses {
    /// The first one; each further one is twice as long.
    pub first: Duration,
    /// No one is longer.
    pub longest: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Self { first: Duration::from_secs(1), longest: Duration::from_secs(30) }
    }
}

/// When to try again.
#[derive(Clone)]
pub(super) struct Retry {
    pauses: Pauses,
    pause: Duration,
    not_before: Option<Instant>,
}

impl Retry {
    pub(super) const fn new(pauses: Pauses) -> Self {
        Self { pauses, pause: pauses.first, not_before: None }
    }

    /// It works.
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.pauses);
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.not_before.is_none_or(|at| now >= at)
    }

    pub(super) fn failed(&mut self, now: Instant) {
        self.not_before = Some(now + self.pause);
        self.pause = (self.pause * 2).min(self.pauses.longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_half_a_minute() {
        let start = Instant::now();
        let mut retry = Retry::new(Pauses::default());
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
