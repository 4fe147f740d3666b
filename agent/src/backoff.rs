//! How long to wait after failures, so that a portal that comes back is not run over by all its hosts at once.

use std::time::Duration;

/// Longest wait.
const CAP: Duration = Duration::from_secs(30);
/// Longest wait after the first failure.
const FIRST: Duration = Duration::from_secs(2);

/// Full jitter: a random part of a span that doubles up to [`CAP`].
#[derive(Clone, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Counts a failure; `random` in `0.0..=1.0` picks the wait.
    pub fn after_failure(&mut self, random: f64) -> Duration {
        let span = FIRST.saturating_mul(1 << self.failures.min(10)).min(CAP);
        self.failures = self.failures.saturating_add(1);
        span.mul_f64(random.clamp(0.0, 1.0))
    }

    /// Counts a failure that time alone does not heal: the upper half of the longest span.
    pub fn after_refusal(&mut self, random: f64) -> Duration {
        self.failures = self.failures.saturating_add(1);
        CAP.mul_f64(0.5 + random.clamp(0.0, 1.0) / 2.0)
    }

    /// Failures since the last success.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// It works again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// A random number in `0.0..1.0`; the middle where the system has no randomness to give.
#[must_use]
pub fn random() -> f64 {
    getrandom::u32().map_or(0.5, |bits| f64::from(bits) / (f64::from(u32::MAX) + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_double_up_to_the_cap() {
        let mut backoff = Backoff::default();
        let longest: Vec<u64> = (0..7).map(|_| backoff.after_failure(1.0).as_secs()).collect();
        assert_eq!(longest, [2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(backoff.failures(), 7);
        backoff.reset();
        assert_eq!(backoff.after_failure(0.5), Duration::from_secs(1));
        assert_eq!(backoff.after_failure(0.0), Duration::ZERO);
        for _ in 0..100 {
            assert!(backoff.after_failure(1.0) <= CAP);
        }
    }

    #[test]
    fn a_refused_host_asks_seldom() {
        let mut backoff = Backoff::default();
        assert_eq!(backoff.after_refusal(0.0), Duration::from_secs(15));
        assert_eq!(backoff.after_refusal(1.0), CAP);
    }

    #[test]
    fn random_numbers_are_in_range() {
        assert!((0..100).map(|_| random()).all(|n| (0.0..1.0).contains(&n)));
    }
}
