//! How the cards are linked: what each pair hangs on, and where each NVLink lane ends.

use std::fs;

use domain::card::CardFacts;
use domain::reading::{Missing, Reading};
use domain::topology::{Ancestor, LinkedCard, NvLink, Pair, Remote, Topology};
use nvml_wrapper::enum_wrappers::device::{P2pCapabilitiesIndex, P2pStatus, TopologyLevel};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::health::{missing, reading};
use super::inventory::sysfs_address;
use super::raw::{self, FarEnd};
use super::traits::hold;
use crate::host::Places;

/// More lanes than any card has.
const LANES_MAX: u32 = 64;
/// Words of a set of CPUs that NVML is given room for: 1024 CPUs.
const CPU_WORDS: usize = 16;
/// Words of a set of NUMA nodes.
const NUMA_WORDS: usize = 16;
/// `NVML_AFFINITY_SCOPE_NODE`
const NODE_SCOPE: u32 = 0;
/// PCI class of graphics cards.
const CARD_CLASS: &str = "0x03";

/// A physical card; without a handle, where it does not answer.
pub(super) struct Physical<'nvml> {
    pub(super) facts: CardFacts,
    pub(super) handle: Option<Device<'nvml>>,
}

/// Reads the links of all cards. What cannot be read now is kept from before; whether there was such a gap is the second
/// value.
pub(super) fn read(nvml: &Nvml, cards: &[Physical<'_>], before: &Topology, places: &Places) -> (Topology, bool) {
    let mut open = false;
    let linked: Vec<LinkedCard> = cards
        .iter()
        .map(|card| {
            let old = before.cards.iter().find(|old| old.uuid == card.facts.uuid);
            let (linked, gap) = linked(nvml, card, cards, old, places);
            open |= gap;
            linked
        })
        .collect();
    let mut pairs = Vec::new();
    for (a, one) in cards.iter().enumerate() {
        for (b, other) in cards.iter().enumerate().skip(a + 1) {
            let mut pair = pair(nvml, one, other);
            (pair.a, pair.b) = (position(a), position(b));
            let old = pair_before(before, one, other);
            open |= hold(&mut pair.ancestor, old.map(|old| &old.ancestor));
            open |= hold(&mut pair.nvlink_p2p, old.map(|old| &old.nvlink_p2p));
            pairs.push(pair);
        }
    }
    (Topology { cards: linked, pairs }, open)
}

fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn pair_before<'a>(before: &'a Topology, one: &Physical<'_>, other: &Physical<'_>) -> Option<&'a Pair> {
    let at = |card: &Physical<'_>| before.cards.iter().position(|old| old.uuid == card.facts.uuid).map(position);
    let (a, b) = (at(one)?, at(other)?);
    before.pairs.iter().find(|pair| (pair.a, pair.b) == (a.min(b), a.max(b)))
}

fn pair(nvml: &Nvml, one: &Physical<'_>, other: &Physical<'_>) -> Pair {
    let (Some(one), Some(other)) = (&one.handle, &other.handle) else {
        return Pair { a: 0, b: 0, ancestor: Reading::default(), nvlink_p2p: Reading::default() };
    };
    let p2p = one.p2p_status(other, P2pCapabilitiesIndex::NvLink).and_then(|status| match status {
        P2pStatus::Ok => Ok(true),
        P2pStatus::Unknown => Err(NvmlError::Unknown),
        _ => Ok(false),
    });
    let ancestor = reading(nvml.topology_common_ancestor(one, other).map(ancestor));
    Pair { a: 0, b: 0, ancestor, nvlink_p2p: reading(p2p) }
}

fn ancestor(level: TopologyLevel) -> Ancestor {
    match level {
        TopologyLevel::Internal => Ancestor::Internal,
        TopologyLevel::Single => Ancestor::Single,
        TopologyLevel::Multiple => Ancestor::Multiple,
        TopologyLevel::HostBridge => Ancestor::HostBridge,
        TopologyLevel::Node => Ancestor::Node,
        TopologyLevel::System => Ancestor::System,
    }
}

