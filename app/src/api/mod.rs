//! Server functions: thin, for the browser alone; everybody else uses REST. Each has a fixed address, so that a page
//! loaded before an upgrade still works. Nothing that changes anything answers to GET.

pub mod admin;
pub mod bookings;
pub mod calendar;
pub mod codes;
pub mod edits;
pub mod finder;
pub mod fleet;
pub mod notices;
pub mod rules;
pub mod session;
pub mod upkeep;
