//! The way to the portal: its address, and the requests that a host makes.
//!
//! - [`address`]: checked before anything is sent
//! - [`client`]: the requests; `pack`: smaller; `words`: what can go wrong with them
//! - [`probe`]: the way there, step by step, for `berth doctor`

pub mod address;
pub mod client;
mod pack;
pub mod probe;
mod words;

pub use address::{Address, BadAddress};
pub use client::{Portal, PortalError};
