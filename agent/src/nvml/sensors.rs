//! What a card does at this moment.

use domain::card::{CardSample, Mib};
use domain::reading::{Missing, Reading};
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::health::{missing, reading};
use super::raw;

/// A card's memory.
pub(super) struct Memory {
    pub(super) total: Reading<Mib>,
    pub(super) used: Reading<Mib>,
}

impl Memory {
    fn of_bytes(total: u64, used: u64) -> Self {
        Self { total: Reading::Value(total >> 20), used: Reading::Value(used >> 20) }
    }

    fn missing(why: Missing) -> Self {
        Self { total: Reading::missing(why), used: Reading::missing(why) }
    }
}

/// By the second form of the call, or by the first where the library or the platform has no second. The first counts
/// what the driver keeps for itself as used.
pub(super) fn memory(nvml: &Nvml, card: &Device<'_>) -> Memory {
    match card.memory_info() {
        Ok(memory) => Memory::of_bytes(memory.total, memory.used),
        Err(error @ (NvmlError::GpuLost | NvmlError::ResetRequired | NvmlError::NoPermission)) => {
            Memory::missing(missing(&error))
        }
        Err(error) => match raw::memory_v1(nvml, card) {
            Ok((total, used)) if total > 0 => Memory::of_bytes(total, used),
            Ok(_) => Memory::missing(missing(&error)),
            Err(error) => Memory::missing(missing(&error)),
        },
    }
}

/// All sensors; memory has been read already.
pub(super) fn sample(card: &Device<'_>, memory_used_mib: Reading<Mib>) -> CardSample {
    CardSample {
        utilisation_percent: reading(card.utilization_rates()).map(|rates| rates.gpu),
        memory_used_mib,
        temperature_celsius: reading(card.temperature(TemperatureSensor::Gpu)),
        power_milliwatts: reading(card.power_usage()),
        power_limit_milliwatts: reading(card.enforced_power_limit()),
        fan_percent: reading(card.fan_speed(0)),
        sm_clock_mhz: reading(card.clock_info(Clock::SM)),
    }
}

/// The sensors of a card that does not answer.
pub(super) fn silent(why: Missing) -> CardSample {
    CardSample {
        utilisation_percent: Reading::missing(why),
        memory_used_mib: Reading::missing(why),
        temperature_celsius: Reading::missing(why),
        power_milliwatts: Reading::missing(why),
        power_limit_milliwatts: Reading::missing(why),
        fan_percent: Reading::missing(why),
        sm_clock_mhz: Reading::missing(why),
    }
}
