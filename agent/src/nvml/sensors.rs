//! What a card does at this moment.

use domain::card::{CardSample, Mib};
use domain::reading::{Missing, Reading};
use nvml_wrapper::Device;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::Utilization;

use super::health::{missing, reading};

/// What the sensors say.
pub(super) struct Felt {
    pub(super) sample: CardSample,
    /// Share of time in which memory was read or written.
    pub(super) memory_percent: Reading<u32>,
}

/// All sensors; memory has been read already.
pub(super) fn sample(card: &Device<'_>, memory_used_mib: Reading<Mib>) -> Felt {
    let rates = card.utilization_rates();
    let of_rates = |share: fn(&Utilization) -> u32| match &rates {
        Ok(rates) => Reading::Value(share(rates)),
        Err(error) => Reading::missing(missing(error)),
    };
    let sample = CardSample {
        utilisation_percent: of_rates(|rates| rates.gpu),
        memory_used_mib,
        temperature_celsius: reading(card.temperature(TemperatureSensor::Gpu)),
        power_milliwatts: reading(card.power_usage()),
        power_limit_milliwatts: reading(card.enforced_power_limit()),
        fan_percent: fan(card),
        sm_clock_mhz: reading(card.clock_info(Clock::SM)),
    };
    Felt { sample, memory_percent: of_rates(|rates| rates.memory) }
}

/// The first fan; a card without any says that there is no first.
fn fan(card: &Device<'_>) -> Reading<u32> {
    match card.fan_speed(0) {
        Err(NvmlError::InvalidArg) => Reading::missing(Missing::NotSupported),
        other => reading(other),
    }
}

/// Some chips answer with zeros instead of not at all. Nothing that runs is at no degrees without power: then none of
/// the numbers says anything.
pub(super) fn doubt_zeros(felt: &mut Felt) {
    let zero = |field: &Reading<u32>| field.get().is_none_or(|value| value == 0);
    let sample = &mut felt.sample;
    if zero(&sample.temperature_celsius) && zero(&sample.power_milliwatts) && zero(&sample.sm_clock_mhz) {
        let fields = [
            &mut sample.utilisation_percent,
            &mut sample.temperature_celsius,
            &mut sample.power_milliwatts,
            &mut sample.power_limit_milliwatts,
            &mut sample.fan_percent,
            &mut sample.sm_clock_mhz,
            &mut felt.memory_percent,
        ];
        for field in fields.into_iter().filter(|field| field.get() == Some(0)) {
            *field = Reading::missing(Missing::NotSupported);
        }
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
