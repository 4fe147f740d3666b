//! What a card is doing: utilisation, clocks, performance state.

use std::ffi::{c_uint, c_ulonglong};

use nvml_wrapper_sys::bindings::{nvmlClockType_t, nvmlDevice_t, nvmlPstates_t, nvmlReturn_t, nvmlUtilization_t};

use crate::card::Card;
use crate::code::{Answer, INVALID_ARGUMENT};
use crate::ffi::{put, reply};
use crate::state;

/// Clocks are low because nothing runs.
const REASON_IDLE: c_ulonglong = 0x1;
/// Clocks are held by the power limit.
const REASON_POWER_CAP: c_ulonglong = 0x4;
/// Every reason that these cards know.
const REASONS_KNOWN: c_ulonglong = 0x1ff;
/// Sampling period of the video engines, in microseconds.
const VIDEO_PERIOD: c_uint = 167_000;

values! {
    /// Share of time with a kernel running, and with memory traffic.
    card nvmlDeviceGetUtilizationRates: nvmlUtilization_t = |card| {
        card.undivided()?;
        let sensors = card.sensors();
        Ok(nvmlUtilization_t { gpu: sensors.gpu_percent, memory: sensors.memory_percent })
    };
    /// P0 at work, P8 at rest.
    card nvmlDeviceGetPerformanceState: nvmlPstates_t = |card| {
        Ok(if card.sensors().gpu_percent > 0 || card.model().fans == 0 { 0 } else { 8 })
    };
    /// Why the clocks are what they are.
    card nvmlDeviceGetCurrentClocksThrottleReasons: c_ulonglong = reasons;
    /// As [`nvmlDeviceGetCurrentClocksThrottleReasons`], by its new name.
    card nvmlDeviceGetCurrentClocksEventReasons: c_ulonglong = reasons;
    /// Which reasons there can be.
    card nvmlDeviceGetSupportedClocksThrottleReasons: c_ulonglong = |_| Ok(REASONS_KNOWN);
    /// As [`nvmlDeviceGetSupportedClocksThrottleReasons`], by its new name.
    card nvmlDeviceGetSupportedClocksEventReasons: c_ulonglong = |_| Ok(REASONS_KNOWN);
}

fn reasons(card: &Card) -> Answer<c_ulonglong> {
    let sensors = card.sensors();
    Ok(match sensors.gpu_percent {
        _ if card.values().slowed_by.is_some() => card.values().slowed_by.unwrap_or_default(),
        0 => REASON_IDLE,
        _ if sensors.milliwatts > card.limit_milliwatts() / 100 * 93 => REASON_POWER_CAP,
        _ => 0,
    })
}

/// A clock now.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetClockInfo(
    device: nvmlDevice_t,
    kind: nvmlClockType_t,
    clock: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetClockInfo")?;
        let sensors = card.sensors();
        let mhz = match kind {
            0 | 1 => sensors.sm_mhz,
            2 => sensors.memory_mhz,
            3 => sensors.sm_mhz * 9 / 10,
            _ => return Err(INVALID_ARGUMENT),
        };
        // SAFETY: null or writable.
        unsafe { put(clock, mhz) }
    })
}

/// A clock at its highest.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMaxClockInfo(
    device: nvmlDevice_t,
    kind: nvmlClockType_t,
    clock: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetMaxClockInfo")?;
        let mhz = match kind {
            0 | 1 => card.model().sm_mhz[1],
            2 => card.model().memory_mhz[1],
            3 => card.model().sm_mhz[1] * 9 / 10,
            _ => return Err(INVALID_ARGUMENT),
        };
        // SAFETY: null or writable.
        unsafe { put(clock, mhz) }
    })
}

/// Work of the video encoder.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEncoderUtilization(
    device: nvmlDevice_t,
    utilisation: *mut c_uint,
    period: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetEncoderUtilization")?;
        card.undivided()?;
        // SAFETY: null or writable.
        unsafe { put(utilisation, card.values().encoder_percent.unwrap_or(0)).and_then(|()| put(period, VIDEO_PERIOD)) }
    })
}

/// Work of the video decoder.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDecoderUtilization(
    device: nvmlDevice_t,
    utilisation: *mut c_uint,
    period: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetDecoderUtilization")?;
        card.undivided()?;
        // SAFETY: null or writable.
        unsafe { put(utilisation, card.values().decoder_percent.unwrap_or(0)).and_then(|()| put(period, VIDEO_PERIOD)) }
    })
}
