//! The cards at one moment. A reader makes hundreds of calls in a row; they all see the same moment.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::card::Occupant;
use crate::control::{Control, ControlFile, KEEP, Kind, Values};
use crate::jobs::{Job, Jobs, Machine, uptime};
use crate::mig::{self, Key, Split};
use crate::motion::{self, Load, Sensors};
use crate::profile::{Model, Profile};

/// Even an idle card has a few MiB in use.
pub const IDLE_BYTES: u64 = 4 << 20;
/// Age of every program while nothing moves: long enough for it to be warm.
const FROZEN_AGE: f64 = 600.0;
/// The energy counter runs from this day, so that it also grows from one process to the next.
const COUNTED_FROM: f64 = 1_735_689_600.0;

/// What is remembered from one moment to the next.
pub struct World {
    control: ControlFile,
    /// What it said, and when it was looked at.
    looked: Option<(Instant, Arc<Control>)>,
    jobs: Jobs,
    thermal: HashMap<usize, Thermal>,
    /// How often a growing list has been counted since the control file changed.
    counted: HashMap<(usize, String), u32>,
    moment: Option<Arc<Moment>>,
}

/// What a card remembers.
#[derive(Clone, Copy)]
struct Thermal {
    at: f64,
    warmth: f64,
    extra_millijoules: f64,
}

/// What a card has to do.
#[derive(Clone, Copy)]
struct Work {
    load: Option<Load>,
    /// Part of the card that can work on it.
    part: f64,
}

/// Everything at one moment.
pub struct Moment {
    made: Instant,
    /// What the control file said.
    pub control: Arc<Control>,
    /// Unix time.
    pub unix: f64,
    /// By position in the profile.
    pub cards: Vec<CardMoment>,
}

/// One card at one moment.
pub struct CardMoment {
    /// Who is on it, on any of its instances.
    pub occupants: Vec<Occupant>,
    /// What it measures.
    pub sensors: Sensors,
    /// Energy since the driver was loaded.
    pub millijoules: u64,
    /// Whether it is split.
    pub split: Split,
    /// What the control file says about it.
    pub values: Values,
}

impl World {
    /// Nothing remembered yet.
    #[must_use]
    pub fn new(control: ControlFile) -> Self {
        let (jobs, thermal) = (Jobs::default(), HashMap::new());
        Self { control, looked: None, jobs, thermal, counted: HashMap::new(), moment: None }
    }

    /// What the control file says, looked at as often as a moment lasts. It is there for much less than a moment.
    pub fn control(&mut self) -> Arc<Control> {
        match &self.looked {
            Some((at, control)) if at.elapsed() <= KEEP => Arc::clone(control),
            _ => self.look(),
        }
    }

    fn look(&mut self) -> Arc<Control> {
        let control = Arc::clone(self.control.read());
        self.looked = Some((Instant::now(), Arc::clone(&control)));
        control
    }

    /// The present moment, which lasts for [`KEEP`].
    pub fn moment(&mut self, profile: &Profile) -> Arc<Moment> {
        if let Some(moment) = self.moment.as_ref().filter(|moment| moment.made.elapsed() <= KEEP) {
            return Arc::clone(moment);
        }
        let control = self.look();
        if self.moment.as_ref().is_none_or(|before| !Arc::ptr_eq(&before.control, &control)) {
            self.counted.clear();
            complain(profile, &control);
        }
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let unix = control.freeze.unwrap_or_else(clock);
        let splits: Vec<Split> = (0..profile.card.len()).map(|position| split(profile, &control, position)).collect();
        let programs = self.jobs.of(&Machine { profile, splits: &splits }).to_vec();
        let load = |job: &Job, uptime: f64| match control.freeze {
            Some(_) => Load { age: FROZEN_AGE, ..job.load(uptime) },
            None => job.load(uptime),
        };
        let uptime = if programs.is_empty() { 0.0 } else { uptime() };
        let cards = splits.into_iter().enumerate().map(|(position, split)| {
            let on_it = |job: &&Job| job.cards.iter().any(|place| place.card == position);
            let jobs: Vec<(&Job, Load)> = programs.iter().filter(on_it).map(|job| (job, load(job, uptime))).collect();
            let values = values(&control, position);
            let occupants = occupants(profile, &control, position, &split, &jobs);
            let loads: Vec<Load> = jobs.iter().map(|(_, load)| *load).collect();
            let work = Work { load: busiest(&control, position, &loads), part: busy_part(profile, &split, &occupants) };
            let (sensors, millijoules) = self.feel(profile, position, unix, work, control.freeze.is_some(), &values);
            CardMoment { occupants, sensors, millijoules, split, values }
        });
        let cards = cards.collect();
        let moment = Arc::new(Moment { made: Instant::now(), control, unix, cards });
        self.moment = Some(Arc::clone(&moment));
        moment
    }

    /// How many processes of a list come only after it has been counted this time.
    pub fn hidden(&mut self, control: &Control, position: usize, call: &str) -> usize {
        let Some(growth) = control.grow.iter().find(|growth| growth.card == position) else { return 0 };
        let counted = self.counted.entry((position, call.to_owned())).or_default();
        *counted = counted.saturating_add(1);
        if growth.times.is_none_or(|times| *counted <= times) { growth.by } else { 0 }
    }

