//! What travels between the parts.
//!
//! Types under a version stay readable by older agents for as long as that version is served. [`page`] and [`calendar`]
//! are between a page and the server that rendered it, which are always of one build.

pub mod agent_v1;
pub mod calendar;
pub mod deed;
pub mod guard_v1;
pub mod host_v1;
pub mod launch_v1;
pub mod live_v1;
pub mod minutes_v1;
pub mod page;
pub mod rules;
