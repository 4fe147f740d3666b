//! Power, temperature, fans.

use std::ffi::{c_uint, c_ulonglong};

use nvml_wrapper_sys::bindings::{
    nvmlDevice_t, nvmlReturn_t, nvmlTemperature_t, nvmlTemperatureSensors_t, nvmlTemperatureThresholds_t,
};

use crate::card::Card;
use crate::code::{Answer, INVALID_ARGUMENT, NOT_SUPPORTED};
use crate::ffi::{put, reply};
use crate::state;

values! {
    /// Power drawn, in milliwatts.
    card nvmlDeviceGetPowerUsage: c_uint = |card| Ok(card.sensors().milliwatts);
    /// Limit in force.
    card nvmlDeviceGetEnforcedPowerLimit: c_uint = |card| Ok(card.limit_milliwatts());
    /// Limit that was set.
    card nvmlDeviceGetPowerManagementLimit: c_uint = |card| Ok(card.limit_milliwatts());
    /// Limit from the factory.
    card nvmlDeviceGetPowerManagementDefaultLimit: c_uint = |card| Ok(card.model().limit_watts * 1000);
    /// Energy since the driver was loaded, in millijoules.
    card nvmlDeviceGetTotalEnergyConsumption: c_ulonglong = |card| Ok(card.millijoules());
    /// Number of fans; passively cooled cards do not answer.
    card nvmlDeviceGetNumFans: c_uint = |card| match card.model().fans {
        0 => Err(NOT_SUPPORTED),
        fans => Ok(fans),
    };
    /// Speed of the first fan.
    card nvmlDeviceGetFanSpeed: c_uint = |card| fan(card, 0);
}

fn fan(card: &Card, index: c_uint) -> Answer<c_uint> {
    match card.model().fans {
        0 => Err(NOT_SUPPORTED),
        fans if index >= fans => Err(INVALID_ARGUMENT),
        _ => Ok(card.sensors().fan_percent),
    }
}

/// Speed of a fan, in percent.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFanSpeed_v2(
    device: nvmlDevice_t,
    index: c_uint,
    speed: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetFanSpeed_v2")?;
        // SAFETY: null or writable.
        unsafe { put(speed, fan(&card, index)?) }
    })
}

/// Lowest and highest limit that can be set.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerManagementLimitConstraints(
    device: nvmlDevice_t,
    lowest: *mut c_uint,
    highest: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetPowerManagementLimitConstraints")?;
        let model = card.model();
        // SAFETY: null or writable.
        unsafe { put(lowest, model.min_limit_watts * 1000).and_then(|()| put(highest, model.max_limit_watts * 1000)) }
    })
}

/// Core temperature, the only sensor there is.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperature(
    device: nvmlDevice_t,
    sensor: nvmlTemperatureSensors_t,
    celsius: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetTemperature")?;
        if sensor != 0 {
            return Err(INVALID_ARGUMENT);
        }
        // SAFETY: null or writable.
        unsafe { put(celsius, card.sensors().celsius) }
    })
}

/// Core temperature in the versioned struct.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperatureV(
    device: nvmlDevice_t,
    temperature: *mut nvmlTemperature_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetTemperatureV")?;
        if temperature.is_null() {
            return Err(INVALID_ARGUMENT);
        }
        let celsius = i32::try_from(card.sensors().celsius).map_err(|_| NOT_SUPPORTED)?;
        // SAFETY: not null and writable.
        unsafe { put(&raw mut (*temperature).temperature, celsius) }
    })
}

/// Temperatures at which the card protects itself.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperatureThreshold(
    device: nvmlDevice_t,
    threshold: nvmlTemperatureThresholds_t,
    celsius: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetTemperatureThreshold")?;
        let [slow, off] = card.model().limit_celsius;
        let at = match threshold {
            0 => off,
            1 => slow,
            3 => slow - 2,
            _ => return Err(NOT_SUPPORTED),
        };
        // SAFETY: null or writable.
        unsafe { put(celsius, at) }
    })
}
