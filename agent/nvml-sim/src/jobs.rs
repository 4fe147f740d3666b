//! Which live processes of this machine run on the simulated host, and on which of its cards.
//!
//! A process counts when the environment it was started with has `BERTH_SIM_HOST` equal to the profile's host and a
//! `CUDA_VISIBLE_DEVICES` that selects cards. `BERTH_SIM_JOB=0` takes a process out, for programs that only pass the
//! environment on. Processes whose environment this account may not read do not count.

use std::fs::{self, File};
use std::io::Read;
use std::time::{Duration, Instant};

use crate::motion::{Load, seed};
use crate::visible::{self, Order};

/// Looking through `/proc` costs milliseconds, a snapshot asks dozens of times.
const KEEP: Duration = Duration::from_millis(900);
/// Larger environments are cut off; the variables in question would have to come after a quarter megabyte.
const ENVIRONMENT_MAX: u64 = 256 * 1024;
/// `/proc/PID/stat` counts in this many ticks a second on every Linux that NVIDIA's driver runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// One program and its cards.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Process id.
    pub pid: u32,
    /// Start, in seconds since boot.
    pub started: f64,
    /// Positions of its cards.
    pub cards: Vec<usize>,
}

impl Job {
    /// The work that it puts on a card at a time since boot.
    #[must_use]
    pub fn load(&self, uptime: f64) -> Load {
        Load { age: (uptime - self.started).max(0.0), seed: seed(&format!("{}/{}", self.pid, self.started)) }
    }
}

/// The jobs, as last seen.
#[derive(Debug, Default)]
pub struct Jobs {
    seen_at: Option<Instant>,
    jobs: Vec<Job>,
}

impl Jobs {
    /// Jobs of a host, at most about a second old.
    pub fn of(&mut self, host: &str, uuids: &[&str], fastest_first: &[usize]) -> &[Job] {
        if self.seen_at.is_none_or(|at| at.elapsed() > KEEP) {
            self.jobs = scan(host, uuids, fastest_first);
            self.seen_at = Some(Instant::now());
        }
        &self.jobs
    }
}

fn scan(host: &str, uuids: &[&str], fastest_first: &[usize]) -> Vec<Job> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let own = std::process::id();
    let mut environment = Vec::with_capacity(8 * 1024);
    let mut jobs: Vec<Job> = processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|&pid| pid != own)
        .filter_map(|pid| {
            environment.clear();
            let file = File::open(format!("/proc/{pid}/environ")).ok()?;
            file.take(ENVIRONMENT_MAX).read_to_end(&mut environment).ok()?;
            let cards = selected(&environment, host, uuids, fastest_first)?;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            Some(Job { pid, started: start_ticks(&stat)? / TICKS_PER_SECOND, cards })
        })
        .collect();
    jobs.sort_by_key(|job| job.pid);
    jobs
}

/// Cards that an environment selects on a host; `None` where the process is none of its programs.
fn selected(environment: &[u8], host: &str, uuids: &[&str], fastest_first: &[usize]) -> Option<Vec<usize>> {
    let value = |name: &str| {
        environment.split(|&byte| byte == 0).find_map(|pair| {
            let text = pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
            std::str::from_utf8(text).ok()
        })
    };
    if value("BERTH_SIM_HOST")? != host || value("BERTH_SIM_JOB") == Some("0") {
        return None;
    }
    let by_bus = value("CUDA_DEVICE_ORDER") == Some("PCI_BUS_ID");
    let order = if by_bus { Order::PciBus } else { Order::FastestFirst(fastest_first) };
    let cards = visible::cards(value("CUDA_VISIBLE_DEVICES")?, order, uuids);
    (!cards.is_empty()).then_some(cards)
}

/// Field 22. The second field is the program's name, which may hold blanks and brackets.
fn start_ticks(stat: &str) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(19)?.parse().ok()
}

/// Seconds since boot.
#[must_use]
pub fn uptime() -> f64 {
    let text = fs::read_to_string("/proc/uptime").unwrap_or_default();
    text.split_whitespace().next().and_then(|seconds| seconds.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUIDS: [&str; 2] = ["GPU-aa", "GPU-bb"];

    fn of(environment: &str) -> Option<Vec<usize>> {
        selected(environment.replace(' ', "\0").as_bytes(), "rig", &UUIDS, &[1, 0])
    }

    #[test]
    fn only_programs_of_this_host_with_cards_count() {
        assert_eq!(of("A=1 BERTH_SIM_HOST=rig CUDA_VISIBLE_DEVICES=GPU-bb B=2"), Some(vec![1]));
        assert_eq!(of("BERTH_SIM_HOST=other CUDA_VISIBLE_DEVICES=GPU-bb"), None);
        assert_eq!(of("CUDA_VISIBLE_DEVICES=GPU-bb"), None);
        assert_eq!(of("BERTH_SIM_HOST=rig"), None);
        assert_eq!(of("BERTH_SIM_HOST=rig CUDA_VISIBLE_DEVICES="), None);
        assert_eq!(of("BERTH_SIM_HOST=rig CUDA_VISIBLE_DEVICES=GPU-bb BERTH_SIM_JOB=0"), None);
        assert_eq!(of("NOT_BERTH_SIM_HOST=rig CUDA_VISIBLE_DEVICES=GPU-bb"), None);
    }

    #[test]
    fn an_index_means_what_the_order_says() {
        assert_eq!(of("BERTH_SIM_HOST=rig CUDA_VISIBLE_DEVICES=0 CUDA_DEVICE_ORDER=PCI_BUS_ID"), Some(vec![0]));
        assert_eq!(of("BERTH_SIM_HOST=rig CUDA_VISIBLE_DEVICES=0"), Some(vec![1]));
    }

    #[test]
    fn the_start_is_found_behind_any_name() {
        let fields: Vec<String> = (3..30).map(|field| field.to_string()).collect();
        assert_eq!(start_ticks(&format!("1 (a) b) {}", fields.join(" "))), Some(22.0));
        assert_eq!(start_ticks("1 (a"), None);
        assert!(uptime() > 0.0);
    }
}
