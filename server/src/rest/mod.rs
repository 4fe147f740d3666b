//! The versioned API for machines, `/api/v1/...`.

pub mod body;
pub mod enrol;
pub mod link;
