//! Which live processes of this machine run on the simulated host, and on which of its cards.
//!
//! A process counts when the environment it was started with has `BERTH_SIM_HOST` equal to the profile's host and a
//! `CUDA_VISIBLE_DEVICES` that selects cards or a MIG instance. `BERTH_SIM_KIND` (`compute`, `graphics`, `both`, `mps`)
//! says which of the driver's lists it is on. `BERTH_SIM_JOB=0` takes a process out, for programs that only pass the
//! environment on. Processes whose environment this account may not read do not count.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::time::{Duration, Instant};

use crate::control::Kind;
use crate::mig::{Key, Split};
use crate::motion::{Load, seed};
use crate::profile::Profile;
use crate::visible::{self, Order};

/// Looking through `/proc` costs milliseconds, a snapshot asks dozens of times.
const KEEP: Duration = Duration::from_millis(900);
/// Larger environments are cut off; the variables in question would have to come after a quarter megabyte.
const ENVIRONMENT_MAX: u64 = 256 * 1024;
/// `/proc/PID/stat` counts in this many ticks a second on every Linux that NVIDIA's driver runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// Most looks that a process is spared which was the same at the last ones.
const SPARE_MAX: u32 = 16;

/// What programs choose their cards from.
pub struct Machine<'a> {
    /// The host.
    pub profile: &'a Profile,
    /// Whether its cards are split, by their positions.
    pub splits: &'a [Split],
}

/// One program and its cards.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Process id.
    pub pid: u32,
    /// Start, in seconds since boot.
    pub started: f64,
    /// Its cards, or its part of one.
    pub cards: Vec<Place>,
    /// Which list it is on.
    pub kind: Kind,
}

/// Where a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Position of the card.
    pub card: usize,
    /// MIG instance, where the card is split.
    pub instance: Option<Key>,
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
    known: HashMap<u32, Known>,
    splits: Vec<Split>,
}

/// A process that was looked at. It may yet become another by starting a program in its place, which processes mostly do
/// when they are young, so the looks at it get rarer. Reading an environment is by far the dearest of all that is done here.
#[derive(Clone, Debug, Default)]
struct Known {
    /// What it does here; nothing, for a stranger.
    job: Option<Job>,
    spared: u32,
    left: u32,
    seen: bool,
}

/// What a process is to a host.
#[derive(Debug, PartialEq)]
enum Relation {
    Stranger,
    /// On this host, on none of its cards.
    Idle,
    Runs(Vec<Place>, Kind),
}

impl Jobs {
    /// Jobs of a host, at most about a second old.
    pub fn of(&mut self, machine: &Machine<'_>) -> &[Job] {
        if self.seen_at.is_none_or(|at| at.elapsed() > KEEP) {
            if self.splits != machine.splits {
                // Where a program runs depends on how its card is cut.
                self.known.clear();
                self.splits = machine.splits.to_vec();
            }
            self.scan(machine);
            self.seen_at = Some(Instant::now());
        }
        &self.jobs
    }

    fn scan(&mut self, machine: &Machine<'_>) {
        self.jobs.clear();
        let Ok(processes) = fs::read_dir("/proc") else { return };
        let own = std::process::id();
        let mut environment = Vec::with_capacity(8 * 1024);
        let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        for pid in pids.filter(|&pid| pid != own) {
            if let Some(known) = self.known.get_mut(&pid).filter(|known| known.left > 0) {
                known.left -= 1;
                known.seen = true;
                self.jobs.extend(known.job.clone());
                continue;
            }
            let job = match relation(pid, &mut environment, machine) {
                Relation::Stranger => None,
                // It is about to become something else.
                Relation::Idle => continue,
                Relation::Runs(cards, kind) => {
                    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok();
                    let started = stat.and_then(|stat| start_ticks(&stat)).map(|ticks| ticks / TICKS_PER_SECOND);
                    let Some(started) = started else { continue };
                    Some(Job { pid, started, cards, kind })
                }
            };
            let known = self.known.entry(pid).or_default();
            let spared = if known.job == job { (known.spared * 2).clamp(1, SPARE_MAX) } else { 1 };
            self.jobs.extend(job.clone());
            *known = Known { job, spared, left: spared, seen: true };
        }
        self.known.retain(|_, known| std::mem::take(&mut known.seen));
        self.jobs.sort_by_key(|job| job.pid);
    }
}

/// What a process is to a host, by the environment that it was started with.
fn relation(pid: u32, environment: &mut Vec<u8>, machine: &Machine<'_>) -> Relation {
    environment.clear();
    let read =
        File::open(format!("/proc/{pid}/environ")).and_then(|file| file.take(ENVIRONMENT_MAX).read_to_end(environment));
    if read.is_ok() { selected(environment, machine) } else { Relation::Stranger }
}

