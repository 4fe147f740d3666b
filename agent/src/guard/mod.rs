//! The guard: the socket on which the agent answers, the client that asks, and what is said and done with the answer.
//!
//! The verdict itself is `domain::guard`, which knows neither files nor clocks.

pub mod client;
pub mod command;
pub mod desk;
pub mod explain;
pub mod launch;
pub mod leases;
pub mod peer;
pub mod process;
pub mod server;
pub mod walk_in;
pub mod when;
