//! How much of a card's computing each process takes.

use std::collections::HashMap;

use domain::reading::{Missing, Reading};
use nvml_wrapper::Device;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessUtilizationSample;
use time::OffsetDateTime;

use super::health::missing;

/// What the driver's samples say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    /// Percent by process. Who has no sample has done nothing.
    Shares(HashMap<u32, Reading<u32>>),
    /// There is nothing to say of anybody.
    None(Missing),
}

impl Usage {
    /// Share of one process.
    pub(super) fn of(&self, pid: u32) -> Reading<u32> {
        match self {
            Self::Shares(shares) => shares.get(&pid).copied().unwrap_or(Reading::Value(0)),
            Self::None(why) => Reading::missing(*why),
        }
    }
}

/// Reads the samples since the last look, whose time `seen` keeps. `busy` is the card's own utilisation.
pub(super) fn read(card: &Device<'_>, seen: &mut u64, busy: Reading<u32>) -> Usage {
    let now = u64::try_from(OffsetDateTime::now_utc().unix_timestamp_nanos() / 1000).unwrap_or(0);
    // A clock that was set back must not leave us waiting for samples of the future.
    judge(card.process_utilization_stats((*seen).min(now)), seen, busy)
}

fn judge(answer: Result<Vec<ProcessUtilizationSample>, NvmlError>, seen: &mut u64, busy: Reading<u32>) -> Usage {
    let samples = match answer {
        Ok(samples) => samples,
        // That there are no samples is the rule on an idle card, and no answer on a busy one.
        Err(NvmlError::NotFound) if busy.get() == Some(0) => Vec::new(),
        Err(error) => return Usage::None(missing(&error)),
    };
    // Some drivers write samples of more than all. They say that something was done, and not how much; their time is no
    // better, so one that makes sense wins over them.
    let mut latest: HashMap<u32, Option<(u64, u32)>> = HashMap::new();
    for sample in samples.iter().filter(|sample| sample.pid != 0) {
        let entry = latest.entry(sample.pid).or_default();
        if sample.sm_util > 100 {
            continue;
        }
        *seen = (*seen).max(sample.timestamp);
        if entry.is_none_or(|(time, _)| sample.timestamp >= time) {
            *entry = Some((sample.timestamp, sample.sm_util));
        }
    }
    let share =
        |of: Option<(u64, u32)>| of.map_or(Reading::missing(Missing::Unknown), |(_, share)| Reading::Value(share));
    Usage::Shares(latest.into_iter().map(|(pid, of)| (pid, share(of))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(pid: u32, timestamp: u64, sm_util: u32) -> ProcessUtilizationSample {
        ProcessUtilizationSample { pid, timestamp, sm_util, mem_util: 0, enc_util: 0, dec_util: 0 }
    }

    #[test]
    fn the_latest_sample_of_a_process_counts() {
        let mut seen = 0;
        let samples =
            vec![sample(7, 20, 60), sample(7, 10, 40), sample(8, 15, 5), sample(9, 30, 4096), sample(7, 40, 101)];
        let usage = judge(Ok(samples), &mut seen, Reading::Value(65));
        assert_eq!((usage.of(7), usage.of(8)), (Reading::Value(60), Reading::Value(5)));
        assert_eq!(usage.of(9), Reading::missing(Missing::Unknown), "more than all is no sample");
        assert_eq!(seen, 20);
    }

    #[test]
    fn no_samples_on_an_idle_card_mean_nothing_is_done() {
        let idle = judge(Err(NvmlError::NotFound), &mut 0, Reading::Value(0));
        assert_eq!(idle.of(7), Reading::Value(0));
        let busy = judge(Err(NvmlError::NotFound), &mut 0, Reading::Value(70));
        assert_eq!(busy.of(7), Reading::missing(Missing::Unknown));
        let split = judge(Err(NvmlError::NotSupported), &mut 0, Reading::missing(Missing::NotSupported));
        assert_eq!(split.of(7), Reading::missing(Missing::NotSupported));
    }
}