/// Cards that an environment selects on a host.
fn selected(environment: &[u8], machine: &Machine<'_>) -> Relation {
    let value = |name: &str| {
        environment.split(|&byte| byte == 0).find_map(|pair| {
            let text = pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
            std::str::from_utf8(text).ok()
        })
    };
    if value("BERTH_SIM_HOST") != Some(machine.profile.host.as_str()) {
        return Relation::Stranger;
    }
    let by_bus = value("CUDA_DEVICE_ORDER") == Some("PCI_BUS_ID");
    let order = if by_bus { Order::PciBus } else { Order::FastestFirst(&machine.profile.fastest_first) };
    let cards = value("CUDA_VISIBLE_DEVICES").map(|visible| machine.places(visible, order)).unwrap_or_default();
    if cards.is_empty() || value("BERTH_SIM_JOB") == Some("0") {
        return Relation::Idle;
    }
    let kind = match value("BERTH_SIM_KIND") {
        Some("graphics") => Kind::Graphics,
        Some("both") => Kind::Both,
        Some("mps") => Kind::Mps,
        _ => Kind::Compute,
    };
    Relation::Runs(cards, kind)
}

impl Machine<'_> {
    /// Where a program runs that sees these devices. CUDA gives a program one instance at most: the first that is named,
    /// or the first one of a card that is split.
    fn places(&self, visible: &str, order: Order<'_>) -> Vec<Place> {
        let instances = self.splits.iter().enumerate().flat_map(|(card, split)| {
            split
                .instances
                .iter()
                .map(move |instance| (instance.uuid.as_str(), Place { card, instance: Some(instance.key()) }))
        });
        if visible.trim_start().starts_with("MIG-") {
            let named = visible.split(',').next().unwrap_or_default().trim();
            return instances.filter(|(uuid, _)| *uuid == named).map(|(_, place)| place).collect();
        }
        let uuids: Vec<&str> = self.profile.card.iter().map(|card| card.uuid.as_str()).collect();
        let place = |card: usize| match self.splits.get(card) {
            Some(split) if split.on => Some(Place { card, instance: Some(split.instances.first()?.key()) }),
            _ => Some(Place { card, instance: None }),
        };
        visible::cards(visible, order, &uuids).into_iter().filter_map(place).collect()
    }
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

    const SPLIT: &str = include_str!("../profiles/a100-mig.toml");

    fn of(environment: &str) -> Relation {
        let profile = Profile::parse(SPLIT).expect("profile");
        let splits: Vec<Split> = profile.card.iter().map(|card| Split::of(card.mig.as_ref())).collect();
        let machine = Machine { profile: &profile, splits: &splits };
        selected(environment.replace(' ', "\0").as_bytes(), &machine)
    }

    fn runs(places: &[(usize, Option<u32>)]) -> Relation {
        let place = |&(card, gi): &(usize, Option<u32>)| Place { card, instance: gi.map(|gi| Key { gi, ci: 0 }) };
        Relation::Runs(places.iter().map(place).collect(), Kind::Compute)
    }

    #[test]
    fn only_programs_of_this_host_with_cards_count() {
        let whole = "CUDA_VISIBLE_DEVICES=GPU-b1";
        assert_eq!(of(&format!("A=1 BERTH_SIM_HOST=a100-mig {whole} B=2")), runs(&[(0, None)]));
        assert_eq!(of(&format!("BERTH_SIM_HOST=other {whole}")), Relation::Stranger);
        assert_eq!(of(whole), Relation::Stranger);
        assert_eq!(of("BERTH_SIM_HOST=a100-mig"), Relation::Idle);
        assert_eq!(of("BERTH_SIM_HOST=a100-mig CUDA_VISIBLE_DEVICES="), Relation::Idle);
        assert_eq!(of(&format!("BERTH_SIM_HOST=a100-mig {whole} BERTH_SIM_JOB=0")), Relation::Idle);
        assert_eq!(of(&format!("NOT_BERTH_SIM_HOST=a100-mig {whole}")), Relation::Stranger);
    }

    #[test]
    fn a_split_card_gives_one_instance_away() {
        let on = |visible: &str| of(&format!("BERTH_SIM_HOST=a100-mig CUDA_VISIBLE_DEVICES={visible}"));
        let uuid = "MIG-6f1a3c52-0b7d-5e94-8a21-d3c4f7e09b13";
        assert_eq!(on(uuid), runs(&[(1, Some(9))]));
        assert_eq!(on(&format!("{uuid},GPU-b1")), runs(&[(1, Some(9))]));
        assert_eq!(on("MIG-6f1a"), Relation::Idle);
        assert_eq!(on("0,1"), runs(&[(0, None), (1, Some(1))]));
    }

    #[test]
    fn a_program_says_what_kind_it_is() {
        let kind =
            |kind: &str| match of(&format!("BERTH_SIM_HOST=a100-mig CUDA_VISIBLE_DEVICES=0 BERTH_SIM_KIND={kind}")) {
                Relation::Runs(_, kind) => kind,
                other => panic!("{other:?}"),
            };
        assert_eq!([kind("graphics"), kind("mps"), kind("both")], [Kind::Graphics, Kind::Mps, Kind::Both]);
    }

    #[test]
    fn the_start_is_found_behind_any_name() {
        let fields: Vec<String> = (3..30).map(|field| field.to_string()).collect();
        assert_eq!(start_ticks(&format!("1 (a) b) {}", fields.join(" "))), Some(22.0));
        assert_eq!(start_ticks("1 (a"), None);
        assert!(uptime() > 0.0);
    }
}
