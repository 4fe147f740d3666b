//! The browser part of all pages on which nobody plans a booking.
#![forbid(unsafe_code)]

extern crate app as _;
