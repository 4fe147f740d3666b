//! The profile file: one host and its cards.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::answer::Refusal;
use crate::mig::{self, Instance, Size};

/// One simulated host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Value of `BERTH_SIM_HOST` in the environment of processes that run on this host.
    pub host: String,
    /// Driver version.
    pub driver: String,
    /// NVML version.
    pub nvml: String,
    /// CUDA version in NVML's form: 12080 is 12.8.
    pub cuda: i32,
    /// Kinds of cards, by a name of this file.
    pub model: BTreeMap<String, Model>,
    /// Cards in order of their PCI addresses, which is NVML's order.
    pub card: Vec<CardSpec>,
    /// NVSwitches, where there are any.
    #[serde(default)]
    pub switch: Vec<Switch>,
    /// Rows of `nvidia-smi topo -m` without NVLink: `X PIX PXB PHB NODE SYS`.
    pub pcie: Vec<String>,
    /// Positions of the cards in CUDA's default order; absent where it is NVML's.
    #[serde(default)]
    pub fastest_first: Vec<usize>,
    /// Functions that this driver's library does not have; see [`crate::library`].
    #[serde(default)]
    pub missing: Vec<String>,
    /// Calls that this machine answers with a code.
    #[serde(default)]
    pub refuse: Vec<Refusal>,
    /// Bytes of one record in the newest lists of processes; 32 with the drivers that got it wrong.
    #[serde(default = "process_record")]
    pub process_record: usize,
    /// Sizes of MIG instances, by NVIDIA's names for them.
    #[serde(default)]
    pub size: BTreeMap<String, Size>,
}

/// What all cards of a kind have in common.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// As NVML names it.
    pub name: String,
    /// `nvmlBrandType_t`.
    pub brand: u32,
    /// `nvmlDeviceArchitecture_t`.
    pub architecture: u32,
    /// Major and minor.
    pub compute_capability: [i32; 2],
    /// CUDA cores.
    pub cores: u32,
    /// All memory.
    pub memory_mib: u64,
    /// Memory that the driver keeps for itself.
    pub reserved_mib: u64,
    /// Size of the BAR1 window.
    pub bar1_mib: u64,
    /// Device and vendor, as NVML packs them.
    pub pci_device: u32,
    /// Board and its vendor, likewise.
    pub pci_subsystem: u32,
    /// VBIOS version.
    pub vbios: String,
    /// Part number; absent where the card has none to tell.
    pub part_number: Option<String>,
    /// Whether ECC is on; absent where the card has none.
    pub ecc: Option<bool>,
    /// Whether MIG could be switched on.
    #[serde(default)]
    pub mig: bool,
    /// Fans that the driver sees.
    pub fans: u32,
    /// Draw of an idle card.
    pub idle_watts: u32,
    /// Limit in force, which is also the default.
    pub limit_watts: u32,
    /// Lowest limit that can be set.
    pub min_limit_watts: u32,
    /// Highest limit that can be set.
    pub max_limit_watts: u32,
    /// Core temperature of an idle card.
    pub idle_celsius: u32,
    /// Core temperature at full load, once warm.
    pub busy_celsius: u32,
    /// Thresholds: slow down, shut down.
    pub limit_celsius: [u32; 2],
    /// SM clock: idle, highest.
    pub sm_mhz: [u32; 2],
    /// Memory clock: idle, highest.
    pub memory_mhz: [u32; 2],
    /// PCIe generation and width.
    pub pcie: [u32; 2],
    /// NVLinks, where the card has any.
    pub nvlink: Option<NvLink>,
}

/// NVLinks of a kind of card.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NvLink {
    /// Links of one card.
    pub count: u32,
    /// `nvmlNvlinkVersion_t`: 5 is 3.1, 6 is 4.0.
    pub version: u32,
}

/// One card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardSpec {
    /// `GPU-…`
    pub uuid: String,
    /// Name under `model`.
    pub model: String,
    /// As NVML writes it: `00000000:1B:00.0`.
    pub bus: String,
    /// `N` of `/dev/nvidiaN`; absent where the driver does not tell.
    pub minor: Option<u32>,
    /// Serial number; absent where the card has none to tell.
    pub serial: Option<String>,
    /// NUMA node of the socket that the card hangs on.
    pub numa: u32,
    /// CPUs of that node: `0-55,112-167`.
    pub cpus: String,
    /// Width of this slot, where it is narrower than the card.
    pub pcie_width: Option<u32>,
    /// Active NVLinks, in order; the rest of the card's links are inactive.
    #[serde(default)]
    pub links: Vec<LinkSpec>,
    /// Its MIG instances; absent where it is not split, empty where it is split into nothing.
    pub mig: Option<Vec<Instance>>,
}

fn process_record() -> usize {
    24
}

/// Several links to one neighbour.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Position of a card, or
    pub card: Option<usize>,
    /// of an NVSwitch.
    pub switch: Option<usize>,
    /// How many links.
    pub count: u32,
}

/// One NVSwitch.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// As NVML writes it.
    pub bus: String,
    /// Device and vendor.
    pub pci_device: u32,
}

