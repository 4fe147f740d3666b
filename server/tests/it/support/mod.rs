//! What the tests stand on.

pub mod actor;
pub mod clock;
pub mod cluster;
pub mod fleet;
pub mod people;
pub mod plain;
pub mod portal;
pub mod program;
pub mod report;
pub mod unlocked;

pub use portal::{PASSWORD, PATIENCE, TestApp, until};
