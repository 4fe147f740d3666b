//! One line that shows whether a program sees what was booked.

use super::direct::cards_argument;
use super::{HostCards, single_quote, visible_sets};

/// A line to run, and what it must print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The line.
    pub text: String,
    /// Its only output on standard output.
    pub expected: String,
}

/// One check for each set of cards that a program can use together.
#[must_use]
pub fn check(host: &HostCards) -> Vec<Check> {
    let count = single_quote("import torch; print(torch.cuda.device_count())");
    let line = |cards: String| format!("berth run --cards {cards} -- python -c {count}");
    let one = |set: &Vec<_>| Check { text: line(cards_argument(set)), expected: set.len().to_string() };
    visible_sets(&host.cards).iter().map(one).collect()
}
