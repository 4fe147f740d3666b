//! What an initialised library holds, and how a call finds its card.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use nvml_wrapper_sys::bindings::nvmlDevice_t;

use crate::answer::Fault;
use crate::card::Card;
use crate::code::{
    Answer, DRIVER_NOT_LOADED, GPU_IS_LOST, INVALID_ARGUMENT, NOT_SUPPORTED, RESET_REQUIRED, UNINITIALIZED, UNKNOWN,
};
use crate::control::{Control, ControlFile, KEEP};
use crate::handle::Handle;
use crate::lay_out::replace;
use crate::locate;
use crate::profile::Profile;
use crate::world::{Moment, World};

/// Beside the profile: how many have the library initialised.
const HOLDERS: &str = "holders";

static LIVE: RwLock<Live> = RwLock::new(Live { users: 0, sim: None });

struct Live {
    users: u32,
    sim: Option<Arc<Sim>>,
}

/// One simulated host, as of one load of its driver.
pub struct Sim {
    /// The file it was made from.
    pub profile: Profile,
    generation: u16,
    world: Mutex<World>,
    /// What each event set has seen.
    pub events: Mutex<HashMap<usize, EventSet>>,
}

/// Cards that report to an event set, and how many of each of their errors it has had.
#[derive(Debug, Default)]
pub struct EventSet {
    /// By position of the card; then by number of the error.
    pub cards: HashMap<usize, BTreeMap<u64, usize>>,
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
    let mut control = ControlFile::at(files.control.clone());
    let find = |control: &Control| control.fault.iter().find(|fault| fault.hits("nvmlInit_v2", None)).cloned();
    if let Some(fault) = find(control.read()) {
        suffer(&fault, || find(control.read()).as_ref() == Some(&fault))?;
    }
    control.read().init.map_or(Ok(()), Err)?;
    let profile = Profile::load(&files.profile).map_err(|why| {
        eprintln!("nvml-sim: {why}");
        UNKNOWN
    })?;
    let generation = control.read().reload;
    let sim = Sim { generation, world: Mutex::new(World::new(control)), events: Mutex::default(), profile };
    let mut live = LIVE.write().unwrap_or_else(PoisonError::into_inner);
    live.users += 1;
    live.sim = Some(Arc::new(sim));
    note(live.users);
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
    note(live.users);
    Ok(())
}

/// Writes down how many have the library initialised, where the control file asks for it.
fn note(users: u32) {
    let Some(files) = locate::files() else { return };
    let folder = files.profile.parent().map(Path::to_path_buf).unwrap_or_default();
    if ControlFile::at(files.control).read().ledger
        && let Err(error) = replace(&folder.join(HOLDERS), format!("{users}\n").as_bytes())
    {
        eprintln!("nvml-sim: {HOLDERS}: {error}");
    }
}

/// Waits as a fault asks, then fails as it asks.
fn suffer(fault: &Fault, mut persists: impl FnMut() -> bool) -> Answer<()> {
    std::thread::sleep(Duration::from_millis(fault.hang_ms));
    while fault.hang && persists() {
        std::thread::sleep(KEEP);
    }
    fault.code.map_or(Ok(()), Err)
}

/// The host, before anybody has asked which faults it has.
fn live() -> Answer<Arc<Sim>> {
    let live = LIVE.read().unwrap_or_else(PoisonError::into_inner);
    let sim = live.sim.clone().ok_or(UNINITIALIZED)?;
    drop(live);
    // After the driver has been loaded anew, everybody must begin again.
    if sim.control().reload == sim.generation { Ok(sim) } else { Err(UNINITIALIZED) }
}

/// The host, for a call that concerns no card.
///
/// # Errors
/// `UNINITIALIZED`, or what profile and control file ask for.
pub fn host(call: &str) -> Answer<Arc<Sim>> {
    let sim = live()?;
    sim.fault(call, None)?;
    Ok(sim)
}

/// The whole card of a handle, for any call but the few that a card in need of a reset still answers.
///
/// # Errors
/// As [`identity`], and `RESET_REQUIRED`.
pub fn card(device: nvmlDevice_t, call: &str) -> Answer<Card> {
    any(device, call).and_then(whole)
}

/// The whole card of a handle, for a call that tells what the card is.
///
/// # Errors
/// As [`any_identity`], and `NOT_SUPPORTED` where it is a MIG instance.
pub fn identity(device: nvmlDevice_t, call: &str) -> Answer<Card> {
    any_identity(device, call).and_then(whole)
}

