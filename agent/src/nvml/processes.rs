//! Who is on a card: NVML's lists, put together, with doubtful ones refused.

use std::collections::BTreeMap;
use std::fs;

use domain::card::{CardProcess, ProcessKind};
use domain::reading::{Missing, Reading};
use domain::wire::agent_v1::CARD_PROCESSES_MAX;
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;
use nvml_wrapper::{Device, Nvml};

use super::attribution::Attribution;
use super::raw::{self, List};
use crate::host::Places;

/// A list may grow between being counted and being read; this often it is asked for again.
const TRIES: u32 = 3;
/// Highest process id where the kernel does not say.
const PID_MAX: u32 = 4_194_304;
/// Drivers from the first to before the second write records of another size than they say, over the end of the
/// caller's list.
const BROKEN_DRIVERS: [(u32, u32); 2] = [(535, 43), (535, 98)];

/// Reads the lists and finds out whose the processes are.
pub(super) struct Lists {
    trusted: bool,
    pid_max: u32,
    attribution: Attribution,
}

/// The lists of one card as NVML gave them.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    compute: Vec<ProcessInfo>,
    graphics: Vec<ProcessInfo>,
    shared: Vec<ProcessInfo>,
}

impl Told {
    /// What is on one MIG instance of the card.
    pub(super) fn on_instance(&self, gpu: u32, compute: u32) -> Self {
        let on = |list: &[ProcessInfo]| {
            let here =
                |one: &&ProcessInfo| one.gpu_instance_id == Some(gpu) && one.compute_instance_id == Some(compute);
            list.iter().filter(here).cloned().collect()
        };
        Self { compute: on(&self.compute), graphics: on(&self.graphics), shared: on(&self.shared) }
    }

    /// What is not said to be on another instance.
    pub(super) fn without_others(mut self, gpu: u32, compute: u32) -> Self {
        let fits = |id: Option<u32>, own: u32| id.is_none_or(|id| id == own);
        let here = |one: &ProcessInfo| fits(one.gpu_instance_id, gpu) && fits(one.compute_instance_id, compute);
        for list in [&mut self.compute, &mut self.graphics, &mut self.shared] {
            list.retain(here);
        }
        self
    }

    /// Adds what another list tells.
    pub(super) fn append(&mut self, mut other: Self) {
        self.compute.append(&mut other.compute);
        self.graphics.append(&mut other.graphics);
        self.shared.append(&mut other.shared);
    }

    /// Nobody is on any list.
    pub(super) fn is_empty(&self) -> bool {
        self.compute.is_empty() && self.graphics.is_empty() && self.shared.is_empty()
    }
}

impl Lists {
    /// `sees` says whether the ids that NVML gives are those of `places`.
    pub(super) fn new(places: &Places, sees: bool) -> Self {
        let pid_max = fs::read_to_string(places.proc.join("sys/kernel/pid_max")).ok();
        let pid_max = pid_max.and_then(|text| text.trim().parse().ok()).unwrap_or(PID_MAX);
        // In a namespace of one's own, the host's ids may be above one's own limit.
        let pid_max = if sees { pid_max } else { pid_max.max(PID_MAX) };
        Self { trusted: true, pid_max, attribution: Attribution::new(&places.proc, sees) }
    }

    /// Decides by the driver's version whether its lists can be read at all.
    pub(super) fn trust(&mut self, driver_version: Option<&str>) {
        self.trusted = driver_version.is_none_or(|version| !writes_broken_lists(version));
    }

    /// Forgets what was found out for the round before.
    pub(super) fn begin_round(&mut self) {
        self.attribution.begin_round();
    }

    /// Asks for the lists of a card or of an instance; `None` where they cannot be read. The list of computing processes
    /// decides. The others add to it where the card has them.
    pub(super) fn ask(&self, nvml: &Nvml, card: &Device<'_>) -> Option<Told> {
        if !self.trusted {
            return None;
        }
        Some(Told {
            compute: persist(|| compute(nvml, card)).ok()?,
            graphics: persist(|| graphics(nvml, card)).unwrap_or_default(),
            shared: persist(|| card.mps_running_compute_processes()).unwrap_or_default(),
        })
    }

