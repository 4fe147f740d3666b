//! The built library under the real `nvml-wrapper`.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why and ends")]

mod jobs;
mod support;
mod wrapper;
