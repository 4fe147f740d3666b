//! The host's inventory: read when NVML is opened, when the set of cards changes, and once a minute; kept otherwise.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::card::CardFacts;
use domain::id::CardUuid;
use domain::inventory::{CardInventory, CardTraits, Inventory, Machine};
use domain::reading::Missing;
use domain::topology::Topology;
use nvml_wrapper::Nvml;

use super::links::{self, Physical};
use super::traits;
use crate::host::{self, Places};

/// It is read again after so many rounds, or after [`AGAIN`], whichever is first.
const AGAIN_ROUNDS: u32 = 30;
const AGAIN: Duration = Duration::from_secs(60);
/// Where something could not be read, after so many rounds, and then after twice as many each time.
const GAP_ROUNDS: u32 = 2;
/// A start of the kernel that moves less than this, in seconds, is the clock being put right.
const BOOT_SLACK: i64 = 60;

/// What NVML says of itself when it is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) driver: Option<String>,
    pub(super) cuda: Option<String>,
    pub(super) nvml: Option<String>,
}

/// An inventory and its name.
#[derive(Clone, Debug)]
pub(super) struct Stocked {
    pub(super) inventory: Arc<Inventory>,
    pub(super) id: String,
}

/// The inventory over the life of the agent.
pub(super) struct Stock {
    current: Option<Stocked>,
    /// What the cards were when it was read.
    of: Vec<CardUuid>,
    read_at: Option<Instant>,
    rounds: u32,
    due_after: u32,
    gap: u32,
    sees_processes: bool,
}

impl Stock {
    pub(super) const fn new(sees_processes: bool) -> Self {
        Self { current: None, of: Vec::new(), read_at: None, rounds: 0, due_after: 0, gap: GAP_ROUNDS, sees_processes }
    }

    /// The last one; `None` before NVML has answered for the first time.
    pub(super) fn current(&self) -> Option<&Stocked> {
        self.current.as_ref()
    }

    /// It must be read again: NVML was opened anew.
    pub(super) fn expire(&mut self) {
        self.read_at = None;
        self.gap = GAP_ROUNDS;
    }

    /// Whether it is to be read in this round, with these cards listed.
    pub(super) fn is_due(&mut self, listed: &[CardFacts], now: Instant) -> bool {
        self.rounds = self.rounds.saturating_add(1);
        let old = self.read_at.is_none_or(|at| now.saturating_duration_since(at) >= AGAIN);
        old || self.rounds >= self.due_after || !listed.iter().map(|facts| &facts.uuid).eq(&self.of)
    }

    /// Reads it. `listed` are all cards of the report, `physical` those that are no MIG instances.
    pub(super) fn read(
        &mut self,
        nvml: &Nvml,
        versions: &Versions,
        listed: &[CardFacts],
        physical: &[Physical<'_>],
        places: &Places,
        now: Instant,
    ) {
        let before = self.current.as_ref().map(|stocked| Arc::clone(&stocked.inventory));
        let empty = Topology::default();
        let (topology, mut open) =
            links::read(nvml, physical, before.as_ref().map_or(&empty, |before| &before.topology), places);
        let mut cards: Vec<CardInventory> = Vec::with_capacity(listed.len());
        for facts in listed {
            let old = before.as_ref().and_then(|before| traits_of(&before.cards, &facts.uuid));
            let mut fresh = match &facts.part {
                Some(part) => traits_of(&cards, &part.parent).map(traits::of_instance),
                None => physical
                    .iter()
                    .find(|card| card.facts.uuid == facts.uuid)
                    .and_then(|card| card.handle.as_ref())
                    .map(traits::of),
            }
            .unwrap_or_else(|| traits::all_missing(Missing::Unknown));
            // What an instance does not have of its own is its card's, and waits with it.
            open |= traits::fill(&mut fresh, old) && facts.part.is_none();
            cards.push(CardInventory { uuid: facts.uuid.clone(), traits: fresh });
        }
        let mut machine = machine(places, versions, before.as_ref().map(|before| &before.machine));
        machine.sees_processes = self.sees_processes;
        self.put(Inventory { machine, cards, topology });
        self.of = listed.iter().map(|facts| facts.uuid.clone()).collect();
        (self.read_at, self.rounds) = (Some(now), 0);
        self.due_after = if open { self.gap.min(AGAIN_ROUNDS) } else { AGAIN_ROUNDS };
        self.gap = if open { self.gap.saturating_mul(2) } else { GAP_ROUNDS };
    }

    /// The same content keeps its place, so that those who hold it need not compare.
    fn put(&mut self, fresh: Inventory) {
        if self.current.as_ref().is_none_or(|stocked| *stocked.inventory != fresh) {
            let id = content_id(&fresh);
            self.current = Some(Stocked { inventory: Arc::new(fresh), id });
        }
    }
}

fn traits_of<'a>(cards: &'a [CardInventory], uuid: &CardUuid) -> Option<&'a CardTraits> {
    cards.iter().find(|card| card.uuid == *uuid).map(|card| &card.traits)
}

