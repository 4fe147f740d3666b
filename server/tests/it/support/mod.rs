//! What the tests stand on.

pub mod clock;
pub mod cluster;
pub mod fleet;
pub mod people;
pub mod report;
