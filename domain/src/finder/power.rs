//! How capable a card is, as far as that decides which of two does a job faster.

use crate::inventory::CardTraits;

/// Multiply-adds that a core's share of the tensor cores does in one clock with 16 bit numbers: from NVIDIA's papers on each
/// architecture. Before Volta there are none, and a core does one, or two where it is made for that.
fn per_core(capability: (u32, u32)) -> u64 {
    match capability {
        (10 | 11, _) => 32,
        (8, 0) | (9, _) => 16,
        (7, _) => 8,
        (8, _) | (12, _) => 4,
        (6, 0) => 2,
        (major, _) if major > 12 => 32,
        _ => 1,
    }
}

/// Multiply-adds a microsecond at the highest clock; `None` where the card does not say enough. Compares cards, and is no
/// promise.
#[must_use]
pub fn speed(traits: &CardTraits) -> Option<u64> {
    let (cores, clock) = (traits.cores.get()?, traits.max_sm_clock_mhz.get()?);
    let capability = traits.compute_capability.get()?;
    Some(u64::from(cores) * u64::from(clock) * per_core(capability))
}

/// What is left of that for a part of a card which has so many of its seven compute slices.
#[must_use]
pub fn of_slices(whole: u64, slices: u32) -> u64 {
    whole.saturating_mul(u64::from(slices.min(7))) / 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Reading;

    fn card(cores: u32, clock: u32, capability: (u32, u32)) -> u64 {
        let traits = CardTraits {
            cores: Reading::Value(cores),
            max_sm_clock_mhz: Reading::Value(clock),
            compute_capability: Reading::Value(capability),
            ..CardTraits::default()
        };
        speed(&traits).expect("known")
    }

    #[test]
    fn cards_come_in_the_order_in_which_they_train() {
        let (t4, v100) = (card(2560, 1590, (7, 5)), card(5120, 1530, (7, 0)));
        let (rtx3090, a100) = (card(10_496, 2100, (8, 6)), card(6912, 1410, (8, 0)));
        let (rtx4090, h100) = (card(16_384, 3120, (8, 9)), card(16_896, 1980, (9, 0)));
        let b200 = card(18_944, 1965, (10, 0));
        let order = [t4, v100, rtx3090, a100, rtx4090, h100, b200];
        assert!(order.is_sorted(), "{order:?}");
        assert!(of_slices(a100, 3) < a100 / 2);
    }

    #[test]
    fn a_card_that_does_not_say_is_not_guessed() {
        assert_eq!(speed(&CardTraits::default()), None);
    }
}
