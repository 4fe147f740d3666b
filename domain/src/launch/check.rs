//! Lines that show whether a program sees what was booked.

use super::here::{Here, Set};
use super::quote::posix::single_quote;
use super::{Check, HostCards, sets};

/// What a program in Python asks CUDA, by PyTorch.
const COUNT: &str = "import torch; print(torch.cuda.device_count())";

/// One check for each set of cards that a program can use together, through the guard.
#[must_use]
pub fn check(host: &HostCards) -> Vec<Check> {
    sets(&host.cards).iter().map(guarded).collect()
}

pub(super) fn by_berth(here: &Here<'_>) -> Vec<Check> {
    here.sets().iter().map(guarded).collect()
}

fn guarded(set: &Set<'_>) -> Check {
    let line = format!("berth run --cards {} -- python -c {}", set.cards_argument(), single_quote(COUNT));
    Check { text: line, expected: set.len().to_string() }
}

/// How many cards a program sees that is started by `start`.
pub(super) fn of_visible(here: &Here<'_>, start: impl Fn(&Set<'_>, &str) -> String) -> Vec<Check> {
    let program = format!("python -c {}", single_quote(COUNT));
    let one = |set: &Set<'_>| Check { text: start(set, &program), expected: set.len().to_string() };
    here.sets().iter().map(one).collect()
}

/// Which cards a program was given that runs already, by the variables of its process.
pub(super) fn of_process(here: &Here<'_>, pid: impl Fn(&Set<'_>) -> String) -> Vec<Check> {
    let one = |set: &Set<'_>| Check {
        text: format!("tr '\\0' '\\n' < /proc/$({})/environ | grep ^CUDA_VISIBLE_DEVICES=", pid(set)),
        expected: format!("CUDA_VISIBLE_DEVICES={}", set.uuids()),
    };
    here.sets().iter().map(one).collect()
}
