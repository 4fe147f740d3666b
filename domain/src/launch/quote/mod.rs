//! Quoting: any text as one word, string or value of each language that commands are written in.
//!
//! Everything here takes text that people typed. A function that cannot write every text says so with `None`: then
//! there is no such form, rather than one that means something else.

pub mod cmd;
pub mod fish;
pub mod json;
pub mod posix;
pub mod power_shell;
pub mod python;
pub mod unit;
pub mod yaml;

#[cfg(test)]
pub(super) mod tests;
