//! What a card does, beyond what every page shows.

use domain::card::{CardDetail, RemappedRows, Slowdown};
use domain::reading::{Missing, Reading};
use nvml_wrapper::Device;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, EccCounter, MemoryError, PerformanceState, RetirementCause};
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::error::{Bits, NvmlError};
use nvml_wrapper::structs::device::FieldId;

use super::health::{missing, reading};
use super::memory::Memory;

/// Temperature of the memory.
const MEMORY_TEMPERATURE: u32 = 82;
/// Remapped rows: for corrected and uncorrected errors, pending, failed.
const REMAPPED: [u32; 4] = [142, 143, 144, 145];

/// What changes seldom and costs time to ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slow {
    pcie_generation: Reading<u32>,
    pcie_width: Reading<u32>,
    ecc_corrected: Reading<u64>,
    ecc_uncorrected: Reading<u64>,
    retired_pages: Reading<u32>,
    retirement_pending: Reading<bool>,
    remapped_rows: Reading<RemappedRows>,
}

impl Slow {
    pub(super) fn read(card: &Device<'_>) -> Self {
        let ecc = |kind| reading(card.total_ecc_errors(kind, EccCounter::Volatile));
        Self {
            pcie_generation: reading(card.current_pcie_link_gen()),
            pcie_width: reading(card.current_pcie_link_width()),
            ecc_corrected: ecc(MemoryError::Corrected),
            ecc_uncorrected: ecc(MemoryError::Uncorrected),
            retired_pages: reading(retired_pages(card)),
            retirement_pending: reading(card.are_pages_pending_retired()),
            remapped_rows: reading(remapped_rows(card)),
        }
    }

    /// Something failed that may work the next time.
    pub(super) fn has_gap(&self) -> bool {
        fn gap<T>(field: &Reading<T>) -> bool {
            matches!(field, Reading::Missing { na: Missing::Lost | Missing::ResetNeeded | Missing::Unknown })
        }
        gap(&self.pcie_generation)
            || gap(&self.pcie_width)
            || gap(&self.ecc_corrected)
            || gap(&self.ecc_uncorrected)
            || gap(&self.retired_pages)
            || gap(&self.retirement_pending)
            || gap(&self.remapped_rows)
    }
}

/// Everything, of which `slow` may be from a round before.
pub(super) fn of(card: &Device<'_>, memory: &Memory, slow: &Slow, memory_percent: Reading<u32>) -> CardDetail {
    CardDetail {
        memory_reserved_mib: memory.reserved,
        memory_free_mib: memory.free,
        memory_is_unified: memory.is_unified,
        memory_used_has_reserved: memory.used_has_reserved,
        memory_utilisation_percent: memory_percent,
        encoder_percent: reading(card.encoder_utilization()).map(|engine| engine.utilization),
        decoder_percent: reading(card.decoder_utilization()).map(|engine| engine.utilization),
        memory_temperature_celsius: reading(memory_temperature(card)),
        energy_millijoules: reading(card.total_energy_consumption()),
        graphics_clock_mhz: reading(card.clock_info(Clock::Graphics)),
        memory_clock_mhz: reading(card.clock_info(Clock::Memory)),
        performance_state: reading(card.performance_state().and_then(performance_state)),
        slowed_by: slowed_by(card),
        pcie_generation: slow.pcie_generation,
        pcie_width: slow.pcie_width,
        ecc_corrected: slow.ecc_corrected,
        ecc_uncorrected: slow.ecc_uncorrected,
        retired_pages: slow.retired_pages,
        retirement_pending: slow.retirement_pending,
        remapped_rows: slow.remapped_rows,
        last_xid: None,
        hot_since: None,
        power_capped_since: None,
    }
}

/// No field has a value.
pub(super) fn all_missing(why: Missing) -> CardDetail {
    CardDetail {
        memory_reserved_mib: Reading::missing(why),
        memory_free_mib: Reading::missing(why),
        memory_is_unified: false,
        memory_used_has_reserved: false,
        memory_utilisation_percent: Reading::missing(why),
        encoder_percent: Reading::missing(why),
        decoder_percent: Reading::missing(why),
        memory_temperature_celsius: Reading::missing(why),
        energy_millijoules: Reading::missing(why),
        graphics_clock_mhz: Reading::missing(why),
        memory_clock_mhz: Reading::missing(why),
        performance_state: Reading::missing(why),
        slowed_by: Reading::missing(why),
        pcie_generation: Reading::missing(why),
        pcie_width: Reading::missing(why),
        ecc_corrected: Reading::missing(why),
        ecc_uncorrected: Reading::missing(why),
        retired_pages: Reading::missing(why),
        retirement_pending: Reading::missing(why),
        remapped_rows: Reading::missing(why),
        last_xid: None,
        hot_since: None,
        power_capped_since: None,
    }
}

