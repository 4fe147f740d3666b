//! What there is to choose from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::park::Park;

/// What somebody who looks for cards can choose from: of cards that can be booked, each with the number of cards.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Choices {
    /// All of them.
    pub cards: u32,
    /// Models, in order of their names.
    pub models: Vec<(String, u32)>,
    /// Architectures, likewise.
    pub architectures: Vec<(String, u32)>,
    /// Sizes of memory in GB, each with the number of cards that have as much or more; from small to large.
    pub memory: Vec<(u64, u32)>,
    /// Hosts, likewise.
    pub hosts: Vec<(String, u32)>,
    /// Labels of cards and hosts, likewise.
    pub labels: Vec<(String, u32)>,
}

impl Choices {
    /// What a park has.
    #[must_use]
    pub fn of(park: &Park) -> Self {
        let (mut models, mut architectures) = (BTreeMap::new(), BTreeMap::new());
        let (mut hosts, mut labels, mut sizes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut cards = 0;
        for (at, (card, host)) in park.stock.cards().enumerate().filter(|(at, _)| park.is_bookable(*at)) {
            cards += 1;
            *models.entry(card.model.clone()).or_insert(0) += 1;
            if let Some(name) = &card.architecture {
                *architectures.entry(name.clone()).or_insert(0) += 1;
            }
            *hosts.entry(host.to_owned()).or_insert(0) += 1;
            let own = card.labels.iter().filter(|label| !park.stock.host(at).labels.contains(*label));
            for label in park.stock.host(at).labels.iter().chain(own) {
                *labels.entry(label.clone()).or_insert(0) += 1;
            }
            if let Some(mib) = card.memory_mib {
                // Drivers keep a little for themselves: 24,564 MiB are 24 GB.
                *sizes.entry(mib.div_ceil(1024)).or_insert(0) += 1;
            }
        }
        let mut more = cards - sizes.values().sum::<u32>();
        let unknown = more;
        let mut memory: Vec<(u64, u32)> = Vec::new();
        for (size, count) in sizes.into_iter().rev() {
            more += count;
            memory.push((size, more - unknown));
        }
        memory.reverse();
        let list = |counts: BTreeMap<String, u32>| counts.into_iter().collect();
        Self {
            cards,
            models: list(models),
            architectures: list(architectures),
            memory,
            hosts: list(hosts),
            labels: list(labels),
        }
    }
}
