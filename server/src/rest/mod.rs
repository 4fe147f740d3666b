//! The versioned API for machines, `/api/v1/...`.

pub mod enrol;
pub mod events;
pub mod link;
pub mod report;
