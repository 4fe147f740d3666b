//! What a host and its cards are: it changes with hardware, drivers and restarts, and is sent when it does.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::Mib;
use crate::id::CardUuid;
use crate::reading::Reading;
use crate::topology::Topology;

/// Everything about a host that does not change from beat to beat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    /// The machine.
    pub machine: Machine,
    /// Its cards, physical ones and MIG instances, in the order of the reports.
    pub cards: Vec<CardInventory>,
    /// How the physical cards are linked.
    pub topology: Topology,
}

/// The machine.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// Kernel release (`6.1.0-28-amd64`).
    pub kernel: Option<String>,
    /// Distribution, by `/etc/os-release`.
    pub os: Option<String>,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// Logical CPUs.
    pub cpus: Option<u32>,
    /// Main memory.
    pub memory_total_mib: Reading<Mib>,
    /// NUMA nodes in order of their number.
    pub numa: Vec<NumaNode>,
    /// Start of the kernel, by the host's clock.
    #[serde(with = "time::serde::rfc3339::option")]
    pub booted_at: Option<OffsetDateTime>,
    /// Driver version.
    pub driver_version: Option<String>,
    /// CUDA version that the driver offers, such as `12.8`.
    pub cuda_version: Option<String>,
    /// Version of `libnvidia-ml`.
    pub nvml_version: Option<String>,
    /// What the machine is, as far as that changes what works.
    pub platform: Platform,
    /// The agent sees the host's processes. Where it does not, as in a container without `pid: host` or where `/proc` is
    /// mounted with `hidepid`, nobody can say whose a process is.
    pub sees_processes: bool,
}

/// What a machine is, as far as that changes what works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    /// A machine or a virtual machine with a driver of its own.
    #[default]
    Plain,
    /// Windows Subsystem for Linux 2.
    Wsl,
    /// The agent runs in a container.
    Container,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// A NUMA node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumaNode {
    /// Number.
    pub id: u32,
    /// CPUs as the kernel lists them (`0-55,112-167`).
    pub cpus: String,
    /// Memory.
    pub memory_total_mib: Reading<Mib>,
}

/// What a card is, in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardInventory {
    /// Which.
    pub uuid: CardUuid,
    /// The rest.
    #[serde(flatten)]
    pub traits: CardTraits,
}

/// What a card is, beyond its [`crate::card::CardFacts`].
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CardTraits {
    /// Product line (`GeForce`, `Tesla`, `NVIDIA RTX`).
    pub brand: Reading<String>,
    /// Architecture (`Ampere`, `Hopper`).
    pub architecture: Reading<String>,
    /// CUDA compute capability, major and minor.
    pub compute_capability: Reading<(u32, u32)>,
    /// CUDA cores.
    pub cores: Reading<u32>,
    /// Serial number of the board.
    pub serial: Reading<String>,
    /// VBIOS version.
    pub vbios: Reading<String>,
    /// GSP firmware version.
    pub gsp_firmware: Reading<String>,
    /// Temperature at which the card slows down.
    pub slowdown_celsius: Reading<u32>,
    /// Temperature at which the card shuts down.
    pub shutdown_celsius: Reading<u32>,
    /// Highest temperature at which it is meant to work.
    pub max_operating_celsius: Reading<u32>,
    /// Power limit after a restart.
    pub default_power_limit_milliwatts: Reading<u32>,
    /// Lowest and highest power limit that can be set.
    pub power_limit_range_milliwatts: Reading<(u32, u32)>,
    /// Highest SM clock.
    pub max_sm_clock_mhz: Reading<u32>,
    /// Highest memory clock.
    pub max_memory_clock_mhz: Reading<u32>,
    /// Highest PCIe generation that card and slot can do.
    pub max_pcie_generation: Reading<u32>,
    /// Most PCIe lanes that card and slot can do.
    pub max_pcie_width: Reading<u32>,
    /// ECC is on.
    pub ecc_enabled: Reading<bool>,
    /// Compute mode.
    pub compute_mode: Reading<ComputeMode>,
    /// The driver stays loaded while nobody uses the card.
    pub persistence: Reading<bool>,
    /// MIG is on.
    pub mig_enabled: Reading<bool>,
    /// MIG will be on after the next reset.
    pub mig_pending: Reading<bool>,
    /// Whether the card is passed through or shared by a hypervisor (`none`, `passthrough`, `vgpu`, `host_vgpu`, `host_vsga`).
    pub virtualisation: Reading<String>,
    /// A display is attached or could be drawn on.
    pub display_active: Reading<bool>,
}

/// Who may open contexts on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputeMode {
    /// Anybody.
    Default,
    /// One process at a time.
    ExclusiveProcess,
    /// Nobody.
    Prohibited,
    /// A mode that this version does not know.
    #[serde(other)]
    Other,
}
