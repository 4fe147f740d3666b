//! What hangs on what: NUMA nodes, in them PCIe groups, in those cards; and the NVLinks across, card to card or
//! through switches. Cards are named by their position in [`Topology::cards`].

use std::collections::BTreeSet;

use super::path::Cabling;
use super::{Ancestor, NvLink, Path, Remote, Topology};

/// A host's cards as a picture shows them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Layout {
    /// NUMA nodes in the order of their first card.
    pub nodes: Vec<NodeGroup>,
    /// Lanes from card to card, in the order of their cards.
    pub bundles: Vec<Bundle>,
    /// Switches that cards meet in.
    pub fabric: Option<Fabric>,
}

/// Cards near one NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroup {
    /// The node, or several, as the kernel lists them; `None` where it is not known.
    pub numa: Option<String>,
    /// Its CPUs, as the kernel lists them, where its cards agree.
    pub cpus: Option<String>,
    /// Its cards by what they share on PCIe.
    pub pcie: Vec<PcieGroup>,
}

/// Cards that share something on PCIe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PcieGroup {
    /// The longest path in it: [`Path::Pix`] or [`Path::Pxb`] for switches, [`Path::Phb`] for a host bridge, `None` for
    /// a card that shares nothing.
    pub through: Option<Path>,
    /// Positions, ascending.
    pub cards: Vec<usize>,
}

/// Lanes between two cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Position of the one.
    pub a: usize,
    /// Position of the other, higher.
    pub b: usize,
    /// Lanes that are up.
    pub lanes: u32,
    /// What they are, where that is known; the oldest, where they differ.
    pub generation: Option<Generation>,
}

/// Cards that meet in switches: every one of them reaches every other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fabric {
    /// Switches that are known by their address; 0 where all are hidden.
    pub switches: usize,
    /// Position and lanes of each card, in order.
    pub ports: Vec<(usize, u32)>,
    /// What the lanes are, where that is known; the oldest, where they differ.
    pub generation: Option<Generation>,
}

impl Fabric {
    /// Lanes of every card, where all have the same number.
    #[must_use]
    pub fn lanes_each(&self) -> Option<u32> {
        let first = self.ports.first()?.1;
        self.ports.iter().all(|(_, lanes)| *lanes == first).then_some(first)
    }
}

/// A generation of NVLink: NVML's number of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(pub u32);

impl Generation {
    /// Version as NVIDIA names it; `None` for one that came after this program.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let names = ["1.0", "2.0", "2.2", "3.0", "3.1", "4.0", "5.0"];
        names.get(usize::try_from(self.0).ok()?.checked_sub(1)?).copied()
    }

    /// What one lane carries each way, in MB/s, as NVIDIA states it.
    #[must_use]
    pub fn lane_megabytes_per_second(self) -> Option<u32> {
        match self.0 {
            1 => Some(20_000),
            2..=4 | 6 => Some(25_000),
            5 => Some(14_062),
            7 => Some(50_000),
            _ => None,
        }
    }

    /// What so many lanes carry each way, in GB/s.
    #[must_use]
    pub fn gigabytes_per_second(self, lanes: u32) -> Option<u32> {
        self.lane_megabytes_per_second().map(|each| (each.saturating_mul(lanes) + 500) / 1000)
    }
}

/// The oldest generation of the lanes that are up.
fn oldest<'a>(lanes: impl Iterator<Item = &'a NvLink>) -> Option<Generation> {
    lanes.filter(|lane| lane.active).filter_map(|lane| lane.version.get()).min().map(Generation)
}

