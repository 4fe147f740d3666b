//! What an inventory may hold: as with reports, text is cleaned and cut, numbers that cannot be are unknown.

use std::collections::HashSet;

use domain::error::{ApiError, ErrorCode};
use domain::inventory::{CardInventory, CardTraits, Inventory, Machine, NumaNode};
use domain::reading::{Missing, Reading};
use domain::text::en;
use domain::topology::{LinkedCard, NvLink, Pair, Remote, Topology};
use domain::wire::agent_v1::{INVENTORY_MAX_BYTES, REPORT_CARDS_MAX};
use time::OffsetDateTime;

use super::report_check::{MEMORY_MAX_MIB, NAME_MAX, NUMBER_MAX, SHORT_MAX, at_most, clean, instant, is_pci_address};

/// Most NUMA nodes: cards with memory of their own bring dozens.
const NODES_MAX: usize = 1024;
/// Longest list of CPUs, in characters.
const LIST_MAX: usize = 256;
/// Most NVLink lanes of a card.
const LANES_MAX: usize = 64;
/// More cards than this have no matrix.
const LINKED_MAX: usize = 64;
/// Highest temperature, in degrees Celsius.
const CELSIUS_MAX: u32 = 1_000;
/// A hundred kilowatts.
const POWER_MAX_MW: u32 = 100_000_000;
/// A hundred gigahertz.
const CLOCK_MAX_MHZ: u32 = 100_000;
/// Highest number of anything else: generations, lanes, versions.
const SMALL_MAX: u32 = 1024;

/// The inventory with everything in bounds.
///
/// # Errors
/// `input.invalid` where there is too much of it.
pub fn checked(inventory: Inventory, now: OffsetDateTime) -> Result<Inventory, ApiError> {
    let words = &en().reports;
    let refuse = |message: String| Err(ApiError::new(ErrorCode::BadInput, message));
    let Inventory { machine, cards, topology } = inventory;
    if cards.len() > REPORT_CARDS_MAX || topology.cards.len() > LINKED_MAX {
        return refuse((words.too_many_cards)(REPORT_CARDS_MAX.min(LINKED_MAX)));
    }
    let mut seen = HashSet::new();
    if let Some(twice) = cards.iter().find(|card| !seen.insert(&card.uuid)) {
        return refuse((words.card_twice)(twice.uuid.as_str()));
    }
    let mut seen = HashSet::new();
    if let Some(twice) = topology.cards.iter().find(|card| !seen.insert(&card.uuid)) {
        return refuse((words.card_twice)(twice.uuid.as_str()));
    }
    let checked = Inventory {
        machine: self::machine(machine, now),
        cards: cards.into_iter().map(|card| CardInventory { uuid: card.uuid, traits: traits(card.traits) }).collect(),
        topology: self::topology(topology),
    };
    match serde_json::to_vec(&checked) {
        Ok(json) if json.len() <= INVENTORY_MAX_BYTES => Ok(checked),
        _ => refuse((words.inventory_too_large)(INVENTORY_MAX_BYTES)),
    }
}

fn machine(machine: Machine, now: OffsetDateTime) -> Machine {
    Machine {
        kernel: text(machine.kernel, NAME_MAX),
        os: text(machine.os, NAME_MAX),
        cpu_model: text(machine.cpu_model, NAME_MAX),
        cpus: machine.cpus.filter(|cpus| *cpus <= NUMBER_MAX),
        memory_total_mib: at_most(machine.memory_total_mib, MEMORY_MAX_MIB),
        numa: machine.numa.into_iter().take(NODES_MAX).map(node).collect(),
        booted_at: machine.booted_at.map(|at| instant(at, now)),
        driver_version: text(machine.driver_version, SHORT_MAX),
        cuda_version: text(machine.cuda_version, SHORT_MAX),
        nvml_version: text(machine.nvml_version, SHORT_MAX),
        platform: machine.platform,
        sees_processes: machine.sees_processes,
    }
}

fn node(node: NumaNode) -> NumaNode {
    NumaNode {
        id: node.id.min(NUMBER_MAX),
        cpus: clean(&node.cpus, LIST_MAX),
        memory_total_mib: at_most(node.memory_total_mib, MEMORY_MAX_MIB),
    }
}

