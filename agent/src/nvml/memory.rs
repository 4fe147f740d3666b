//! A card's memory, by whichever call tells of it.

use domain::card::Mib;
use domain::reading::{Missing, Reading};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::health::missing;
use super::raw;
use crate::host::{self, Places};

/// Words in the names of cards that share the machine's memory. Only these may be given the machine's numbers: a card
/// with memory of its own that fails to answer must not look as if it had the machine's.
const INTEGRATED: [&str; 5] = ["GB10", "Thor", "Orin", "Xavier", "Tegra"];

/// A card's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) total: Reading<Mib>,
    pub(super) used: Reading<Mib>,
    pub(super) reserved: Reading<Mib>,
    pub(super) free: Reading<Mib>,
    /// The numbers are the machine's.
    pub(super) is_unified: bool,
    /// Used contains what the driver keeps for itself.
    pub(super) used_has_reserved: bool,
}

impl Memory {
    pub(super) fn missing(why: Missing) -> Self {
        let none = Reading::missing(why);
        Self { total: none, used: none, reserved: none, free: none, is_unified: false, used_has_reserved: false }
    }

    fn of_machine(places: &Places) -> Self {
        let (total, used) = host::memory_at(places);
        let free = match (total, used) {
            (Reading::Value(total), Reading::Value(used)) => Reading::Value(total.saturating_sub(used)),
            _ => Reading::missing(Missing::Unknown),
        };
        let reserved = Reading::missing(Missing::NotSupported);
        Self { total, used, reserved, free, is_unified: true, used_has_reserved: false }
    }
}

/// The card is part of the machine's main chip and has no memory of its own.
pub(super) fn is_integrated(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| INTEGRATED.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// By the second form of the call, or by the first where the library or the platform has no second.
pub(super) fn of(nvml: &Nvml, card: &Device<'_>, name: &str, places: &Places) -> Memory {
    let mib = |bytes: u64| Reading::Value(bytes >> 20);
    let error = match card.memory_info() {
        Ok(memory) if memory.total > 0 => {
            return Memory {
                total: mib(memory.total),
                used: mib(memory.used),
                reserved: mib(memory.reserved),
                free: mib(memory.free),
                is_unified: false,
                used_has_reserved: false,
            };
        }
        // A card without any memory has only failed to say how much it is.
        Ok(_) => NvmlError::NotSupported,
        Err(error @ (NvmlError::GpuLost | NvmlError::ResetRequired | NvmlError::NoPermission)) => {
            return Memory::missing(missing(&error));
        }
        Err(error) => error,
    };
    let error = match raw::memory_v1(nvml, card) {
        Ok(memory) if memory.total > 0 => {
            return Memory {
                total: mib(memory.total),
                used: mib(memory.used),
                reserved: Reading::missing(Missing::NotSupported),
                free: mib(memory.free),
                is_unified: false,
                used_has_reserved: true,
            };
        }
        Ok(_) => error,
        Err(error) => error,
    };
    match error {
        NvmlError::NotSupported if is_integrated(name) => Memory::of_machine(places),
        error => Memory::missing(missing(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_share_the_machines_memory() {
        for name in ["NVIDIA GB10", "Orin (nvgpu)", "NVIDIA Thor", "NVIDIA Jetson AGX Orin"] {
            assert!(is_integrated(name), "{name}");
        }
        for name in ["NVIDIA GeForce RTX 3090", "NVIDIA GB100", "NVIDIA H100 80GB HBM3", "Torino", "GB1 0", ""] {
            assert!(!is_integrated(name), "{name}");
        }
    }
}
