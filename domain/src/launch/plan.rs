//! What is to be launched, and where: the booked cards host by host, and what is known about the hosts.

use serde::{Deserialize, Serialize};

use crate::card::{CardNumber, Mib};
use crate::id::{CardUuid, HostId, ReservationId};
use crate::inventory::{Inventory, Platform};
use crate::wire::page::{BookedCard, BookingPage};

/// A reserved card, as a launch line needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCard {
    /// Identity; of a MIG instance its own, not that of its card.
    pub uuid: CardUuid,
    /// Number on its host, in PCI order, as last reported. A MIG instance has two.
    pub number: CardNumber,
    /// Model without the maker; of a MIG instance its profile (`MIG 3g.40gb`).
    pub model: String,
    /// PCI address as last reported; of a MIG instance that of its card.
    pub pci_bus_id: Option<String>,
    /// Memory, where it is known.
    pub memory_mib: Option<Mib>,
    /// Only shares of it are booked: others work on it too.
    pub shared: bool,
    /// Of a shared card: the memory to stay within. Nobody enforces it.
    pub budget_mib: Option<Mib>,
}

impl From<&BookedCard> for LaunchCard {
    fn from(card: &BookedCard) -> Self {
        Self {
            uuid: card.uuid.clone(),
            number: card.number,
            model: card.model.clone(),
            pci_bus_id: card.pci_bus_id.clone(),
            memory_mib: card.memory_total_mib.get(),
            shared: card.shares.is_some(),
            budget_mib: card.budget_mib(),
        }
    }
}

/// The cards of one booking on one host. A command runs on one host, so a booking on two hosts has two sets of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCards {
    /// Host.
    pub host: HostId,
    /// Its name in the portal. Commands that reach over the network use it as an address.
    pub host_name: String,
    /// In the order of the booking, each once.
    pub cards: Vec<LaunchCard>,
    /// What else is known about the host.
    pub facts: HostFacts,
}

/// What changes commands on a host, or is told beside them. Nothing of it need be known.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HostFacts {
    /// What the machine is. Under WSL containers see every card, whatever is chosen.
    pub platform: Platform,
    /// Version of its driver, such as `570.133.20`.
    pub driver_version: Option<String>,
    /// Newest CUDA version that the driver offers, such as `12.8`.
    pub cuda_version: Option<String>,
    /// The caller's account there.
    pub account: Option<String>,
    /// CUDA compute capability of its cards, major and minor.
    pub capabilities: Vec<(CardUuid, (u32, u32))>,
    /// How pairs of its cards are linked.
    pub links: Vec<Link>,
}

/// How two cards of a host are linked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The one.
    pub a: CardUuid,
    /// The other.
    pub b: CardUuid,
    /// The best path between them, as `nvidia-smi topo -m` writes it.
    pub path: crate::topology::Path,
}

impl HostFacts {
    /// From what a host reported about itself.
    #[must_use]
    pub fn of(inventory: &Inventory) -> Self {
        let machine = &inventory.machine;
        let capability =
            |card: &crate::inventory::CardInventory| Some((card.uuid.clone(), card.traits.compute_capability.get()?));
        let matrix = inventory.topology.matrix();
        let cards = &inventory.topology.cards;
        let links = (0..cards.len()).flat_map(|a| (a + 1..cards.len()).map(move |b| (a, b)));
        let link = |(a, b): (usize, usize)| Link {
            a: cards[a].uuid.clone(),
            b: cards[b].uuid.clone(),
            path: matrix.get(a, b),
        };
        Self {
            platform: machine.platform,
            driver_version: machine.driver_version.clone(),
            cuda_version: machine.cuda_version.clone(),
            account: None,
            capabilities: inventory.cards.iter().filter_map(capability).collect(),
            links: links.map(link).collect(),
        }
    }

    /// The same, with nothing about cards that are not among these.
    #[must_use]
    pub fn only(mut self, cards: &[LaunchCard]) -> Self {
        let among = |uuid: &CardUuid| cards.iter().any(|card| card.uuid == *uuid);
        self.capabilities.retain(|(card, _)| among(card));
        self.links.retain(|link| among(&link.a) && among(&link.b));
        self
    }

    /// Whether the host is Windows with Linux inside.
    #[must_use]
    pub fn is_wsl(&self) -> bool {
        self.platform == Platform::Wsl
    }
}

/// Parts a booking's cards by host, in the order in which hosts and cards come.
#[must_use]
pub fn by_host(booked: &[BookedCard]) -> Vec<HostCards> {
    let mut hosts: Vec<HostCards> = Vec::new();
    for card in booked {
        let at = hosts.iter().position(|host| host.host == card.host).unwrap_or_else(|| {
            hosts.push(HostCards {
                host: card.host,
                host_name: card.host_name.clone(),
                cards: Vec::new(),
                facts: HostFacts::default(),
            });
            hosts.len() - 1
        });
        let cards = &mut hosts[at].cards;
        if cards.iter().all(|seen| seen.uuid != card.uuid) {
            cards.push(card.into());
        }
    }
    hosts
}

/// A booking as it is launched.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Plan {
    /// Which; where it is known, programs can be named after it.
    pub reservation: Option<ReservationId>,
    /// What for, as its owner typed it; may be empty.
    pub purpose: String,
    /// Its hosts; the first is where programs on several hosts meet.
    pub hosts: Vec<HostCards>,
    /// What is started.
    pub job: Job,
}

/// What is started. What is not said stands as a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Job {
    /// Container image; `IMAGE` where none is said.
    pub image: Option<String>,
    /// Program and its arguments; `python train.py` where none is said.
    pub program: Vec<String>,
}

impl From<&BookingPage> for Plan {
    /// What the page of a booking launches, by the accounts of whoever looks at it.
    fn from(page: &BookingPage) -> Self {
        let mut hosts = by_host(&page.booking.cards);
        for host in &mut hosts {
            let known = page.facts.iter().find(|(id, _)| *id == host.host);
            host.facts = known.map(|(_, facts)| facts.clone()).unwrap_or_default().only(&host.cards);
            host.facts.account =
                page.accounts.iter().find(|(id, _)| *id == host.host).map(|(_, account)| account.clone());
        }
        Self { reservation: Some(page.booking.id), purpose: page.booking.purpose.clone(), hosts, job: Job::default() }
    }
}
