//! How much is tried, and from which seed.

use std::time::{SystemTime, UNIX_EPOCH};

/// Operations of one episode, which has a database of its own.
pub const EPISODE: usize = 500;

/// How many operations in all.
pub fn operations(usual: usize) -> usize {
    number("BERTH_MODEL_OPERATIONS").map_or(usual, |n| usize::try_from(n).expect("a number of operations"))
}

/// Where random numbers begin. In the ordinary suite always at the same place, so that it says the same of the same
/// program; where more is asked of it, at another place each time.
pub fn seed() -> u64 {
    const ORDINARY: u64 = 20_261_130;
    number("BERTH_MODEL_SEED").unwrap_or_else(|| {
        if number("BERTH_MODEL_OPERATIONS").is_none() {
            return ORDINARY;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
        u64::from(since.subsec_nanos()) ^ since.as_secs() << 20
    })
}

/// Whether somebody repeats one seed.
pub fn is_repeat() -> bool {
    number("BERTH_MODEL_SEED").is_some()
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}
