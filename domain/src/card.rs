//! What a card is and does, as a page or the guard needs it.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::id::CardUuid;
use crate::reading::Reading;

mod process;

pub use process::{CardProcess, Container, ProcessKind, ProcessState, Runtime};

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
    /// Of a MIG instance: which part of which card it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<MigPart>,
    /// The card is cut into MIG instances, which are booked in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mig_on: bool,
}

/// Which part of a physical card a MIG instance is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigPart {
    /// The physical card.
    pub parent: CardUuid,
    /// GPU instance id, as in `nvidia-smi`'s MIG table.
    pub gpu_instance: u32,
    /// Compute instance id within it.
    pub compute_instance: u32,
    /// Number among the card's instances (`MIG Dev` in `nvidia-smi`); display data of one snapshot, as an index is.
    /// Docker's `device=0:1` counts so.
    #[serde(default)]
    pub instance: u32,
    /// Profile, such as `3g.40gb`; empty where NVML does not say.
    #[serde(default)]
    pub profile: String,
    /// Compute slices of the parent's seven (or four).
    #[serde(default)]
    pub compute_slices: Reading<u32>,
    /// Streaming multiprocessors.
    #[serde(default)]
    pub multiprocessors: Reading<u32>,
}

impl MigPart {
    /// Most compute instances of one GPU instance.
    const COMPUTE_INSTANCES_MAX: u32 = 8;

    /// The part of a card that has this slice, of which no more is known.
    #[must_use]
    pub fn at(parent: CardUuid, slice: u32, instance: u32) -> Self {
        Self {
            parent,
            gpu_instance: slice / Self::COMPUTE_INSTANCES_MAX,
            compute_instance: slice % Self::COMPUTE_INSTANCES_MAX,
            instance,
            profile: String::new(),
            compute_slices: Reading::default(),
            multiprocessors: Reading::default(),
        }
    }

    /// The part's number among all parts that the card can ever be cut into: its slice is `[k, k+1)`.
    #[must_use]
    pub fn slice(&self) -> u32 {
        self.gpu_instance.saturating_mul(Self::COMPUTE_INSTANCES_MAX).saturating_add(self.compute_instance)
    }
}

impl CardFacts {
    /// A whole card of which no more is known than this.
    #[must_use]
    pub fn new(uuid: CardUuid, index: u32, name: impl Into<String>) -> Self {
        Self {
            uuid,
            index,
            minor: None,
            name: name.into(),
            pci_bus_id: None,
            memory_total_mib: Reading::default(),
            part: None,
            mig_on: false,
        }
    }

    /// How people name it on its host.
    #[must_use]
    pub fn number(&self) -> CardNumber {
        CardNumber { index: self.index, instance: self.part.as_ref().map(|part| part.instance) }
    }

    /// What it is called beside its index: the model without the maker, or `MIG 3g.40gb`.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.part {
            Some(part) if !part.profile.is_empty() => format!("MIG {}", part.profile),
            Some(part) => format!("MIG {}/{}", part.gpu_instance, part.compute_instance),
            None => self.model().to_owned(),
        }
    }

    /// The model without the maker: `H100 80GB HBM3`.
    #[must_use]
    pub fn model(&self) -> &str {
        short_model(&self.name)
    }
}

/// A card's number on its host, as people say it: `3`, or `0:1` for instance 1 of card 0. Display data of one snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CardNumber {
    /// Index of the physical card.
    pub index: u32,
    /// Of a MIG instance: its number on that card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
}

impl From<u32> for CardNumber {
    fn from(index: u32) -> Self {
        Self { index, instance: None }
    }
}

impl fmt::Display for CardNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.instance {
            Some(instance) => write!(f, "{}:{instance}", self.index),
            None => write!(f, "{}", self.index),
        }
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

