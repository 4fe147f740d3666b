//! What the tests are played with.

pub mod desk;
pub mod host;
pub mod portal;
pub mod program;
pub mod scene;

use std::time::{Duration, Instant};

/// Waits until it holds; fails with `what` after a generous while.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
