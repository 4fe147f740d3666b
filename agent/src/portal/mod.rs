//! The way to the portal: its address, and the three requests that a host makes.

pub mod address;
pub mod client;

pub use address::{Address, BadAddress};
pub use client::{Portal, PortalError};
