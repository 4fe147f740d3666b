//! Which cards of a host belong together: those that NVLink joins at one speed.

use crate::id::CardUuid;
use crate::topology::Topology;

/// Sets of cards that are joined by NVLink, each with the word of its links (`NV18`). Where all that reach each other do
/// so equally they are one set; where speeds differ, the fastest pairs are.
#[must_use]
pub fn sets(topology: &Topology) -> Vec<(Vec<CardUuid>, String)> {
    let matrix = topology.matrix();
    let size = topology.cards.len();
    let lanes = |a: usize, b: usize| matrix.get(a, b).lanes();
    let mut left: Vec<usize> = (0..size).collect();
    let mut sets = Vec::new();
    while let Some(first) = left.first().copied() {
        let group: Vec<usize> = left.iter().copied().filter(|card| *card == first || lanes(first, *card) > 0).collect();
        let pairs = || group.iter().flat_map(|a| group.iter().filter(move |b| *b > a).map(move |b| (*a, *b)));
        let speed = group.get(1).map_or(0, |second| lanes(first, *second));
        let set = if pairs().all(|(a, b)| lanes(a, b) == speed) {
            group
        } else {
            // A mesh: the card and whichever is joined to it fastest.
            let best = group.iter().skip(1).copied().max_by_key(|card| (lanes(first, *card), std::cmp::Reverse(*card)));
            std::iter::once(first).chain(best).collect()
        };
        left.retain(|card| !set.contains(card));
        if let [a, b, ..] = set.as_slice() {
            let word = matrix.get(*a, *b).to_string();
            sets.push((set.iter().map(|card| topology.cards[*card].uuid.clone()).collect(), word));
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Reading;
    use crate::topology::{LinkedCard, NvLink, Remote};

    fn uuid(n: usize) -> CardUuid {
        CardUuid::parse(&format!("GPU-{n}")).expect("valid")
    }

    fn topology(size: usize, links: &[(usize, usize, usize)]) -> Topology {
        let card = |at: usize| {
            let to = |other: usize, count: usize| {
                std::iter::repeat_with(move || NvLink {
                    link: 0,
                    active: true,
                    version: Reading::default(),
                    remote: Remote::Card { uuid: uuid(other) },
                })
                .take(count)
            };
            let nvlinks = links.iter().flat_map(|(a, b, count)| {
                let other = if *a == at { Some(*b) } else { (*b == at).then_some(*a) };
                other.into_iter().flat_map(move |other| to(other, *count)).collect::<Vec<_>>()
            });
            LinkedCard {
                uuid: uuid(at),
                index: 0,
                pci_bus_id: None,
                cpu_affinity: Reading::default(),
                numa_affinity: Reading::default(),
                gpu_numa_id: Reading::default(),
                nvlinks: nvlinks.collect(),
            }
        };
        Topology { cards: (0..size).map(card).collect(), pairs: Vec::new() }
    }

    fn found(topology: &Topology) -> Vec<(Vec<usize>, String)> {
        let place = |card: &CardUuid| topology.cards.iter().position(|known| known.uuid == *card).expect("known");
        sets(topology).into_iter().map(|(set, word)| (set.iter().map(place).collect(), word)).collect()
    }

    #[test]
    fn pairs_all_and_none() {
        assert_eq!(found(&topology(4, &[])), []);
        let pairs = topology(4, &[(0, 2, 4), (1, 3, 4)]);
        assert_eq!(found(&pairs), [(vec![0, 2], "NV4".to_owned()), (vec![1, 3], "NV4".to_owned())]);
        let all = topology(3, &[(0, 1, 6), (0, 2, 6), (1, 2, 6)]);
        assert_eq!(found(&all), [(vec![0, 1, 2], "NV6".to_owned())]);
    }

    #[test]
    fn in_a_mesh_the_fastest_pairs_belong_together() {
        let mesh = topology(4, &[(0, 1, 1), (0, 3, 2), (1, 2, 2), (2, 3, 1)]);
        assert_eq!(found(&mesh), [(vec![0, 3], "NV2".to_owned()), (vec![1, 2], "NV2".to_owned())]);
    }
}
