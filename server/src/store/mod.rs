//! The only place with SQL. Rows are private to their module and become domain types on the way out.

pub mod change;
pub mod constraint;
pub mod decode;
mod failure;
pub mod reservations;

pub use failure::StoreError;
