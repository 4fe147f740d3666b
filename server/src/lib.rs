//! Berth's portal.
#![forbid(unsafe_code)]
