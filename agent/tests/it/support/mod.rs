//! What the tests are played with.

pub mod desk;
pub mod host;
pub mod portal;
pub mod program;
pub mod scene;

use std::time::{Duration, Instant};

/// Waits until it holds; fails with `what` after a generous while.
pub fn eventually(what: &str, holds: impl FnMut() -> bool) {
    assert!(holds_in_time(holds), "in vain: {what}");
}

/// Waits until it holds; false after a generous while.
pub fn holds_in_time(mut holds: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if holds() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