impl Topology {
    /// What hangs on what.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let cabling = Cabling::of(self);
        let fabric = self.fabric(&cabling);
        let size = self.cards.len();
        let pairs = (0..size).flat_map(|a| (a + 1..size).map(move |b| (a, b)));
        let bundles = pairs.filter(|(a, b)| !cabling.is_denied(*a, *b)).filter_map(|(a, b)| {
            // Without a fabric that joins all, what is behind the lanes is just the other card.
            let behind = if fabric.is_some() { 0 } else { cabling.switched(a, b) };
            let lanes = cabling.direct(a, b) + behind;
            let ends = self.cards[a].nvlinks.iter().chain(&self.cards[b].nvlinks);
            (lanes > 0).then(|| Bundle { a, b, lanes, generation: oldest(ends) })
        });
        let bundles = bundles.collect();
        Layout { nodes: self.nodes(&cabling), bundles, fabric }
    }

    /// The switches; none where NVML says of two of their cards that they do not reach each other: lanes with an unknown
    /// other end are then bridges.
    fn fabric(&self, cabling: &Cabling<'_>) -> Option<Fabric> {
        let ports = cabling.lanes.iter().enumerate().map(|(at, lanes)| (at, lanes.to_switch));
        let ports: Vec<(usize, u32)> = ports.filter(|(_, lanes)| *lanes > 0).collect();
        let apart = ports.iter().any(|(a, _)| ports.iter().any(|(b, _)| a < b && cabling.is_denied(*a, *b)));
        if ports.len() < 2 || apart {
            return None;
        }
        let lanes = || ports.iter().flat_map(|(at, _)| &self.cards[*at].nvlinks).filter(|lane| lane.active);
        let known = lanes().filter_map(|lane| match &lane.remote {
            Remote::Switch { pci_bus_id } => pci_bus_id.as_deref(),
            _ => None,
        });
        let switches = known.collect::<BTreeSet<&str>>().len();
        let generation = oldest(lanes().filter(|lane| matches!(lane.remote, Remote::Switch { .. } | Remote::Unknown)));
        Some(Fabric { switches, ports, generation })
    }

    fn nodes(&self, cabling: &Cabling<'_>) -> Vec<NodeGroup> {
        let numa = |at: usize| self.cards[at].numa_affinity.value().filter(|text| !text.is_empty());
        let near = |a: usize, b: usize, at_most: Ancestor| cabling.ancestor(a, b).is_some_and(|it| it <= at_most);
        let all: Vec<usize> = (0..self.cards.len()).collect();
        let groups = clusters(&all, |a, b| match (numa(a), numa(b)) {
            (Some(one), Some(other)) => one == other,
            // One place for all cards that nothing is known of.
            (None, None) => cabling.ancestor(a, b).is_none_or(|it| it <= Ancestor::Node),
            _ => near(a, b, Ancestor::Node),
        });
        let node = |cards: Vec<usize>| {
            let cpus = |at: usize| self.cards[at].cpu_affinity.value().filter(|text| !text.is_empty());
            let first = cards.first().and_then(|at| cpus(*at));
            NodeGroup {
                numa: cards.iter().find_map(|at| numa(*at)).cloned(),
                cpus: first.filter(|first| cards.iter().all(|at| cpus(*at) == Some(first))).cloned(),
                pcie: pcie_groups(&cards, cabling),
            }
        };
        groups.into_iter().map(node).collect()
    }
}

/// Cards behind common switches; of the others, those behind one host bridge; the rest alone.
fn pcie_groups(cards: &[usize], cabling: &Cabling<'_>) -> Vec<PcieGroup> {
    let within = |at_most: Ancestor| move |a: usize, b: usize| cabling.ancestor(a, b).is_some_and(|it| it <= at_most);
    let (switches, alone): (Vec<_>, Vec<_>) =
        clusters(cards, within(Ancestor::Multiple)).into_iter().partition(|group| group.len() > 1);
    let alone: Vec<usize> = alone.into_iter().flatten().collect();
    let bridges = clusters(&alone, within(Ancestor::HostBridge));
    let group = |cards: Vec<usize>| {
        let pairs = cards.iter().flat_map(|a| cards.iter().filter(move |b| a < b).map(move |b| (*a, *b)));
        let through = pairs.filter_map(|(a, b)| cabling.ancestor(a, b)).max().map(Path::over_pcie);
        PcieGroup { through, cards }
    };
    let mut groups: Vec<PcieGroup> = switches.into_iter().chain(bridges).map(group).collect();
    groups.sort_by_key(|group| group.cards.first().copied());
    groups
}

/// Splits the cards into groups of which each card is together with another one, in the order of their first cards.
fn clusters(cards: &[usize], together: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &card in cards {
        let (joined, mut rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|&other| together(other, card)));
        let mut group: Vec<usize> = joined.into_iter().flatten().chain([card]).collect();
        group.sort_unstable();
        rest.push(group);
        groups = rest;
    }
    groups.sort();
    groups
}
