//! What happens by itself from time to time. Each job does no harm when it runs twice, or in two replicas at once.

pub mod lapse;
pub mod prune_people;
pub mod serve_waiting;
pub mod watch;