fn traits(traits: CardTraits) -> CardTraits {
    let celsius = |reading: Reading<u32>| at_most(reading, CELSIUS_MAX);
    let clock = |reading: Reading<u32>| at_most(reading, CLOCK_MAX_MHZ);
    let small = |reading: Reading<u32>| at_most(reading, SMALL_MAX);
    CardTraits {
        brand: word(traits.brand, SHORT_MAX),
        architecture: word(traits.architecture, SHORT_MAX),
        compute_capability: pair(traits.compute_capability, SMALL_MAX),
        cores: at_most(traits.cores, NUMBER_MAX),
        serial: word(traits.serial, SHORT_MAX),
        vbios: word(traits.vbios, SHORT_MAX),
        gsp_firmware: word(traits.gsp_firmware, SHORT_MAX),
        slowdown_celsius: celsius(traits.slowdown_celsius),
        shutdown_celsius: celsius(traits.shutdown_celsius),
        max_operating_celsius: celsius(traits.max_operating_celsius),
        default_power_limit_milliwatts: at_most(traits.default_power_limit_milliwatts, POWER_MAX_MW),
        power_limit_range_milliwatts: pair(traits.power_limit_range_milliwatts, POWER_MAX_MW),
        max_sm_clock_mhz: clock(traits.max_sm_clock_mhz),
        max_memory_clock_mhz: clock(traits.max_memory_clock_mhz),
        max_pcie_generation: small(traits.max_pcie_generation),
        max_pcie_width: small(traits.max_pcie_width),
        ecc_enabled: traits.ecc_enabled,
        compute_mode: traits.compute_mode,
        persistence: traits.persistence,
        mig_enabled: traits.mig_enabled,
        mig_pending: traits.mig_pending,
        virtualisation: word(traits.virtualisation, SHORT_MAX),
        display_active: traits.display_active,
    }
}

fn topology(topology: Topology) -> Topology {
    let count = u32::try_from(topology.cards.len()).unwrap_or(u32::MAX);
    let mut seen = HashSet::new();
    let fits = |pair: &Pair| pair.a < pair.b && pair.b < count;
    Topology {
        pairs: topology.pairs.into_iter().filter(|pair| fits(pair) && seen.insert((pair.a, pair.b))).collect(),
        cards: topology.cards.into_iter().map(linked).collect(),
    }
}

fn linked(card: LinkedCard) -> LinkedCard {
    LinkedCard {
        uuid: card.uuid,
        index: card.index.min(NUMBER_MAX),
        pci_bus_id: card.pci_bus_id.filter(|address| is_pci_address(address)),
        cpu_affinity: word(card.cpu_affinity, LIST_MAX),
        numa_affinity: word(card.numa_affinity, LIST_MAX),
        gpu_numa_id: at_most(card.gpu_numa_id, NUMBER_MAX),
        nvlinks: card.nvlinks.into_iter().take(LANES_MAX).map(lane).collect(),
    }
}

fn lane(lane: NvLink) -> NvLink {
    let remote = match lane.remote {
        Remote::Switch { pci_bus_id } => Remote::Switch { pci_bus_id: pci_bus_id.filter(|id| is_pci_address(id)) },
        remote @ (Remote::Card { .. } | Remote::Processor | Remote::Unknown) => remote,
    };
    NvLink { link: lane.link.min(SMALL_MAX), active: lane.active, version: at_most(lane.version, SMALL_MAX), remote }
}

fn text(text: Option<String>, most: usize) -> Option<String> {
    text.map(|text| clean(&text, most)).filter(|text| !text.is_empty())
}

fn word(reading: Reading<String>, most: usize) -> Reading<String> {
    reading.map(|text| clean(&text, most))
}

fn pair(reading: Reading<(u32, u32)>, most: u32) -> Reading<(u32, u32)> {
    match reading {
        Reading::Value((a, b)) if a > most || b > most => Reading::missing(Missing::Unknown),
        reading => reading,
    }
}

#[cfg(test)]
mod tests;
