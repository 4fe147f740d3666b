//! Commands that select exactly the reserved cards, in every tool that people use.
//!
//! Pure text: from the cards of one booking on one host to lines that can be copied as they stand. Words for people
//! come from [`LaunchText`]; commands are the same in every language. Rules that all of them follow:
//!
//! - cards are named by full UUID first; an index is only ever given beside it, and always with the bus order
//! - the order of the cards is kept: it decides which one a program sees as `cuda:0`
//! - UUIDs and indices are never mixed, and no list has a repeat: either would silently shorten it
//! - a CUDA program can use only one MIG instance, so each gets lines of its own

mod check;
mod container;
mod direct;
mod framework;
mod quote;

use crate::card::CardNumber;
use crate::id::{CardUuid, HostId};
use crate::text::LaunchText;
use crate::wire::page::BookedCard;

pub use check::{Check, check};
pub use quote::single_quote;

/// A reserved card, as a launch line needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCard {
    /// Identity.
    pub uuid: CardUuid,
    /// Number on its host, in PCI order, as last reported.
    pub number: CardNumber,
    /// Model without the maker.
    pub model: String,
    /// PCI address as last reported.
    pub pci_bus_id: Option<String>,
    /// Only shares of it are booked: others work on it too.
    pub shared: bool,
}

impl From<&BookedCard> for LaunchCard {
    fn from(card: &BookedCard) -> Self {
        Self {
            uuid: card.uuid.clone(),
            number: card.number,
            model: card.model.clone(),
            pci_bus_id: card.pci_bus_id.clone(),
            shared: card.shares.is_some(),
        }
    }
}

/// The cards of one booking on one host. A command runs on one host, so a booking on two hosts has two sets of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCards {
    /// Host.
    pub host: HostId,
    /// Its name in the portal.
    pub host_name: String,
    /// In the order of the booking, each once.
    pub cards: Vec<LaunchCard>,
}

/// Parts a booking's cards by host, in the order in which hosts and cards come.
#[must_use]
pub fn by_host(booked: &[BookedCard]) -> Vec<HostCards> {
    let mut hosts: Vec<HostCards> = Vec::new();
    for card in booked {
        let at = hosts.iter().position(|host| host.host == card.host).unwrap_or_else(|| {
            hosts.push(HostCards { host: card.host, host_name: card.host_name.clone(), cards: Vec::new() });
            hosts.len() - 1
        });
        let cards = &mut hosts[at].cards;
        if cards.iter().all(|seen| seen.uuid != card.uuid) {
            cards.push(card.into());
        }
    }
    hosts
}

/// One tab of the launch box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Stable name, for addresses and element ids.
    pub id: &'static str,
    /// Heading under which it stands.
    pub group: &'static str,
    /// What the tab says.
    pub title: &'static str,
    /// Ways to write it, the best first.
    pub forms: Vec<Form>,
    /// What holds for all of its forms; may be empty.
    pub note: String,
}

/// One text to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// How it names the cards; a form by index stands beside the form by UUID before it.
    pub naming: Naming,
    /// What distinguishes it from the other forms.
    pub label: String,
    /// What it needs to work; may be empty.
    pub needs: String,
    /// The text itself.
    pub text: String,
}

/// How a form names the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// It leaves that to `berth`.
    ByBerth,
    /// By full UUID.
    Uuid,
    /// By index, in bus order.
    Index,
}

/// All launch commands for the cards of one booking on one host; none without cards.
#[must_use]
pub fn commands(host: &HostCards, text: &LaunchText) -> Vec<Command> {
    if host.cards.is_empty() {
        return Vec::new();
    }
    vec![
        direct::run(host, text),
        direct::shell(host, text),
        container::docker(host, text),
        framework::torch(host, text),
    ]
}

/// A card and what a program calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// The physical card.
    pub card: LaunchCard,
    /// `cuda:0` and so on.
    pub program: String,
}

/// Which card a program sees as which `cuda:N`, when it is started with these lines.
#[must_use]
pub fn mapping(host: &HostCards) -> Vec<Mapped> {
    let name = |(n, card): (usize, &LaunchCard)| Mapped { card: card.clone(), program: format!("cuda:{n}") };
    visible_sets(&host.cards).iter().flat_map(|set| set.iter().copied().enumerate().map(name)).collect()
}

/// Cards that one program can use together: all whole cards, and each MIG instance alone.
fn visible_sets(cards: &[LaunchCard]) -> Vec<Vec<&LaunchCard>> {
    let (mig, whole): (Vec<_>, Vec<_>) = cards.iter().partition(|card| card.uuid.is_mig());
    let whole = (!whole.is_empty()).then_some(whole);
    whole.into_iter().chain(mig.into_iter().map(|card| vec![card])).collect()
}

/// `GPU-a,GPU-b`.
fn uuid_list(cards: &[&LaunchCard]) -> String {
    cards.iter().map(|card| card.uuid.as_str()).collect::<Vec<_>>().join(",")
}

/// `2,3`; `None` where a card has no index of its own that a tool would take.
fn index_list(cards: &[&LaunchCard]) -> Option<String> {
    let list = || cards.iter().map(|card| card.number.to_string()).collect::<Vec<_>>().join(",");
    // Two cards of one index: one of the two numbers is old, and a list with a repeat makes no card visible.
    let mut indices: Vec<CardNumber> = cards.iter().map(|card| card.number).collect();
    indices.sort_unstable();
    let unique = indices.windows(2).all(|pair| pair[0] != pair[1]);
    (unique && cards.iter().all(|card| !card.uuid.is_mig())).then(list)
}

/// Forms for each set of cards that one program can use: by UUID, and by index beside it where there is one.
fn both_namings(host: &HostCards, text: &LaunchText, write: impl Fn(&str) -> String) -> Vec<Form> {
    let form = |naming, label: &str, ids: &str| Form {
        naming,
        label: label.to_owned(),
        needs: String::new(),
        text: write(ids),
    };
    let mut forms = Vec::new();
    for set in visible_sets(&host.cards) {
        forms.push(form(Naming::Uuid, text.by_uuid, &uuid_list(&set)));
        if let Some(indices) = index_list(&set) {
            forms.push(form(Naming::Index, text.by_index, &indices));
        }
    }
    forms
}

#[cfg(test)]
mod tests;
