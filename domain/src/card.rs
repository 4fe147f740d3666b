//! What a card is and does, as a page or the guard needs it.

use serde::{Deserialize, Serialize};

use crate::id::CardUuid;
use crate::reading::Reading;

/// Mebibytes, as NVML's byte counts are shown by `nvidia-smi`.
pub type Mib = u64;

/// What a card is: stable while it stays in its slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardFacts {
    /// Identity.
    pub uuid: CardUuid,
    /// NVML's index at the time of the snapshot, in PCI order. Display only.
    pub index: u32,
    /// `N` of `/dev/nvidiaN`; differs from the index even on healthy machines.
    pub minor: Option<u32>,
    /// Model, as NVML names it (`NVIDIA H100 80GB HBM3`).
    pub name: String,
    /// PCI address as sysfs writes it (`0000:1b:00.0`).
    pub pci_bus_id: Option<String>,
    /// Memory of the card.
    pub memory_total_mib: Reading<Mib>,
}

impl CardFacts {
    /// The model without the maker: `H100 80GB HBM3`.
    #[must_use]
    pub fn model(&self) -> &str {
        short_model(&self.name)
    }
}

/// The model without the maker's name, which says nothing in a list of NVIDIA cards.
#[must_use]
pub fn short_model(name: &str) -> &str {
    let name = name.strip_prefix("NVIDIA ").unwrap_or(name);
    name.strip_prefix("GeForce ").unwrap_or(name)
}

/// What a card does at one instant.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct CardSample {
    /// Share of the last sampling period in which a kernel ran, 0 to 100.
    pub utilisation_percent: Reading<u32>,
    /// Memory in use.
    pub memory_used_mib: Reading<Mib>,
    /// Core temperature.
    pub temperature_celsius: Reading<u32>,
    /// Power drawn.
    pub power_milliwatts: Reading<u32>,
    /// Power limit in force.
    pub power_limit_milliwatts: Reading<u32>,
    /// Fan speed; may pass 100.
    pub fan_percent: Reading<u32>,
    /// SM clock.
    pub sm_clock_mhz: Reading<u32>,
}

/// Whether a card can be worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardHealth {
    /// Nothing is wrong.
    #[default]
    Ok,
    /// The card no longer answers (NVML code 15, or it vanished from the list).
    Lost,
    /// The driver wants a reset of the card (NVML code 16).
    ResetNeeded,
    /// The card answers with errors that have no name.
    Failing,
}

/// Which NVML list a process was on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessKind {
    /// CUDA or another compute context.
    Compute,
    /// A display or rendering context.
    Graphics,
    /// Both at once.
    ComputeAndGraphics,
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
}
