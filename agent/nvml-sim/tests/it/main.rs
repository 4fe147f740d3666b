//! The built library under the real `nvml-wrapper`.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why and ends")]

mod faults;
mod jobs;
mod machines;
mod mig;
mod support;
mod wrapper;

use std::time::{Duration, Instant};

use nvml_wrapper::Nvml;
use support::SimHost;

fn open(host: &SimHost) -> Nvml {
    Nvml::builder().lib_path(host.library().as_os_str()).init().expect("the simulation starts")
}

/// Polls until `check` holds; a fault is in force a moment after its file is.
fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !check() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
