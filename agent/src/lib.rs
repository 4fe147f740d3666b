//! Berth's agent and command line.
//!
//! - [`cli`]: the commands, one a file
//! - [`guard`]: may this account start a job now, asked and answered over a Unix socket
//! - [`nvml`]: reads the cards, on a thread of its own
//! - [`push`]: tells the portal about the cards and brings the bookings back, through [`portal`]
//! - [`minutes`]: what the cards did, minute by minute, until the portal has it
//! - [`table`], [`roster`]: what the guard decides from; [`state`]: what survives a restart
//! - [`service`]: the agent as a service of systemd
//! - [`host`], [`clock`]: the machine around the cards

pub mod backoff;
pub mod clean;
pub mod cli;
pub mod clock;
pub mod guard;
pub mod host;
pub mod log;
pub mod minutes;
pub mod nvml;
pub mod portal;
pub mod push;
pub mod roster;
pub mod secret;
pub mod service;
pub mod state;
pub mod table;
pub mod uplink;
