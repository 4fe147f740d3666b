//! Leaves out operations that a failure does not need.

use std::time::{Duration, Instant};

use crate::op::Step;
use crate::walk::{Wrong, walk};

/// Longest time for it.
const PATIENCE: Duration = Duration::from_secs(45);
/// Lines of what was done that are worth reading.
const LINES: usize = 40;

/// The shortest walk found that still goes wrong, and how.
pub async fn shrink(steps: &[Step], wrong: Wrong, prepare: Option<&'static str>) -> (Vec<Step>, Wrong) {
    let until = Instant::now() + PATIENCE;
    let mut short = steps[..=wrong.at].to_vec();
    let mut wrong = wrong;
    let mut piece = short.len().div_ceil(2);
    while piece > 0 && Instant::now() < until {
        let mut from = 0;
        while from < short.len() && Instant::now() < until {
            let to = (from + piece).min(short.len());
            let fewer: Vec<Step> = short[..from].iter().chain(&short[to..]).cloned().collect();
            match walk(&fewer, 1, prepare).await {
                Ok(_) => from = to,
                // Something else that is wrong is another story.
                Err(again) if kind(&again.what) != kind(&wrong.what) => from = to,
                Err(again) => {
                    short = fewer;
                    short.truncate(again.at + 1);
                    wrong = *again;
                }
            }
        }
        piece /= 2;
    }
    (short, wrong)
}

/// What sort of thing is wrong, without names and numbers.
fn kind(what: &str) -> String {
    what.split_whitespace().take(3).collect()
}

/// Fails, with what is needed to see it again.
pub async fn report(seed: u64, steps: &[Step], wrong: Wrong) -> ! {
    let first = format!("Operation {}: {}", wrong.at, wrong.what);
    let last = wrong.log[wrong.log.len().saturating_sub(LINES)..].join("\n");
    let (short, again) = shrink(steps, wrong, None).await;
    panic!(
        "{first}\n\nrepeat it with BERTH_MODEL_SEED={seed}\n\nthe last of what was done:\n{last}\n\n{} operations are \
         enough:\n{}\n{}",
        short.len(),
        again.log.join("\n"),
        again.what,
    );
}
