//! What an error of NVML means: for a field, for a card, for the whole library.

use domain::card::{CardDetail, CardHealth, CardSample};
use domain::reading::{Missing, Reading};
use nvml_wrapper::error::NvmlError;

/// Why a field has no value.
pub(super) fn missing(error: &NvmlError) -> Missing {
    match error {
        NvmlError::NotSupported => Missing::NotSupported,
        NvmlError::NoPermission => Missing::NoPermission,
        NvmlError::GpuLost => Missing::Lost,
        NvmlError::ResetRequired => Missing::ResetNeeded,
        NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound => Missing::NoSymbol,
        _ => Missing::Unknown,
    }
}

/// A field, whatever came.
pub(super) fn reading<T>(result: Result<T, NvmlError>) -> Reading<T> {
    match result {
        Ok(value) => Reading::Value(value),
        Err(error) => Reading::missing(missing(&error)),
    }
}

/// Health of a card that gave no handle or no identity.
pub(super) fn without_answer(error: &NvmlError) -> CardHealth {
    match error {
        NvmlError::GpuLost => CardHealth::Lost,
        NvmlError::ResetRequired => CardHealth::ResetNeeded,
        _ => CardHealth::Failing,
    }
}

/// Health of a card that answers.
pub(super) fn of(sample: &CardSample, detail: &CardDetail) -> CardHealth {
    match of_sample(sample) {
        CardHealth::Ok => of_repairs(detail),
        unwell => unwell,
    }
}

/// Repairs of the memory that wait for a reset, or that have failed.
fn of_repairs(detail: &CardDetail) -> CardHealth {
    let rows = detail.remapped_rows.get();
    if rows.is_some_and(|rows| rows.failed) {
        CardHealth::Defective
    } else if rows.is_some_and(|rows| rows.pending) || detail.retirement_pending.get() == Some(true) {
        CardHealth::RepairPending
    } else {
        CardHealth::Ok
    }
}

/// By what the sensors say. A single unknown value is nothing: drivers have such moments.
fn of_sample(sample: &CardSample) -> CardHealth {
    let reasons = [
        reason(&sample.memory_used_mib),
        reason(&sample.utilisation_percent),
        reason(&sample.temperature_celsius),
        reason(&sample.power_milliwatts),
    ];
    let any = |why: Missing| reasons.contains(&Some(why));
    if any(Missing::Lost) {
        CardHealth::Lost
    } else if any(Missing::ResetNeeded) {
        CardHealth::ResetNeeded
    } else if any(Missing::Unknown) && reasons.iter().all(Option::is_some) {
        CardHealth::Failing
    } else {
        CardHealth::Ok
    }
}

fn reason<T>(reading: &Reading<T>) -> Option<Missing> {
    match reading {
        Reading::Value(_) => None,
        Reading::Missing { na } => Some(*na),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(value: Reading<u32>) -> CardSample {
        CardSample {
            utilisation_percent: value,
            memory_used_mib: value.map(u64::from),
            temperature_celsius: value,
            power_milliwatts: value,
            ..CardSample::default()
        }
    }

    #[test]
    fn codes_without_a_name_are_unknown_and_never_fatal() {
        for code in [17, 25, 26, 27, 28, 29, 4242] {
            let error = NvmlError::UnexpectedVariant(code);
            assert_eq!(missing(&error), Missing::Unknown);
            assert_eq!(without_answer(&error), CardHealth::Failing);
        }
    }

    #[test]
    fn one_bad_moment_is_no_failing_card() {
        let mut one = sample(Reading::Value(7));
        one.power_milliwatts = Reading::missing(Missing::Unknown);
        assert_eq!(of_sample(&one), CardHealth::Ok);
        assert_eq!(of_sample(&sample(Reading::missing(Missing::Unknown))), CardHealth::Failing);
        assert_eq!(of_sample(&sample(Reading::missing(Missing::NotSupported))), CardHealth::Ok);
    }

    #[test]
    fn a_lost_card_is_lost_even_where_old_values_still_come() {
        let mut one = sample(Reading::Value(7));
        one.temperature_celsius = Reading::missing(Missing::Lost);
        assert_eq!(of_sample(&one), CardHealth::Lost);
        one.temperature_celsius = Reading::missing(Missing::ResetNeeded);
        assert_eq!(of_sample(&one), CardHealth::ResetNeeded);
    }
}
