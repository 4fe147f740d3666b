//! The cards of this host as last seen, for names in verdicts and messages.

use std::sync::{Mutex, PoisonError};

use domain::guard::HostCard;
use domain::wire::agent_v1::CardReport;

/// Every card seen since the agent's start, also those that have vanished.
#[derive(Debug, Default)]
pub struct Roster(Mutex<Vec<HostCard>>);

impl Roster {
    /// Takes over a sample. A card that is not in it stays known by its UUID and model: its index may be another's now.
    pub fn update(&self, sample: &[CardReport]) {
        let mut cards = HostCard::all(sample);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for mut gone in kept.drain(..) {
            if !cards.iter().any(|card| card.name.uuid == gone.name.uuid) {
                gone.present = false;
                (gone.name.index, gone.name.instance) = (None, None);
                cards.push(gone);
            }
        }
        *kept = cards;
    }

    /// A copy of the list.
    #[must_use]
    pub fn cards(&self) -> Vec<HostCard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::card::{CardDetail, CardFacts, CardHealth, CardSample};
    use domain::id::CardUuid;
    use domain::reading::Reading;

    fn report(n: u32, index: u32, health: CardHealth) -> CardReport {
        let facts = CardFacts {
            part: None,
            mig_on: false,
            uuid: CardUuid::parse(&format!("GPU-{n}")).expect("valid"),
            index,
            minor: None,
            name: "NVIDIA H100 PCIe".to_owned(),
            pci_bus_id: None,
            memory_total_mib: Reading::default(),
        };
        CardReport { facts, sample: CardSample::default(), detail: CardDetail::default(), health, processes: None }
    }

    #[test]
    fn a_vanished_card_keeps_its_model_and_loses_its_index() {
        let roster = Roster::default();
        roster.update(&[report(1, 0, CardHealth::Ok), report(2, 1, CardHealth::Ok)]);
        roster.update(&[report(2, 0, CardHealth::Lost)]);
        let seen: Vec<_> = roster.cards().into_iter().map(|card| (card.name.index, card.present)).collect();
        assert_eq!(seen, [(Some(0), false), (None, false)]);
        roster.update(&[report(1, 0, CardHealth::Ok), report(2, 1, CardHealth::Ok)]);
        assert!(roster.cards().iter().all(|card| card.present && card.name.model == "H100 PCIe"));
        assert_eq!(roster.cards().len(), 2);
    }
}
