//! How much of a card counts: a share of a card open for four is a quarter of it, a MIG instance as many of its compute
//! slices as it has, and everything of which no more is known a whole one.

use serde::{Deserialize, Serialize};

/// Cards and parts of cards, in billionths: three thirds are never more than one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cards(u64);

/// Compute slices of the cards that can be cut up; a few models have four instead.
const SLICES: u32 = 7;
const FOUR_SLICES: [&str; 2] = ["A30", "RTX PRO"];

impl Cards {
    const BILLION: u64 = 1_000_000_000;

    /// None.
    pub const NONE: Self = Self(0);
    /// A whole card.
    pub const ONE: Self = Self(Self::BILLION);

    /// So many whole cards.
    #[must_use]
    pub fn whole(count: u32) -> Self {
        Self(u64::from(count) * Self::BILLION)
    }

    /// So many of the equal parts of a card, the whole card at most; rounded down.
    #[must_use]
    pub fn parts(count: u32, of: u32) -> Self {
        if count >= of { Self::ONE } else { Self(u64::from(count) * Self::BILLION / u64::from(of)) }
    }

    /// A MIG instance, by the name of the card or the profile: `NVIDIA A100-SXM4-80GB MIG 3g.40gb`, `1c.3g.40gb`.
    /// Anything else is a whole card.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let all = if FOUR_SLICES.iter().any(|model| name.contains(model)) { 4 } else { SLICES };
        let profile = name.split_ascii_whitespace().rev().find(|word| word.contains("g."));
        // `1c.3g.40gb` is one of the three compute slices of its GPU instance: the first figure counts.
        let slices = profile.and_then(|word| {
            let (figure, rest) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
            (rest.starts_with("g.") || rest.starts_with("c.")).then(|| figure.parse::<u32>().ok()).flatten()
        });
        slices.map_or(Self::ONE, |slices| Self::parts(slices.max(1), all))
    }

    /// In billionths of a card.
    #[must_use]
    pub fn billionths(self) -> u64 {
        self.0
    }

    /// How many whole cards it is at least.
    #[must_use]
    pub fn whole_count(self) -> u32 {
        u32::try_from(self.0 / Self::BILLION).unwrap_or(u32::MAX)
    }

    /// With more.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self(self.0.saturating_add(more.0))
    }

    /// Without some of it; never less than none.
    #[must_use]
    pub fn less(self, some: Self) -> Self {
        Self(self.0.saturating_sub(some.0))
    }
}

impl std::iter::Sum for Cards {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::NONE, Self::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_never_add_up_to_more_than_the_whole() {
        for of in 1..=64 {
            let all: Cards = (0..of).map(|_| Cards::parts(1, of)).sum();
            assert!(all <= Cards::ONE && Cards::ONE.less(all) < Cards::parts(1, 64), "{of}");
        }
        assert_eq!(Cards::parts(4, 4), Cards::ONE);
        assert_eq!(Cards::parts(9, 4), Cards::ONE);
        assert_eq!(Cards::parts(1, 0), Cards::ONE);
    }

    #[test]
    fn mig_instances_count_by_their_compute_slices() {
        assert_eq!(Cards::named("NVIDIA A100-SXM4-80GB MIG 3g.40gb"), Cards::parts(3, 7));
        assert_eq!(Cards::named("1g.10gb+me"), Cards::parts(1, 7));
        assert_eq!(Cards::named("MIG 1c.3g.40gb"), Cards::parts(1, 7));
        assert_eq!(Cards::named("NVIDIA A30 MIG 2g.12gb"), Cards::parts(2, 4));
        assert_eq!(Cards::named("NVIDIA A30 MIG 4g.24gb"), Cards::ONE);
        for whole in ["NVIDIA H100 80GB HBM3", "", "MIG 3/0", "xg.5gb", "NVIDIA Thing g.force"] {
            assert_eq!(Cards::named(whole), Cards::ONE, "{whole}");
        }
    }
}
