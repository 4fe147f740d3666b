//! What an initialised library holds, and how a call finds its card.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nvml_wrapper_sys::bindings::nvmlDevice_t;

use crate::code::{
    Answer, DRIVER_NOT_LOADED, GPU_IS_LOST, INVALID_ARGUMENT, NOT_SUPPORTED, RESET_REQUIRED, UNINITIALIZED, UNKNOWN,
};
use crate::control::{Control, ControlFile};
use crate::jobs::{Job, Jobs, uptime};
use crate::locate;
use crate::motion::{self, Load, Sensors};
use crate::profile::{CardSpec, Model, Profile};

/// Handles are this plus the card's position, so that neither null nor a small number passes for one.
const HANDLE_BASE: usize = 0x1000;

static LIVE: RwLock<Live> = RwLock::new(Live { users: 0, sim: None });

struct Live {
    users: u32,
    sim: Option<Arc<Sim>>,
}

/// One simulated host.
pub struct Sim {
    /// The file it was made from.
    pub profile: Profile,
    control: Mutex<ControlFile>,
    jobs: Mutex<Jobs>,
    thermal: Mutex<HashMap<usize, Thermal>>,
    /// Card and number of each event that a set has had; number 0 marks a registered card.
    pub events: Mutex<HashMap<usize, HashSet<(usize, u64)>>>,
}

/// What a card remembers between two looks.
#[derive(Clone, Copy)]
struct Thermal {
    at: f64,
    warmth: f64,
    extra_millijoules: f64,
}

/// Locks without minding a panic elsewhere: nothing here is left half-changed.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `nvmlInit_v2`: reads the profile again, whether or not somebody else has it open.
///
/// # Errors
/// `DRIVER_NOT_LOADED` without a profile, `UNKNOWN` with a bad one, or what the control file asks for.
pub fn init() -> Answer<()> {
    let Some(files) = locate::files() else {
        eprintln!("nvml-sim: no profile.toml beside the library, and {} is not set", locate::PROFILE_VARIABLE);
        return Err(DRIVER_NOT_LOADED);
    };
    let mut control = ControlFile::at(files.control);
    if let Some(fault) = control.read().fault.iter().find(|fault| fault.call == "nvmlInit_v2").cloned() {
        std::thread::sleep(Duration::from_millis(fault.hang_ms));
        fault.code.map_or(Ok(()), Err)?;
    }
    control.read().init.map_or(Ok(()), Err)?;
    let profile = Profile::load(&files.profile).map_err(|why| {
        eprintln!("nvml-sim: {why}");
        UNKNOWN
    })?;
    let sim = Sim {
        profile,
        control: Mutex::new(control),
        jobs: Mutex::default(),
        thermal: Mutex::default(),
        events: Mutex::default(),
    };
    let mut live = LIVE.write().unwrap_or_else(PoisonError::into_inner);
    live.users += 1;
    live.sim = Some(Arc::new(sim));
    Ok(())
}

/// `nvmlShutdown`.
///
/// # Errors
/// `UNINITIALIZED` where there is nothing to shut down.
pub fn shutdown() -> Answer<()> {
    let mut live = LIVE.write().unwrap_or_else(PoisonError::into_inner);
    live.users = live.users.checked_sub(1).ok_or(UNINITIALIZED)?;
    if live.users == 0 {
        live.sim = None;
    }
    Ok(())
}

/// The host, for a call that concerns no card.
///
/// # Errors
/// `UNINITIALIZED`, or what the control file asks for.
pub fn host(call: &str) -> Answer<Arc<Sim>> {
    let live = LIVE.read().unwrap_or_else(PoisonError::into_inner);
    let sim = live.sim.clone().ok_or(UNINITIALIZED)?;
    drop(live);
    sim.fault(call, None)?;
    Ok(sim)
}

/// The card of a handle, for any call but the few that a card in need of a reset still answers.
///
/// # Errors
/// As [`identity`], and `RESET_REQUIRED`.
pub fn card(device: nvmlDevice_t, call: &str) -> Answer<Card> {
    let card = identity(device, call)?;
    if lock(&card.sim.control).read().reset_needed.contains(&card.position) {
        return Err(RESET_REQUIRED);
    }
    Ok(card)
}

/// The card of a handle, for a call that tells what the card is.
///
/// # Errors
/// `UNINITIALIZED`, `INVALID_ARGUMENT` for a foreign handle, `GPU_IS_LOST`, or what the control file asks for.
pub fn identity(device: nvmlDevice_t, call: &str) -> Answer<Card> {
    let live = LIVE.read().unwrap_or_else(PoisonError::into_inner);
    let sim = live.sim.clone().ok_or(UNINITIALIZED)?;
    drop(live);
    let position = device.addr().checked_sub(HANDLE_BASE).filter(|&at| at < sim.profile.card.len());
    let position = position.ok_or(INVALID_ARGUMENT)?;
    sim.reach(position, call)?;
    Ok(Card { sim, position })
}

impl Sim {
    /// What the control file says now.
    pub fn control(&self) -> Control {
        lock(&self.control).read().clone()
    }

    /// Positions of the cards that are listed, in NVML's order.
    pub fn listed(&self) -> Vec<usize> {
        let gone = lock(&self.control).read().gone.clone();
        (0..self.profile.card.len()).filter(|position| !gone.contains(position)).collect()
    }

    /// The handle of a card.
    ///
    /// # Errors
    /// `GPU_IS_LOST`, or what the control file asks for.
    pub fn handle(&self, position: usize, call: &str) -> Answer<nvmlDevice_t> {
        self.reach(position, call)?;
        Ok(handle_of(position))
    }

