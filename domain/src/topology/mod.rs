//! How a host's cards are linked.
//!
//! - here: what NVML says of each card and each pair, as it travels
//! - [`path`]: what follows for each pair, in the words of `nvidia-smi topo -m`, and how well a set of cards is linked
//! - [`layout`]: what hangs on what, as a picture shows it
//! - [`table`]: the matrix as text

pub mod layout;
pub mod path;
pub mod table;

pub use layout::{Bundle, Fabric, Generation, Layout, NodeGroup, PcieGroup};
pub use path::{Linkage, Matrix, Path};

use serde::{Deserialize, Serialize};

use crate::id::CardUuid;
use crate::reading::Reading;

/// What NVML says about the links of one host's physical cards.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Topology {
    /// Physical cards in index order.
    pub cards: Vec<LinkedCard>,
    /// Every pair once, the lower position first.
    pub pairs: Vec<Pair>,
}

/// A card and its ends of the links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkedCard {
    /// Which.
    pub uuid: CardUuid,
    /// Index at the time.
    pub index: u32,
    /// PCI address as sysfs writes it (`0000:1b:00.0`).
    #[serde(default)]
    pub pci_bus_id: Option<String>,
    /// CPUs near the card, as the kernel lists them (`0-55,112-167`).
    #[serde(default)]
    pub cpu_affinity: Reading<String>,
    /// NUMA nodes near the card, likewise.
    #[serde(default)]
    pub numa_affinity: Reading<String>,
    /// The card's memory as a NUMA node of its own (GH200, GB200).
    #[serde(default)]
    pub gpu_numa_id: Reading<u32>,
    /// NVLink lanes in order of their number; empty where the card has none.
    #[serde(default)]
    pub nvlinks: Vec<NvLink>,
}

/// One NVLink lane of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NvLink {
    /// Number.
    pub link: u32,
    /// Up. Says nothing about who is at the other end.
    pub active: bool,
    /// NVML's version enumeration, not a version: 1=1.0 2=2.0 3=2.2 4=3.0 5=3.1 6=4.0 7=5.0.
    #[serde(default)]
    pub version: Reading<u32>,
    /// What is at the other end.
    pub remote: Remote,
}

/// What is at the other end of an NVLink lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum Remote {
    /// A card of this host.
    Card {
        /// Which.
        uuid: CardUuid,
    },
    /// A switch, known or taken for one because it is no card of this host.
    Switch {
        /// Its PCI address; `None` where it is hidden.
        #[serde(default)]
        pci_bus_id: Option<String>,
    },
    /// A CPU or another processor.
    Processor,
    /// Not known, as with lanes that are down.
    #[serde(other)]
    Unknown,
}

/// What NVML says about two cards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Position of the one in [`Topology::cards`].
    pub a: u32,
    /// Position of the other, higher.
    pub b: u32,
    /// The nearest thing that both hang on.
    #[serde(default)]
    pub ancestor: Reading<Ancestor>,
    /// Whether they reach each other's memory over NVLink.
    #[serde(default)]
    pub nvlink_p2p: Reading<bool>,
}

/// The nearest thing in the PCIe tree that two cards hang on; NVML's topology levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ancestor {
    /// The same board (level 0).
    Internal,
    /// One PCIe switch (level 10): `PIX`.
    Single,
    /// Several PCIe switches (level 20): `PXB`.
    Multiple,
    /// One host bridge (level 30): `PHB`.
    HostBridge,
    /// One NUMA node (level 40): `NODE`.
    Node,
    /// Different NUMA nodes (level 50): `SYS`; or a level that this version does not know.
    #[serde(other)]
    System,
}

#[cfg(test)]
mod tests;