    fn feel(
        &mut self,
        profile: &Profile,
        position: usize,
        now: f64,
        work: Work,
        frozen: bool,
        values: &Values,
    ) -> (Sensors, u64) {
        let model = model(profile, position);
        let seed = motion::seed(&profile.card[position].uuid);
        let Work { load, part } = work;
        let effort = motion::effort(load, seed, now) * part;
        // A look at a card that has been busy for a while finds it warm already.
        let warmth = load.map_or(0.0, |load| motion::warmth(0.0, effort, load.age));
        let begin = Thermal { at: now, warmth, extra_millijoules: 0.0 };
        let mut thermal = if frozen { begin } else { *self.thermal.entry(position).or_insert(begin) };
        let seconds = (now - thermal.at).max(0.0);
        thermal.warmth = motion::warmth(thermal.warmth, effort, seconds);
        thermal.at = now;
        let mut sensors = motion::sensors(model, seed, now, effort, thermal.warmth);
        override_with(&mut sensors, values);
        let idle = f64::from(model.idle_watts) * 1000.0;
        thermal.extra_millijoules += (f64::from(sensors.milliwatts) - idle).max(0.0) * seconds;
        if !frozen {
            self.thermal.insert(position, thermal);
        }
        let base = (now - COUNTED_FROM).max(0.0) * idle;
        (sensors, (base + thermal.extra_millijoules) as u64)
    }
}

fn model(profile: &Profile, position: usize) -> &Model {
    // A profile with an unknown model is refused when it is read.
    &profile.model[&profile.card[position].model]
}

fn override_with(sensors: &mut Sensors, values: &Values) {
    let put = |place: &mut u32, value: Option<u32>| *place = value.unwrap_or(*place);
    put(&mut sensors.gpu_percent, values.gpu_percent);
    put(&mut sensors.memory_percent, values.memory_percent);
    put(&mut sensors.celsius, values.celsius);
    put(&mut sensors.milliwatts, values.milliwatts);
    put(&mut sensors.fan_percent, values.fan_percent);
    put(&mut sensors.sm_mhz, values.sm_mhz);
    put(&mut sensors.memory_mhz, values.memory_mhz);
}

/// The oldest program sets the pace; made-up processes work too.
fn busiest(control: &Control, position: usize, loads: &[Load]) -> Option<Load> {
    let made_up = || {
        let process = control.process.iter().find(|process| process.card == position)?;
        Some(Load { age: FROZEN_AGE, seed: u64::from(process.pid) })
    };
    loads.iter().copied().max_by(|a, b| a.age.total_cmp(&b.age)).or_else(made_up)
}

/// How much of a card its programs can use: those of a split card have their instances alone.
fn busy_part(profile: &Profile, split: &Split, occupants: &[Occupant]) -> f64 {
    if !split.on {
        return 1.0;
    }
    let is_busy = |key: Key| occupants.iter().any(|occupant| occupant.instance == Some(key));
    let busy = split.instances.iter().filter(|instance| is_busy(instance.key()));
    let slices: u32 = busy.filter_map(|instance| profile.size.get(&instance.size)).map(|size| size.slices).sum();
    f64::from(slices.min(mig::PLACES)) / f64::from(mig::PLACES)
}

/// The last entry about a card counts.
fn values(control: &Control, position: usize) -> Values {
    let about = |values: &&Values| values.card.is_none_or(|card| card == position);
    control.set.iter().rfind(about).cloned().unwrap_or_default()
}

fn split(profile: &Profile, control: &Control, position: usize) -> Split {
    let anew = control.mig.iter().rfind(|resplit| resplit.card == position);
    match anew.filter(|resplit| mig::check(&resplit.instances, &profile.size).is_ok()) {
        Some(resplit) => Split {
            on: resplit.on,
            pending: resplit.pending.unwrap_or(resplit.on),
            instances: Split::of(Some(&resplit.instances).filter(|_| resplit.on)).instances,
        },
        None => Split::of(profile.card[position].mig.as_ref()),
    }
}

fn complain(profile: &Profile, control: &Control) {
    for why in control.mig.iter().filter_map(|resplit| mig::check(&resplit.instances, &profile.size).err()) {
        eprintln!("nvml-sim: control file: {why}");
    }
}

fn occupants(
    profile: &Profile,
    control: &Control,
    position: usize,
    split: &Split,
    jobs: &[(&Job, Load)],
) -> Vec<Occupant> {
    let model = model(profile, position);
    let mut all = Vec::new();
    let places: Vec<Option<Key>> =
        if split.on { split.instances.iter().map(|instance| Some(instance.key())).collect() } else { vec![None] };
    for place in places {
        let size = place.and_then(|key| profile.size.get(&split.find(key)?.size));
        let usable = size.map_or(model.memory_mib - model.reserved_mib, |size| size.memory_mib) << 20;
        let on_it = |job: &Job| job.cards.iter().any(|one| one.card == position && one.instance == place);
        let here: Vec<&(&Job, Load)> = jobs.iter().filter(|(job, _)| on_it(job)).collect();
        let loads: Vec<Load> = here.iter().map(|(_, load)| *load).collect();
        let held = motion::memory_of(usable.saturating_sub(IDLE_BYTES), &loads);
        all.extend(here.iter().zip(held).map(|((job, _), bytes)| Occupant {
            pid: job.pid,
            bytes: Some(bytes),
            kind: job.kind,
            instance: place,
        }));
    }
    let made_up = control.process.iter().filter(|process| process.card == position).map(|process| Occupant {
        pid: process.pid,
        bytes: process.memory_mib.map(|mib| mib << 20),
        kind: process.kind,
        instance: process.gi.map(|gi| Key { gi, ci: process.ci }),
    });
    all.extend(made_up);
    all
}

impl Kind {
    /// On the list of programs that compute.
    #[must_use]
    pub fn computes(self) -> bool {
        matches!(self, Self::Compute | Self::Both)
    }

    /// On the list of programs that draw.
    #[must_use]
    pub fn draws(self) -> bool {
        matches!(self, Self::Graphics | Self::Both)
    }
}