/// The card or MIG instance of a handle.
///
/// # Errors
/// As [`any_identity`], and `RESET_REQUIRED`.
pub fn any(device: nvmlDevice_t, call: &str) -> Answer<Card> {
    let card = any_identity(device, call)?;
    if card.moment.control.reset_needed.contains(&card.position) { Err(RESET_REQUIRED) } else { Ok(card) }
}

/// The card or MIG instance of a handle, for a call that tells what it is.
///
/// # Errors
/// `UNINITIALIZED`, `INVALID_ARGUMENT` for a foreign or dead handle, `GPU_IS_LOST`, or what profile and control file
/// ask for.
pub fn any_identity(device: nvmlDevice_t, call: &str) -> Answer<Card> {
    let sim = live()?;
    let handle = Handle::from_device(device).filter(|handle| handle.generation == sim.generation);
    let handle = handle.filter(|handle| handle.position < sim.profile.card.len()).ok_or(INVALID_ARGUMENT)?;
    sim.reach(handle.position, call)?;
    let moment = sim.moment();
    let find = |key| moment.cards[handle.position].split.find(key).cloned().ok_or(INVALID_ARGUMENT);
    let instance = handle.instance.map(find).transpose()?;
    Ok(Card { sim, moment, position: handle.position, instance })
}

fn whole(card: Card) -> Answer<Card> {
    if card.instance.is_some() { Err(NOT_SUPPORTED) } else { Ok(card) }
}

impl Sim {
    /// Everything as it is now.
    pub fn moment(&self) -> Arc<Moment> {
        lock(&self.world).moment(&self.profile)
    }

    /// What the control file says now.
    pub fn control(&self) -> Arc<Control> {
        lock(&self.world).control()
    }

    /// How many processes of a list come only after it has been counted this time.
    pub fn hidden(&self, position: usize, call: &str) -> usize {
        let moment = self.moment();
        lock(&self.world).hidden(&moment.control, position, call)
    }

    /// Positions of the cards that are listed, in NVML's order.
    pub fn listed(&self) -> Vec<usize> {
        let control = &self.moment().control;
        let all = control.order.clone().unwrap_or_else(|| (0..self.profile.card.len()).collect());
        let there = |position: &usize| *position < self.profile.card.len() && !control.gone.contains(position);
        all.into_iter().filter(there).collect()
    }

    /// The handle of a card.
    ///
    /// # Errors
    /// `GPU_IS_LOST`, or what profile and control file ask for.
    pub fn handle(&self, position: usize, call: &str) -> Answer<nvmlDevice_t> {
        self.reach(position, call)?;
        Ok(self.handle_of(position, None))
    }

    /// The handle of a card or of an instance, whatever is the matter with it.
    pub fn handle_of(&self, position: usize, instance: Option<crate::mig::Key>) -> nvmlDevice_t {
        Handle { generation: self.generation, position, instance }.to_device()
    }

    /// Bytes that the control file puts in the place of a text.
    pub fn text(&self, call: &str, position: Option<usize>) -> Option<Vec<u8>> {
        let control = self.control();
        let hits = |card: Option<usize>| card.is_none() || card == position;
        control.text.iter().find(|text| text.call == call && hits(text.card)).map(|text| text.bytes.clone())
    }

    fn reach(&self, position: usize, call: &str) -> Answer<()> {
        self.fault(call, Some(position))?;
        let control = self.control();
        let listed = control.order.as_ref().is_none_or(|order| order.contains(&position));
        if control.lost.contains(&position) || control.gone.contains(&position) || !listed {
            return Err(GPU_IS_LOST);
        }
        Ok(())
    }

    fn fault(&self, call: &str, position: Option<usize>) -> Answer<()> {
        let find = |control: &Control| control.fault.iter().find(|fault| fault.hits(call, position)).cloned();
        if let Some(fault) = find(&self.control()) {
            return suffer(&fault, || find(&self.control()).as_ref() == Some(&fault));
        }
        let model = position.map(|position| self.profile.card[position].model.as_str());
        let refusal = self.profile.refuse.iter().find(|refusal| refusal.hits(call, model));
        refusal.map_or(Ok(()), |refusal| Err(refusal.code))
    }
}