fn machine(places: &Places, versions: &Versions, before: Option<&Machine>) -> Machine {
    let mut machine = host::machine(places);
    machine.driver_version.clone_from(&versions.driver);
    machine.cuda_version.clone_from(&versions.cuda);
    machine.nvml_version.clone_from(&versions.nvml);
    // The kernel reckons its start back from the present, so it moves whenever the clock is put right.
    if let (Some(was), Some(is)) = (before.and_then(|before| before.booted_at), machine.booted_at)
        && (was - is).whole_seconds().abs() < BOOT_SLACK
    {
        machine.booted_at = Some(was);
    }
    machine
}

/// A name for the content, 16 hexadecimal digits.
fn content_id(inventory: &Inventory) -> String {
    format!("{:016x}", fnv(&serde_json::to_vec(inventory).unwrap_or_default()))
}

/// FNV-1a. It tells one state of a host from the next; it need not withstand anybody.
pub(super) fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory(kernel: &str) -> Inventory {
        let machine = Machine { kernel: Some(kernel.to_owned()), ..Machine::default() };
        Inventory { machine, cards: Vec::new(), topology: Topology::default() }
    }

    #[test]
    fn the_same_content_has_the_same_name() {
        assert_eq!(content_id(&inventory("6.1")), content_id(&inventory("6.1")));
        assert_ne!(content_id(&inventory("6.1")), content_id(&inventory("6.2")));
        assert_eq!(content_id(&inventory("6.1")).len(), 16);
    }

    #[test]
    fn content_that_has_not_changed_stays_where_it_is() {
        let mut stock = Stock::new(true);
        stock.put(inventory("6.1"));
        let first = stock.current().expect("one").inventory.clone();
        stock.put(inventory("6.1"));
        assert!(Arc::ptr_eq(&first, &stock.current().expect("one").inventory));
        stock.put(inventory("6.2"));
        assert!(!Arc::ptr_eq(&first, &stock.current().expect("one").inventory));
    }

    #[test]
    fn it_is_due_once_a_minute_or_with_other_cards() {
        let now = Instant::now();
        let card = |uuid: &str| CardFacts::new(CardUuid::parse(uuid).expect("uuid"), 0, "x");
        let mut stock = Stock::new(true);
        assert!(stock.is_due(&[card("GPU-a")], now), "never read");
        (stock.of, stock.read_at, stock.rounds, stock.due_after) =
            (vec![card("GPU-a").uuid], Some(now), 0, AGAIN_ROUNDS);
        assert!(!stock.is_due(&[card("GPU-a")], now));
        assert!(stock.is_due(&[card("GPU-b")], now), "another card");
        assert!(stock.is_due(&[card("GPU-a")], now + AGAIN), "a minute");
        stock.rounds = AGAIN_ROUNDS;
        assert!(stock.is_due(&[card("GPU-a")], now), "so many rounds");
        (stock.rounds, stock.read_at) = (0, Some(now));
        stock.expire();
        assert!(stock.is_due(&[card("GPU-a")], now), "opened anew");
    }
}
