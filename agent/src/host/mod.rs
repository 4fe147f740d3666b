//! The machine around the cards: its name, its boot, how busy it is; [`machine`]: what it is, and what of it is hidden.

mod hidden;
mod machine;
mod places;

use std::fs;

use domain::card::Mib;
use domain::reading::{Missing, Reading};

pub use hidden::hiding_options;
pub use machine::{machine, platform, sees_processes};
pub use places::Places;

/// The machine's own name; `localhost` where it has none.
#[must_use]
pub fn name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "localhost".to_owned() } else { name.trim().to_owned() }
}

/// The kernel's id of this boot; empty where it is hidden, which then counts as one long boot.
#[must_use]
pub fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Main memory: all of it, and what new programs cannot have.
#[must_use]
pub fn memory() -> (Reading<Mib>, Reading<Mib>) {
    memory_at(&Places::default())
}

/// As [`memory`], by the files of other places.
#[must_use]
pub fn memory_at(places: &Places) -> (Reading<Mib>, Reading<Mib>) {
    parse_memory(&fs::read_to_string(places.proc.join("meminfo")).unwrap_or_default())
}

fn parse_memory(meminfo: &str) -> (Reading<Mib>, Reading<Mib>) {
    let kib = |key: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let (total, available) = (kib("MemTotal"), kib("MemAvailable"));
    let used = total.zip(available).map(|(total, available)| total.saturating_sub(available));
    (reading(total.map(|kib| kib / 1024)), reading(used.map(|kib| kib / 1024)))
}

fn reading<T>(value: Option<T>) -> Reading<T> {
    value.map_or_else(|| Reading::missing(Missing::Unknown), Reading::Value)
}

/// Busy share of all CPUs from one call to the next.
#[derive(Debug, Default)]
pub struct CpuMeter {
    last: Option<Ticks>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    busy: u64,
    all: u64,
}

impl CpuMeter {
    /// Percent since the last call; unknown at the first.
    pub fn percent(&mut self) -> Reading<u32> {
        self.advance(parse_ticks(&fs::read_to_string("/proc/stat").unwrap_or_default()))
    }

    fn advance(&mut self, now: Option<Ticks>) -> Reading<u32> {
        let last = std::mem::replace(&mut self.last, now);
        let share = last.zip(now).and_then(|(last, now)| {
            let (busy, all) = (now.busy.saturating_sub(last.busy), now.all.saturating_sub(last.all));
            // In 32 bits: never above 100.
            (all > 0).then(|| u32::try_from((busy * 100 + all / 2) / all).unwrap_or(100).min(100))
        });
        reading(share)
    }
}

/// The line of all CPUs: user, nice, system, idle, iowait, irq, softirq, steal; guest time is in user already.
fn parse_ticks(stat: &str) -> Option<Ticks> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().take(8).map_while(|field| field.parse().ok()).collect();
    let all = ticks.iter().sum();
    let idle = ticks.get(3)? + ticks.get(4).unwrap_or(&0);
    Some(Ticks { busy: u64::saturating_sub(all, idle), all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_without_caches() {
        let text = "MemTotal:       2048000 kB\nMemFree: 1 kB\nMemAvailable:    1024000 kB\n";
        assert_eq!(parse_memory(text), (Reading::Value(2000), Reading::Value(1000)));
        assert_eq!(parse_memory("MemTotal: 2048 kB\n").1, Reading::missing(Missing::Unknown));
        assert_eq!(parse_memory("").0, Reading::missing(Missing::Unknown));
    }

    #[test]
    fn busy_share_between_two_looks() {
        let mut meter = CpuMeter::default();
        let ticks = |text| parse_ticks(text);
        assert_eq!(meter.advance(ticks("cpu  100 0 100 700 100 0 0 0 50 0\n")), Reading::missing(Missing::Unknown));
        assert_eq!(meter.advance(ticks("cpu  150 0 125 725 100 0 0 0 90 0\n")), Reading::Value(75));
        assert_eq!(meter.advance(ticks("cpu  150 0 125 725 100 0 0 0\n")), Reading::missing(Missing::Unknown));
        // Counters that were set back, as on another machine after a migration.
        assert_eq!(meter.advance(ticks("cpu  1 0 1 900 1 0 0 0\n")).get(), None);
        assert_eq!(meter.advance(ticks("nothing")), Reading::missing(Missing::Unknown));
    }

    #[test]
    fn this_machine_answers() {
        assert!(memory().0.get().is_some_and(|mib| mib > 0));
        assert_ne!(name(), "");
        assert!(parse_ticks(&fs::read_to_string("/proc/stat").expect("stat")).is_some());
    }
}