fn linked(
    nvml: &Nvml,
    card: &Physical<'_>,
    all: &[Physical<'_>],
    old: Option<&LinkedCard>,
    places: &Places,
) -> (LinkedCard, bool) {
    let facts = &card.facts;
    let mut linked = LinkedCard {
        uuid: facts.uuid.clone(),
        index: facts.index,
        pci_bus_id: facts.pci_bus_id.clone(),
        cpu_affinity: Reading::default(),
        numa_affinity: Reading::default(),
        gpu_numa_id: Reading::default(),
        nvlinks: Vec::new(),
    };
    let mut open = true;
    if let Some(handle) = &card.handle {
        linked.cpu_affinity = set(handle.cpu_affinity(CPU_WORDS));
        linked.numa_affinity = numa(handle, facts, places);
        linked.gpu_numa_id = match handle.numa_node_id() {
            // What a signed -1 looks like.
            Ok(u32::MAX) => Reading::missing(Missing::NotSupported),
            other => reading(other),
        };
        let asked = Lanes { nvml, handle, all, places, old: old.map_or(&[], |old| &old.nvlinks) };
        (linked.nvlinks, open) = asked.read();
    } else if let Some(old) = old {
        linked.nvlinks.clone_from(&old.nvlinks);
    }
    open |= hold(&mut linked.cpu_affinity, old.map(|old| &old.cpu_affinity));
    open |= hold(&mut linked.numa_affinity, old.map(|old| &old.numa_affinity));
    open |= hold(&mut linked.gpu_numa_id, old.map(|old| &old.gpu_numa_id));
    (linked, open)
}

/// By the driver, or by the kernel where the driver does not say.
fn numa(handle: &Device<'_>, facts: &CardFacts, places: &Places) -> Reading<String> {
    let told = set(handle.memory_affinity(NUMA_WORDS, NODE_SCOPE));
    if told.value().is_some() {
        return told;
    }
    let node = facts.pci_bus_id.as_ref().and_then(|address| {
        let text = fs::read_to_string(places.pci(address).join("numa_node")).ok()?;
        text.trim().parse::<u32>().ok()
    });
    node.map_or(told, |node| Reading::Value(node.to_string()))
}

/// A set of bits as the kernel writes lists: `0-55,112-167`. An empty one says nothing.
fn set(words: Result<Vec<std::ffi::c_ulong>, NvmlError>) -> Reading<String> {
    let words = match words {
        Ok(words) => words,
        Err(error) => return Reading::missing(missing(&error)),
    };
    let bits = std::ffi::c_ulong::BITS as usize;
    let members: Vec<usize> =
        (0..words.len() * bits).filter(|member| words[member / bits] >> (member % bits) & 1 == 1).collect();
    let list = ranges(&members);
    if list.is_empty() { Reading::missing(Missing::NotSupported) } else { Reading::Value(list) }
}

fn ranges(members: &[usize]) -> String {
    let runs = members.chunk_by(|one, next| *next == one + 1);
    let texts: Vec<String> = runs
        .filter_map(|run| match run {
            [] => None,
            [only] => Some(only.to_string()),
            [first, .., last] => Some(format!("{first}-{last}")),
        })
        .collect();
    texts.join(",")
}

/// The lanes of one card.
struct Lanes<'a, 'nvml> {
    nvml: &'a Nvml,
    handle: &'a Device<'nvml>,
    all: &'a [Physical<'nvml>],
    places: &'a Places,
    old: &'a [NvLink],
}

impl Lanes<'_, '_> {
    /// Only the state of a lane says whether there is such a lane: what it is capable of is told of any number.
    fn read(&self) -> (Vec<NvLink>, bool) {
        let (mut lanes, mut open) = (Vec::new(), false);
        for link in 0..LANES_MAX {
            let before = self.old.iter().find(|old| old.link == link);
            match self.handle.link_wrapper_for(link).is_active() {
                Ok(active) => lanes.push(self.lane(link, active)),
                Err(NvmlError::InvalidArg | NvmlError::NotSupported | NvmlError::FailedToLoadSymbol(_)) => break,
                Err(_) => {
                    open = true;
                    // There is no more to be known of how many lanes there are.
                    let Some(before) = before else { break };
                    lanes.push(before.clone());
                }
            }
        }
        (lanes, open)
    }

    fn lane(&self, link: u32, active: bool) -> NvLink {
        let lane = self.handle.link_wrapper_for(link);
        let version = reading(lane.version());
        let remote = if active { self.remote(link) } else { Remote::Unknown };
        NvLink { link, active, version, remote }
    }

    fn remote(&self, link: u32) -> Remote {
        let kind = raw::far_end(self.nvml, self.handle, link).ok();
        let address = self.handle.link_wrapper_for(link).remote_pci_info().ok();
        let address = address.as_ref().map(|pci| sysfs_address(&pci.bus_id).filter(|address| !is_masked(address)));
        let of_host = |address: &String| self.all.iter().find(|card| card.facts.pci_bus_id.as_ref() == Some(address));
        if let Some(card) = address.as_ref().and_then(Option::as_ref).and_then(of_host) {
            return Remote::Card { uuid: card.facts.uuid.clone() };
        }
        match (kind, address) {
            (Some(FarEnd::Processor), _) => Remote::Processor,
            (Some(FarEnd::Switch), address) => Remote::Switch { pci_bus_id: address.flatten() },
            // A card that this machine does not show us, as in a container with some of the cards.
            (Some(FarEnd::Card), Some(Some(_))) | (_, None) => Remote::Unknown,
            (_, Some(None)) => Remote::Switch { pci_bus_id: None },
            (_, Some(Some(address))) => self.by_class(address),
        }
    }

    /// What is no card of this host is a switch, unless the kernel knows better.
    fn by_class(&self, address: String) -> Remote {
        let class = fs::read_to_string(self.places.pci(&address).join("class")).unwrap_or_default();
        if class.starts_with(CARD_CLASS) {
            return Remote::Unknown;
        }
        Remote::Switch { pci_bus_id: Some(address) }
    }
}

/// Virtual machines hide switches behind an address of ones, or of zeros.
fn is_masked(address: &str) -> bool {
    let front = address.split('.').next().unwrap_or(address);
    ['f', '0'].iter().any(|&digit| front.chars().all(|c| c == digit || c == ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_as_the_kernel_writes_them() {
        assert_eq!(set(Ok(vec![0b1011, 1])), Reading::Value("0-1,3,64".to_owned()));
        assert_eq!(set(Ok(vec![u64::MAX, u64::MAX])), Reading::Value("0-127".to_owned()));
        assert_eq!(set(Ok(vec![0, 0])), Reading::missing(Missing::NotSupported));
        assert_eq!(set(Err(NvmlError::GpuLost)), Reading::missing(Missing::Lost));
        assert_eq!(ranges(&[1, 2, 4]), "1-2,4");
    }

    #[test]
    fn hidden_addresses_are_known() {
        assert!(["fffffff:ffff:ff", "fffffff:ffff:ff.0", "0000:00:00.0"].iter().all(|hidden| is_masked(hidden)));
        assert!(["0000:c4:00.0", "0000:0f:00.0"].iter().all(|plain| !is_masked(plain)));
    }
}
