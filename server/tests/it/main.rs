//! Everything that needs a database, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod constraints;
mod people;
mod reports;
mod reservations;
mod support;