    /// Everybody on the lists, most memory first; `None` where they make no sense.
    pub(super) fn name(&mut self, told: &Told, usage: impl Fn(u32) -> Reading<u32>) -> Option<Vec<CardProcess>> {
        let mut merged = merge(&told.compute, &told.graphics, &told.shared, self.pid_max)?;
        for process in &mut merged {
            let owner = self.attribution.of(process.pid);
            process.state = owner.state;
            process.os_user = owner.os_user;
            process.command = owner.command;
            process.started_at = owner.started_at;
            process.container = owner.container;
            process.utilisation_percent = usage(process.pid);
        }
        Some(merged)
    }
}

/// By the newest form of the call that the library has.
fn compute(nvml: &Nvml, card: &Device<'_>) -> Result<Vec<ProcessInfo>, NvmlError> {
    match card.running_compute_processes() {
        Err(NvmlError::FailedToLoadSymbol(_)) => match card.running_compute_processes_v2() {
            Err(NvmlError::FailedToLoadSymbol(_)) => plain(nvml, card, List::Compute),
            answer => answer,
        },
        answer => answer,
    }
}

fn graphics(nvml: &Nvml, card: &Device<'_>) -> Result<Vec<ProcessInfo>, NvmlError> {
    match card.running_graphics_processes() {
        Err(NvmlError::FailedToLoadSymbol(_)) => match card.running_graphics_processes_v2() {
            Err(NvmlError::FailedToLoadSymbol(_)) => plain(nvml, card, List::Graphics),
            answer => answer,
        },
        answer => answer,
    }
}

fn plain(nvml: &Nvml, card: &Device<'_>, list: List) -> Result<Vec<ProcessInfo>, NvmlError> {
    let processes = raw::processes_v1(nvml, card, list)?;
    let process = |one: raw::PlainProcess| ProcessInfo {
        pid: one.pid,
        used_gpu_memory: UsedGpuMemory::from(one.bytes),
        gpu_instance_id: None,
        compute_instance_id: None,
    };
    Ok(processes.into_iter().map(process).collect())
}

/// Asks again while the list outgrows the room made for it.
fn persist<T>(mut ask: impl FnMut() -> Result<T, NvmlError>) -> Result<T, NvmlError> {
    let mut answer = ask();
    for _ in 1..TRIES {
        if !matches!(answer, Err(NvmlError::InsufficientSize(_))) {
            break;
        }
        answer = ask();
    }
    answer
}

fn writes_broken_lists(version: &str) -> bool {
    let mut parts = version.split('.').map(str::parse);
    let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else { return false };
    let [first, fixed] = BROKEN_DRIVERS;
    (first..fixed).contains(&(major, minor))
}

/// Puts the lists together: one entry for each process, however many of them it is on. `None` where an id is impossible:
/// then the others, and their memory, cannot be trusted either.
fn merge(
    compute: &[ProcessInfo],
    graphics: &[ProcessInfo],
    shared: &[ProcessInfo],
    pid_max: u32,
) -> Option<Vec<CardProcess>> {
    let possible = |process: &ProcessInfo| (1..=pid_max).contains(&process.pid);
    if ![compute, graphics, shared].iter().all(|list| list.iter().all(possible)) {
        return None;
    }
    let mut merged: BTreeMap<u32, (ProcessKind, Option<u64>)> = BTreeMap::new();
    for (list, kind) in [(compute, ProcessKind::Compute), (shared, ProcessKind::Mps), (graphics, ProcessKind::Graphics)]
    {
        for (pid, bytes) in by_process(list) {
            let (kind_so_far, bytes_so_far) = merged.entry(pid).or_insert((kind, bytes));
            if *kind_so_far != kind {
                let draws = kind == ProcessKind::Graphics;
                *kind_so_far = if draws { ProcessKind::ComputeAndGraphics } else { ProcessKind::Mps };
            }
            // Each list gives the process's whole memory.
            *bytes_so_far = (*bytes_so_far).max(bytes);
        }
    }
    let mut processes: Vec<CardProcess> = merged
        .into_iter()
        .map(|(pid, (kind, bytes))| CardProcess {
            memory_mib: bytes.map_or(Reading::missing(Missing::Unknown), |bytes| Reading::Value(bytes >> 20)),
            ..CardProcess::new(pid, kind)
        })
        .collect();
    processes.sort_by_key(|process| (std::cmp::Reverse(process.memory_mib.get()), process.pid));
    processes.truncate(CARD_PROCESSES_MAX);
    Some(processes)
}

