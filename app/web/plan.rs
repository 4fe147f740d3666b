//! The browser part of the calendar and of the booking form.
#![forbid(unsafe_code)]

extern crate app as _;
