//! Handed to a scheduler, where a host is shared with one. Berth and a scheduler know nothing of each other.

pub(super) mod kubernetes;
pub(super) mod slurm;
