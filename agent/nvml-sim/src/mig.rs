//! Cards that are split into MIG instances: how a profile or a control file says so.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Highest number of instances of one card, and so of places for them.
pub const PLACES: u32 = 7;
/// Highest GPU instance number that a driver gives out.
const GPU_INSTANCE_MAX: u32 = 14;

/// What all instances of a size have in common; sizes are named as NVIDIA does: `3g.40gb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Slices of the card's seven, of memory and of computing alike.
    pub slices: u32,
    /// Memory.
    pub memory_mib: u64,
    /// Window that the CPU sees.
    pub bar1_mib: u64,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Copy engines.
    pub copy_engines: u32,
    /// Video decoders.
    #[serde(default)]
    pub decoders: u32,
    /// JPEG decoders.
    #[serde(default)]
    pub jpeg_decoders: u32,
    /// Optical flow accelerators.
    #[serde(default)]
    pub optical_flow: u32,
}

/// One instance.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Its index among the card's instances. There may be gaps.
    pub place: u32,
    /// Number of the GPU instance.
    pub gi: u32,
    /// Number of the compute instance in it.
    #[serde(default)]
    pub ci: u32,
    /// Name of its [`Size`].
    pub size: String,
    /// `MIG-…`
    pub uuid: String,
}

impl Instance {
    /// GPU and compute instance.
    #[must_use]
    pub fn key(&self) -> Key {
        Key { gi: self.gi, ci: self.ci }
    }
}

/// What tells the instances of one card apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// GPU instance.
    pub gi: u32,
    /// Compute instance.
    pub ci: u32,
}

/// Whether a card is split, and into what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// MIG mode is on.
    pub on: bool,
    /// MIG mode after the next reset.
    pub pending: bool,
    /// Instances in order of their places.
    pub instances: Vec<Instance>,
}

impl Split {
    /// A card that is split if it has a list of instances, even an empty one.
    #[must_use]
    pub fn of(instances: Option<&Vec<Instance>>) -> Self {
        let mut instances_in_order = instances.cloned().unwrap_or_default();
        instances_in_order.sort_by_key(|instance| instance.place);
        Self { on: instances.is_some(), pending: instances.is_some(), instances: instances_in_order }
    }

    /// The instance with this key.
    #[must_use]
    pub fn find(&self, key: Key) -> Option<&Instance> {
        self.instances.iter().find(|instance| instance.key() == key)
    }
}

/// Why a list of instances cannot be, if it cannot.
///
/// # Errors
/// A sentence for the person who wrote the file.
pub fn check(instances: &[Instance], sizes: &BTreeMap<String, Size>) -> Result<(), String> {
    for (position, instance) in instances.iter().enumerate() {
        let before = &instances[..position];
        let wrong = |what: &str| Err(format!("MIG instance {position}: {what}"));
        if !sizes.contains_key(&instance.size) {
            return wrong("its size is not in this file");
        }
        if instance.place >= PLACES || before.iter().any(|other| other.place == instance.place) {
            return wrong("its place must be below 7 and its own");
        }
        let range = instance.gi <= GPU_INSTANCE_MAX && instance.ci < 8;
        if !range || before.iter().any(|other| other.key() == instance.key()) {
            return wrong("gi must be at most 14, ci at most 7, and both together its own");
        }
        if !instance.uuid.starts_with("MIG-") || before.iter().any(|other| other.uuid == instance.uuid) {
            return wrong("its uuid must begin with MIG- and be its own");
        }
    }
    Ok(())
}
