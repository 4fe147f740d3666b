//! The versioned API for machines, `/api/v1/...`.

pub mod body;
pub mod commands;
pub mod enrol;
pub mod events;
pub mod host_bookings;
pub mod link;
pub mod minutes;
pub mod openapi;
pub mod program;
pub mod report;
pub mod rotate;
