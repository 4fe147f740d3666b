//! Who is on a card.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::Mib;
use crate::reading::Reading;

/// Which NVML list a process was on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessKind {
    /// A display or rendering context.
    Graphics,
    /// Both at once.
    ComputeAndGraphics,
    /// A compute context through the MPS server.
    Mps,
    /// CUDA or another compute context, or a kind that this version does not know.
    #[serde(other)]
    Compute,
}

impl Runtime {
    /// What it makes runs in the name of the machine, whoever asked for it, so that the account says nothing.
    #[must_use]
    pub fn holds_others_work(self) -> bool {
        !matches!(self, Self::Slurm | Self::SystemdUnit)
    }
}

/// What the agent could find out about a process that NVML lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessState {
    /// It runs on this host.
    #[default]
    Running,
    /// It has ended, and its memory on the card was not given back.
    Orphan,
    /// The agent cannot see the host's processes, so nothing can be said about it.
    #[serde(other)]
    Unseen,
}

/// What a process runs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Container {
    /// Who made it.
    pub runtime: Runtime,
    /// Container id (first 12 digits), Slurm job, or unit, as the cgroup's path has it.
    pub id: String,
}

/// Who made a [`Container`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runtime {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
    /// containerd, as under Kubernetes or nerdctl.
    Containerd,
    /// CRI-O.
    Crio,
    /// A Slurm job.
    Slurm,
    /// A systemd service.
    SystemdUnit,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// One process on one card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardProcess {
    /// Process id in the host's namespace.
    pub pid: u32,
    /// Which list it was on.
    pub kind: ProcessKind,
    /// Memory it holds; unknown on some platforms.
    pub memory_mib: Reading<Mib>,
    /// OS account that owns it, by NSS; `uid:1005` where the name is unknown, `None` where the process is gone.
    pub os_user: Option<String>,
    /// Command, bounded, cleaned and with secrets redacted on the host.
    pub command: Option<String>,
    /// What became of it.
    #[serde(default)]
    pub state: ProcessState,
    /// When it started, by the host's clock.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<OffsetDateTime>,
    /// Its share of the card's computing, 0 to 100.
    #[serde(default)]
    pub utilisation_percent: Reading<u32>,
    /// What it runs in, where that is not a plain login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Container>,
}

impl CardProcess {
    /// A process of which no more is known than this.
    #[must_use]
    pub fn new(pid: u32, kind: ProcessKind) -> Self {
        Self {
            pid,
            kind,
            memory_mib: Reading::default(),
            os_user: None,
            command: None,
            state: ProcessState::Running,
            started_at: None,
            utilisation_percent: Reading::default(),
            container: None,
        }
    }
}