fn memory_temperature(card: &Device<'_>) -> Result<u32, NvmlError> {
    match fields(card, &[MEMORY_TEMPERATURE])?.first() {
        // What cards with other memory than HBM say.
        Some(0) | None => Err(NvmlError::NotSupported),
        Some(&celsius) => u32::try_from(celsius).map_err(|_| NvmlError::Unknown),
    }
}

fn remapped_rows(card: &Device<'_>) -> Result<RemappedRows, NvmlError> {
    let values = fields(card, &REMAPPED)?;
    let &[corrected, uncorrected, pending, failed] = values.as_slice() else { return Err(NvmlError::Unknown) };
    let count = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    Ok(RemappedRows {
        corrected: count(corrected),
        uncorrected: count(uncorrected),
        pending: pending != 0,
        failed: failed != 0,
    })
}

/// Values by their numbers; all of them or none.
fn fields(card: &Device<'_>, numbers: &[u32]) -> Result<Vec<u64>, NvmlError> {
    let asked: Vec<FieldId> = numbers.iter().map(|&number| FieldId(number)).collect();
    let answers = card.field_values_for(&asked)?;
    let number = |value| match value {
        SampleValue::U32(value) => Ok(u64::from(value)),
        SampleValue::U64(value) => Ok(value),
        SampleValue::I64(value) => u64::try_from(value).map_err(|_| NvmlError::Unknown),
        SampleValue::F64(_) => Err(NvmlError::Unknown),
    };
    answers.into_iter().map(|answer| answer.and_then(|field| field.value).and_then(number)).collect()
}

fn retired_pages(card: &Device<'_>) -> Result<u32, NvmlError> {
    let causes = [RetirementCause::MultipleSingleBitEccErrors, RetirementCause::DoubleBitEccError];
    causes.into_iter().try_fold(0_u32, |sum, cause| {
        let pages = card.retired_pages(cause)?.len();
        Ok(sum.saturating_add(u32::try_from(pages).unwrap_or(u32::MAX)))
    })
}

fn performance_state(state: PerformanceState) -> Result<u32, NvmlError> {
    match state {
        PerformanceState::Unknown => Err(NvmlError::Unknown),
        known => Ok(known.as_c()),
    }
}

fn slowed_by(card: &Device<'_>) -> Reading<Vec<Slowdown>> {
    match card.current_throttle_reasons_strict() {
        Ok(reasons) => Reading::Value(slowdowns(reasons.bits())),
        // Reasons that this wrapper does not know yet.
        Err(NvmlError::IncorrectBits(Bits::U64(bits))) => Reading::Value(slowdowns(bits)),
        Err(error) => Reading::missing(missing(&error)),
    }
}

fn slowdowns(bits: u64) -> Vec<Slowdown> {
    let known = [
        (ThrottleReasons::GPU_IDLE, Slowdown::Idle),
        (ThrottleReasons::APPLICATIONS_CLOCKS_SETTING, Slowdown::ApplicationClocks),
        (ThrottleReasons::SW_POWER_CAP, Slowdown::PowerCap),
        (ThrottleReasons::HW_SLOWDOWN, Slowdown::Hardware),
        (ThrottleReasons::SYNC_BOOST, Slowdown::SyncBoost),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, Slowdown::SoftwareThermal),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, Slowdown::HardwareThermal),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, Slowdown::PowerBrake),
        (ThrottleReasons::DISPLAY_CLOCK_SETTING, Slowdown::Display),
    ];
    let mut found: Vec<Slowdown> =
        known.iter().filter(|(bit, _)| bits & bit.bits() != 0).map(|&(_, slowdown)| slowdown).collect();
    if bits & !known.iter().fold(0, |all, (bit, _)| all | bit.bits()) != 0 {
        found.push(Slowdown::Other);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_word_and_new_ones_are_not_lost() {
        assert_eq!(slowdowns(0), []);
        assert_eq!(slowdowns(1), [Slowdown::Idle]);
        assert_eq!(slowdowns(0x4 | 0x40), [Slowdown::PowerCap, Slowdown::HardwareThermal]);
        assert_eq!(slowdowns(1 << 40 | 2), [Slowdown::ApplicationClocks, Slowdown::Other]);
    }
}