/// What a card does, beyond what every page shows live: for the host's page, the terminal and the record.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CardDetail {
    /// Memory that the driver keeps for itself; in neither used nor free.
    pub memory_reserved_mib: Reading<Mib>,
    /// Memory that nobody has.
    pub memory_free_mib: Reading<Mib>,
    /// Memory is the machine's own and shared with the CPU (GB10, Jetson); numbers are from `/proc/meminfo`.
    pub memory_is_unified: bool,
    /// The library is too old to tell used from reserved: used contains both.
    pub memory_used_has_reserved: bool,
    /// Share of the last sampling period in which memory was read or written, 0 to 100.
    pub memory_utilisation_percent: Reading<u32>,
    /// Encoder, 0 to 100.
    pub encoder_percent: Reading<u32>,
    /// Decoder, 0 to 100.
    pub decoder_percent: Reading<u32>,
    /// Memory's temperature.
    pub memory_temperature_celsius: Reading<u32>,
    /// Energy since the driver was loaded.
    pub energy_millijoules: Reading<u64>,
    /// Graphics clock.
    pub graphics_clock_mhz: Reading<u32>,
    /// Memory clock.
    pub memory_clock_mhz: Reading<u32>,
    /// P-state, 0 (fastest) to 15.
    pub performance_state: Reading<u32>,
    /// Why clocks are lower than they could be.
    pub slowed_by: Reading<Vec<Slowdown>>,
    /// PCIe generation in use.
    pub pcie_generation: Reading<u32>,
    /// PCIe lanes in use.
    pub pcie_width: Reading<u32>,
    /// Corrected ECC errors since the driver was loaded.
    pub ecc_corrected: Reading<u64>,
    /// Uncorrected ECC errors since the driver was loaded.
    pub ecc_uncorrected: Reading<u64>,
    /// Pages retired for good (before Ampere).
    pub retired_pages: Reading<u32>,
    /// Pages wait for a restart of the card to be retired.
    pub retirement_pending: Reading<bool>,
    /// Rows replaced by spare ones (Ampere and later).
    pub remapped_rows: Reading<RemappedRows>,
    /// The last Xid that this agent saw on the card.
    pub last_xid: Option<Xid>,
    /// At [`crate::strain::HOT_CELSIUS`] or above without a break since.
    #[serde(with = "time::serde::rfc3339::option")]
    pub hot_since: Option<OffsetDateTime>,
    /// At [`crate::strain::CAPPED_PERCENT`] of the power limit or above without a break since.
    #[serde(with = "time::serde::rfc3339::option")]
    pub power_capped_since: Option<OffsetDateTime>,
}

/// Why a card is slower than it could be; NVML's clocks event (throttle) reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slowdown {
    /// Nothing to do. No problem.
    Idle,
    /// Clocks were set so by the administrator.
    ApplicationClocks,
    /// At the power limit.
    PowerCap,
    /// Hardware: too hot, too much current, or told to by the power supply.
    Hardware,
    /// Waits for another card that it is in step with.
    SyncBoost,
    /// Driver: too hot.
    SoftwareThermal,
    /// Hardware: too hot.
    HardwareThermal,
    /// Hardware: the power supply asks for it.
    PowerBrake,
    /// A display's clock holds it.
    Display,
    /// A reason that this version does not know.
    #[serde(other)]
    Other,
}

/// State of row remapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemappedRows {
    /// For corrected errors.
    pub corrected: u32,
    /// For uncorrected errors.
    pub uncorrected: u32,
    /// A remap waits for a reset.
    pub pending: bool,
    /// A remap has failed: the card is to be replaced.
    pub failed: bool,
}

/// An error message of the driver about a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Xid {
    /// Number in NVIDIA's list.
    pub code: u64,
    /// When, by the host's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
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
    /// Power is off to save energy (a laptop's second card); it was left asleep.
    Asleep,
    /// Memory repair waits for a reset of the card (row remap or page retirement pending).
    RepairPending,
    /// Memory repair has failed: the card is to be replaced.
    Defective,
    /// The card answers with errors that have no name.
    #[serde(other)]
    Failing,
}

impl CardHealth {
    /// Fit for work, so that it can be booked. A card that sleeps wakes up for its job.
    #[must_use]
    pub fn is_well(self) -> bool {
        matches!(self, Self::Ok | Self::Asleep)
    }
}