impl Profile {
    /// Reads and checks a profile.
    ///
    /// # Errors
    /// A sentence for the person who wrote the file.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).map_err(|why| format!("{}: {why}", path.display()))
    }

    /// Reads and checks the text of a profile.
    ///
    /// # Errors
    /// A sentence for the person who wrote the file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut profile: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if profile.fastest_first.is_empty() {
            profile.fastest_first = (0..profile.card.len()).collect();
        }
        profile.check()?;
        Ok(profile)
    }

    fn check(&self) -> Result<(), String> {
        let mut uuids = HashSet::new();
        for (position, card) in self.card.iter().enumerate() {
            let wrong = |what: &str| Err(format!("card {position}: {what}"));
            if !is_uuid(&card.uuid) || !uuids.insert(&card.uuid) {
                return wrong("its uuid is malformed or used twice");
            }
            let Some(model) = self.model.get(&card.model) else { return wrong("its model is not in this file") };
            if model.memory_mib < model.reserved_mib + 64 || model.bar1_mib < 64 || model.limit_celsius[0] < 2 {
                return wrong("its model has no room for memory");
            }
            if bus_parts(&card.bus).is_none() {
                return wrong("its bus is not of the form 00000000:1B:00.0");
            }
            if cpu_list(&card.cpus).is_none() {
                return wrong("its cpus are not of the form 0-55,112-167");
            }
            let known = |link: &LinkSpec| match (link.card, link.switch) {
                (Some(other), None) => other < self.card.len() && other != position,
                (None, Some(switch)) => switch < self.switch.len(),
                _ => false,
            };
            if !card.links.iter().all(known) {
                return wrong("a link must name one other card or one switch of this file");
            }
            let links: u32 = card.links.iter().map(|link| link.count).sum();
            if links > model.nvlink.map_or(0, |nvlink| nvlink.count) {
                return wrong("it has more links than its model");
            }
            if let Some(instances) = &card.mig {
                mig::check(instances, &self.size).map_err(|why| format!("card {position}: {why}"))?;
                if !model.mig {
                    return wrong("it has MIG instances, which its model cannot have");
                }
            }
        }
        if !self.card.is_sorted_by(|a, b| bus_parts(&a.bus) < bus_parts(&b.bus)) {
            return Err("cards must be in order of their bus".to_owned());
        }
        let matrix: Vec<Vec<u32>> = (0..self.card.len()).filter_map(|row| self.levels(row)).collect();
        let square = matrix.len() == self.pcie.len() && matrix.iter().all(|row| row.len() == self.card.len());
        if !square || matrix.len() != self.card.len() {
            return Err("pcie must have one row and one column for each card".to_owned());
        }
        if (0..matrix.len()).any(|a| (0..matrix.len()).any(|b| matrix[a][b] != matrix[b][a])) {
            return Err("pcie must be the same from both sides".to_owned());
        }
        let mut order = self.fastest_first.clone();
        order.sort_unstable();
        if order != (0..self.card.len()).collect::<Vec<_>>() {
            return Err("fastest_first must name each card once".to_owned());
        }
        Ok(())
    }

    /// Common ancestors of one card with each card, in NVML's numbers.
    #[must_use]
    pub fn levels(&self, position: usize) -> Option<Vec<u32>> {
        let level = |word: &str| match word {
            "X" => Some(0),
            "PIX" => Some(10),
            "PXB" => Some(20),
            "PHB" => Some(30),
            "NODE" => Some(40),
            "SYS" => Some(50),
            _ => None,
        };
        self.pcie.get(position)?.split_whitespace().map(level).collect()
    }
}

/// The form of a card's UUID as drivers make them.
fn is_uuid(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("GPU-") else { return false };
    let groups: Vec<&str> = rest.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')))
}

/// Domain, bus, device of an address.
#[must_use]
pub fn bus_parts(text: &str) -> Option<(u32, u32, u32)> {
    let (domain, rest) = text.split_once(':')?;
    let (bus, slot) = rest.split_once(':')?;
    let device = slot.strip_suffix(".0")?;
    let hex = |digits: &str| u32::from_str_radix(digits, 16).ok();
    Some((hex(domain)?, hex(bus)?, hex(device)?))
}

/// CPUs of a list like `0-55,112-167`.
#[must_use]
pub fn cpu_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (usize, usize) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        if to > 4096 {
            return None;
        }
        cpus.extend(from..=to);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIG: &str = include_str!("../profiles/rig-3090.toml");

    #[test]
    fn every_profile_is_sound_and_no_card_is_on_two_hosts() {
        let mut uuids = HashSet::new();
        let mut profiles = 0;
        for file in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/profiles")).expect("profiles") {
            let path = file.expect("a profile").path();
            let profile = Profile::load(&path).expect("a sound profile");
            assert_eq!(path.file_stem().and_then(|name| name.to_str()), Some(profile.host.as_str()));
            profiles += 1;
            for card in profile.card {
                assert!(uuids.insert(card.uuid.clone()), "{}", card.uuid);
                for instance in card.mig.into_iter().flatten() {
                    assert!(uuids.insert(instance.uuid.clone()), "{}", instance.uuid);
                }
            }
        }
        assert!(profiles >= 16, "{profiles}");
    }

    #[test]
    fn mistakes_are_told_not_guessed_around() {
        let broken = |from: &str, to: &str| {
            assert!(RIG.contains(from), "{from}");
            Profile::parse(&RIG.replacen(from, to, 1)).expect_err(to)
        };
        assert!(broken("GPU-", "gpu-").contains("uuid"));
        assert!(broken("model = \"rtx3090\"", "model = \"rtx4090\"").contains("model"));
        assert!(broken("X PHB NODE NODE", "X SYS NODE NODE").contains("both sides"));
        assert!(broken("X PHB NODE NODE", "X PHB NODE").contains("one row"));
        assert!(broken("card = 2, count = 4", "card = 9, count = 4").contains("link"));
        assert!(broken("card = 2, count = 4", "card = 2, count = 5").contains("more links"));
    }

    #[test]
    fn lists_of_cpus() {
        assert_eq!(cpu_list("0-2,8"), Some(vec![0, 1, 2, 8]));
        assert_eq!(cpu_list("x"), None);
        assert_eq!(bus_parts("00000000:1B:00.0"), Some((0, 0x1b, 0)));
    }
}
