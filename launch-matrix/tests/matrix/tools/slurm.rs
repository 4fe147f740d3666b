//! A Slurm of one node, which takes jobs and runs them.

use crate::stage::Stage;

/// A job as Slurm took it.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Cards that it asked for.
    pub cards: usize,
    /// Hosts that it asked for.
    pub hosts: String,
    /// What it starts.
    pub words: Vec<String>,
}

pub struct Cluster {}

impl Cluster {
    /// # Errors
    /// It does not start.
    pub fn start() -> Result<Self, String> {
        Err("not yet".to_owned())
    }

    /// # Errors
    /// What Slurm said.
    pub fn run(&self, _stage: &Stage, _host: &str, _argv: &[String], _script: Option<&str>) -> Result<Job, String> {
        Err("not yet".to_owned())
    }
}
