//! A clock that stands still until a test moves it.

use std::sync::{Arc, Mutex};

use server::clock::Clock;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

/// A Monday morning.
pub const MORNING: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

/// Stands still until it is moved.
#[derive(Clone)]
pub struct TestClock(Arc<Mutex<OffsetDateTime>>);

impl TestClock {
    /// A clock that shows [`MORNING`].
    pub fn at_morning() -> Self {
        Self(Arc::new(Mutex::new(MORNING)))
    }

    /// Moves it.
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for TestClock {
    fn now(&self) -> OffsetDateTime {
        *self.0.lock().unwrap()
    }
}
