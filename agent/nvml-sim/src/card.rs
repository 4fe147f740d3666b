//! One card or MIG instance, reached by a handle.

use std::sync::Arc;

use crate::code::{Answer, NOT_SUPPORTED};
use crate::control::{Kind, Values};
use crate::mig::{Instance, Key, Size, Split};
use crate::motion::Sensors;
use crate::profile::{CardSpec, Model};
use crate::state::Sim;
use crate::world::{self, CardMoment, Moment};

/// One card or MIG instance at one moment.
pub struct Card {
    /// Its host.
    pub sim: Arc<Sim>,
    /// The moment.
    pub moment: Arc<Moment>,
    /// The card's place in the profile.
    pub position: usize,
    /// The instance, where it is one.
    pub instance: Option<Instance>,
}

/// One process of a card, as the driver knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupant {
    /// Process id.
    pub pid: u32,
    /// Memory in bytes; `None` where it is not available.
    pub bytes: Option<u64>,
    /// Which list it is on.
    pub kind: Kind,
    /// MIG instance that it runs on.
    pub instance: Option<Key>,
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

    /// What the profile says of an instance's size.
    ///
    /// # Errors
    /// `NOT_SUPPORTED` for a whole card.
    pub fn size(&self) -> Answer<&Size> {
        // An instance of an unknown size is refused when it is read.
        offered(self.instance.as_ref().and_then(|instance| self.sim.profile.size.get(&instance.size)))
    }

    fn now(&self) -> &CardMoment {
        &self.moment.cards[self.position]
    }

    /// Whether it is split.
    #[must_use]
    pub fn split(&self) -> &Split {
        &self.now().split
    }

    /// Values that the control file has put somewhere.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.now().values
    }

    /// Fails on a card that is split, which has no utilisation as a whole.
    ///
    /// # Errors
    /// `NOT_SUPPORTED`.
    pub fn undivided(&self) -> Answer<()> {
        if self.split().on { Err(NOT_SUPPORTED) } else { Ok(()) }
    }

    /// Everything that runs on it.
    #[must_use]
    pub fn occupants(&self) -> Vec<Occupant> {
        let key = self.instance.as_ref().map(Instance::key);
        let on_it = |occupant: &&Occupant| key.is_none() || occupant.instance == key;
        self.now().occupants.iter().filter(on_it).copied().collect()
    }

    /// All memory, and the driver's own part of it, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> (u64, u64) {
        match self.size() {
            Ok(size) => (size.memory_mib << 20, 0),
            Err(_) => (self.model().memory_mib << 20, self.model().reserved_mib << 20),
        }
    }

    /// Bytes that programs hold together.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        let (total, reserved) = self.memory_bytes();
        let set = self.values().used_mib.filter(|_| self.instance.is_none()).map(|mib| mib << 20);
        let held = || self.occupants().iter().filter_map(|occupant| occupant.bytes).sum::<u64>() + world::IDLE_BYTES;
        set.unwrap_or_else(held).min(total - reserved)
    }

    /// The sensors.
    #[must_use]
    pub fn sensors(&self) -> &Sensors {
        &self.now().sensors
    }

    /// Energy since the driver was loaded, in millijoules.
    #[must_use]
    pub fn millijoules(&self) -> u64 {
        self.now().millijoules
    }

    /// Power limit in force.
    #[must_use]
    pub fn limit_milliwatts(&self) -> u32 {
        self.values().limit_milliwatts.unwrap_or(self.model().limit_watts * 1000)
    }
}

/// `Some` or `NOT_SUPPORTED`.
///
/// # Errors
/// `NOT_SUPPORTED` for `None`.
pub fn offered<T>(value: Option<T>) -> Answer<T> {
    value.ok_or(NOT_SUPPORTED)
}