/// Memory by process. A process on several MIG instances has one record for each.
fn by_process(list: &[ProcessInfo]) -> BTreeMap<u32, Option<u64>> {
    let mut instances = BTreeMap::new();
    for process in list {
        let bytes = match process.used_gpu_memory {
            UsedGpuMemory::Used(bytes) => Some(bytes),
            UsedGpuMemory::Unavailable => None,
        };
        instances.insert((process.pid, process.gpu_instance_id, process.compute_instance_id), bytes);
    }
    let mut sums: BTreeMap<u32, Option<u64>> = BTreeMap::new();
    for ((pid, ..), bytes) in instances {
        let sum = sums.entry(pid).or_insert(Some(0));
        *sum = sum.zip(bytes).map(|(sum, bytes)| sum.saturating_add(bytes));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(pid: u32, mib: Option<u64>, instance: Option<u32>) -> ProcessInfo {
        ProcessInfo {
            pid,
            used_gpu_memory: mib.map_or(UsedGpuMemory::Unavailable, |mib| UsedGpuMemory::Used(mib << 20)),
            gpu_instance_id: instance,
            compute_instance_id: instance.map(|_| 0),
        }
    }

    #[test]
    fn a_process_on_two_lists_is_one_process() {
        let merged = merge(
            &[on(10, Some(100), None), on(11, Some(900), None)],
            &[on(10, Some(120), None), on(12, Some(8), None)],
            &[on(11, Some(900), None)],
            PID_MAX,
        )
        .expect("a list");
        let told: Vec<_> = merged.iter().map(|one| (one.pid, one.kind, one.memory_mib.get())).collect();
        assert_eq!(
            told,
            [
                (11, ProcessKind::Mps, Some(900)),
                (10, ProcessKind::ComputeAndGraphics, Some(120)),
                (12, ProcessKind::Graphics, Some(8)),
            ]
        );
    }

    #[test]
    fn memory_that_is_not_available_is_unknown_and_in_no_sum() {
        let merged = merge(&[on(10, None, None)], &[], &[], PID_MAX).expect("a list");
        assert_eq!(merged[0].memory_mib, Reading::missing(Missing::Unknown));
        let merged = merge(&[on(10, None, Some(1)), on(10, Some(5), Some(2))], &[], &[], PID_MAX).expect("a list");
        assert_eq!(merged[0].memory_mib, Reading::missing(Missing::Unknown));
    }

    #[test]
    fn instances_of_one_process_are_added_up() {
        let merged = merge(&[on(10, Some(3), Some(1)), on(10, Some(5), Some(2))], &[], &[], PID_MAX).expect("a list");
        assert_eq!(merged.len(), 1);
        assert_eq!(merged[0].memory_mib, Reading::Value(8));
    }

    #[test]
    fn an_impossible_id_spoils_the_list() {
        for pid in [0, u32::MAX, PID_MAX + 1] {
            assert_eq!(merge(&[on(10, Some(1), None), on(pid, Some(1), None)], &[], &[], PID_MAX), None, "{pid}");
            assert_eq!(merge(&[], &[on(pid, Some(1), None)], &[], PID_MAX), None, "{pid}");
        }
        assert_eq!(merge(&[], &[], &[], PID_MAX), Some(Vec::new()));
    }

    #[test]
    fn a_list_never_outgrows_a_report() {
        let many: Vec<ProcessInfo> = (1..1000).map(|pid| on(pid, Some(u64::from(pid)), None)).collect();
        let merged = merge(&many, &[], &[], PID_MAX).expect("a list");
        assert_eq!(merged.len(), CARD_PROCESSES_MAX);
        assert_eq!(merged[0].pid, 999);
    }

    #[test]
    fn drivers_with_broken_lists_are_known_by_their_version() {
        for broken in ["535.43.02", "535.54.03", "535.86.10", "535.97"] {
            assert!(writes_broken_lists(broken), "{broken}");
        }
        for sound in ["535.42.01", "535.98", "535.104.05", "530.50.1", "550.54.15", "", "abc", "535"] {
            assert!(!writes_broken_lists(sound), "{sound}");
        }
    }

    #[test]
    fn a_growing_list_is_asked_for_three_times() {
        let mut asked = 0;
        let answer: Result<(), _> = persist(|| {
            asked += 1;
            Err(NvmlError::InsufficientSize(None))
        });
        assert!(answer.is_err());
        assert_eq!(asked, 3);
        let mut asked = 0;
        let answer = persist(|| {
            asked += 1;
            if asked < 3 { Err(NvmlError::InsufficientSize(None)) } else { Ok(asked) }
        });
        assert_eq!(answer.ok(), Some(3));
    }
}