    fn reach(&self, position: usize, call: &str) -> Answer<()> {
        self.fault(call, Some(position))?;
        let mut control = lock(&self.control);
        let control = control.read();
        if control.lost.contains(&position) || control.gone.contains(&position) {
            return Err(GPU_IS_LOST);
        }
        Ok(())
    }

    fn fault(&self, call: &str, position: Option<usize>) -> Answer<()> {
        let mut control = lock(&self.control);
        let hits = |card: Option<usize>| card.is_none() || card == position;
        let found = control.read().fault.iter().find(|fault| fault.call == call && hits(fault.card)).cloned();
        drop(control);
        let Some(fault) = found else { return Ok(()) };
        std::thread::sleep(Duration::from_millis(fault.hang_ms));
        fault.code.map_or(Ok(()), Err)
    }

    /// Programs on a card, in order of their ids.
    fn programs(&self, position: usize) -> Vec<Job> {
        let uuids: Vec<&str> = self.profile.card.iter().map(|card| card.uuid.as_str()).collect();
        let mut jobs = lock(&self.jobs);
        let all = jobs.of(&self.profile.host, &uuids, &self.profile.fastest_first);
        all.iter().filter(|job| job.cards.contains(&position)).cloned().collect()
    }
}

/// The handle of a position.
#[must_use]
pub fn handle_of(position: usize) -> nvmlDevice_t {
    std::ptr::without_provenance_mut(HANDLE_BASE + position)
}

/// One card, reached by a handle.
pub struct Card {
    /// Its host.
    pub sim: Arc<Sim>,
    /// Its place in the profile.
    pub position: usize,
}

/// One process of a card, as the driver knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupant {
    /// Process id.
    pub pid: u32,
    /// Memory in bytes; `None` where it is not available.
    pub bytes: Option<u64>,
    /// On the compute list.
    pub compute: bool,
    /// On the graphics list.
    pub graphics: bool,
}

impl Card {
    /// What the profile says of it.
    #[must_use]
    pub fn spec(&self) -> &CardSpec {
        &self.sim.profile.card[self.position]
    }

    /// What the profile says of its kind.
    #[must_use]
    pub fn model(&self) -> &Model {
        // A profile with an unknown model is refused when it is read.
        &self.sim.profile.model[&self.spec().model]
    }

    /// Everything that runs on it.
    #[must_use]
    pub fn occupants(&self) -> Vec<Occupant> {
        let programs = self.sim.programs(self.position);
        let uptime = uptime();
        let loads: Vec<Load> = programs.iter().map(|job| job.load(uptime)).collect();
        let usable = (self.model().memory_mib - self.model().reserved_mib) << 20;
        let real = programs.iter().zip(motion::memory_of(usable, &loads)).map(|(job, bytes)| Occupant {
            pid: job.pid,
            bytes: Some(bytes),
            compute: true,
            graphics: false,
        });
        let control = self.sim.control();
        let made_up = control.process.iter().filter(|process| process.card == self.position).map(|process| Occupant {
            pid: process.pid,
            bytes: process.memory_mib.map(|mib| mib << 20),
            compute: process.kind != crate::control::Kind::Graphics,
            graphics: process.kind != crate::control::Kind::Compute,
        });
        real.chain(made_up).collect()
    }

    /// Bytes that programs hold together.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        let usable = (self.model().memory_mib - self.model().reserved_mib) << 20;
        // Even an idle card has a few MiB in use.
        let held: u64 = self.occupants().iter().filter_map(|occupant| occupant.bytes).sum();
        (held + (4 << 20)).min(usable)
    }

    /// The sensors now.
    #[must_use]
    pub fn sensors(&self) -> Sensors {
        self.feel().0
    }

    /// Energy since the driver was loaded, in millijoules.
    #[must_use]
    pub fn millijoules(&self) -> u64 {
        self.feel().1
    }

    fn feel(&self) -> (Sensors, u64) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let seed = motion::seed(&self.spec().uuid);
        let load = self.load();
        let effort = motion::effort(load, seed, now);
        let mut thermal = lock(&self.sim.thermal);
        // A look at a card that has been busy for a while finds it warm already.
        let first = || Thermal {
            at: now,
            warmth: load.map_or(0.0, |load| motion::warmth(0.0, effort, load.age)),
            extra_millijoules: 0.0,
        };
        let memory = thermal.entry(self.position).or_insert_with(first);
        let seconds = (now - memory.at).max(0.0);
        memory.warmth = motion::warmth(memory.warmth, effort, seconds);
        memory.at = now;
        let sensors = motion::sensors(self.model(), seed, now, effort, memory.warmth);
        let idle = f64::from(self.model().idle_watts) * 1000.0;
        memory.extra_millijoules += (f64::from(sensors.milliwatts) - idle).max(0.0) * seconds;
        // Counted from a fixed day by the clock, so that the counter also grows from one process to the next.
        let base = (now - 1_735_689_600.0).max(0.0) * idle;
        (sensors, (base + memory.extra_millijoules) as u64)
    }

    /// The work of the oldest program; made-up processes work too.
    fn load(&self) -> Option<Load> {
        let uptime = uptime();
        let loads = self.sim.programs(self.position);
        let oldest = loads.iter().map(|job| job.load(uptime)).max_by(|a, b| a.age.total_cmp(&b.age));
        let made_up = || {
            let control = self.sim.control();
            let process = control.process.iter().find(|process| process.card == self.position)?;
            Some(Load { age: 600.0, seed: u64::from(process.pid) })
        };
        oldest.or_else(made_up)
    }
}

/// `Some` or `NOT_SUPPORTED`.
///
/// # Errors
/// `NOT_SUPPORTED` for `None`.
pub fn offered<T>(value: Option<T>) -> Answer<T> {
    value.ok_or(NOT_SUPPORTED)
}
