//! What is told beside the commands: what runs well on these cards, what the host's driver can run, and how the cards are
//! linked. Facts; their words are in [`crate::text::ExplainText`].

mod images;
mod precision;

pub use images::{Images, Runs, SOURCE, images, runs};
pub use precision::{Advice, Fit, Precision, advice, precisions};

use super::{HostCards, LaunchCard};
use crate::topology::Path;

/// What a kind of card in a booking can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Model without the maker; of MIG instances their profile.
    pub model: String,
    /// CUDA compute capability, major and minor.
    pub capability: (u32, u32),
    /// The formats of numbers, from the widest on.
    pub precisions: [Precision; 5],
    /// What to use.
    pub advice: Advice,
}

/// The kinds of cards of which the capability is known, each once, in the order of the cards.
#[must_use]
pub fn kinds(host: &HostCards) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for card in &host.cards {
        let known = host.facts.capabilities.iter().find(|(uuid, _)| *uuid == card.uuid);
        let Some((_, capability)) = known else { continue };
        if kinds.iter().all(|kind| kind.model != card.model || kind.capability != *capability) {
            kinds.push(Kind {
                model: card.model.clone(),
                capability: *capability,
                precisions: precisions(*capability),
                advice: advice(*capability),
            });
        }
    }
    kinds
}

/// How each pair of the booked cards is linked, as far as the host has said; in the order of the cards.
#[must_use]
pub fn pairs(host: &HostCards) -> Vec<(&LaunchCard, &LaunchCard, Path)> {
    let mut pairs = Vec::new();
    for (at, a) in host.cards.iter().enumerate() {
        for b in host.cards.iter().skip(at + 1) {
            let same = |x: &LaunchCard, y: &LaunchCard, link: &super::Link| link.a == x.uuid && link.b == y.uuid;
            let link = host.facts.links.iter().find(|link| same(a, b, link) || same(b, a, link));
            pairs.extend(link.map(|link| (a, b, link.path)));
        }
    }
    pairs
}

#[cfg(test)]
mod tests;
