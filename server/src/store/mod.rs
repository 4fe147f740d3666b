//! The only place with SQL. Rows are private to their module and become domain types on the way out.

mod failure;

pub use failure::StoreError;
