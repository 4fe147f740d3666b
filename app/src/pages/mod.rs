//! One page each: its resources, and how its parts come together.

pub mod account;
pub mod admin;
pub mod book;
pub mod booking;
pub mod bookings;
pub mod calendar;
pub mod find;
pub mod host;
pub mod hosts;
pub mod missing;
pub mod notices;
pub mod now;
pub mod panel;
pub mod setup;
pub mod sign_in;
pub mod sign_up;
