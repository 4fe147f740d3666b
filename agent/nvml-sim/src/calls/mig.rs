//! MIG: some cards could be split, none is.

use std::ffi::c_uint;

use nvml_wrapper_sys::bindings::{nvmlDevice_t, nvmlDeviceAttributes_t, nvmlReturn_t};

use crate::code::{INVALID_ARGUMENT, NOT_FOUND, NOT_SUPPORTED};
use crate::ffi::{put, reply};
use crate::state;

/// Whether the card is split, and will be after a reset.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigMode(
    device: nvmlDevice_t,
    current: *mut c_uint,
    pending: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetMigMode")?;
        if !card.model().mig {
            return Err(NOT_SUPPORTED);
        }
        // SAFETY: null or writable.
        unsafe { put(current, 0).and_then(|()| put(pending, 0)) }
    })
}

values! {
    /// How many instances there could be at most.
    card nvmlDeviceGetMaxMigDeviceCount: c_uint = |card| Ok(if card.model().mig { 7 } else { 0 });
    /// Every handle is a whole card's.
    card nvmlDeviceIsMigDeviceHandle: c_uint = |_| Ok(0);
    /// Only an instance has one.
    card nvmlDeviceGetGpuInstanceId: c_uint = |_| Err(INVALID_ARGUMENT);
    /// Only an instance has one.
    card nvmlDeviceGetComputeInstanceId: c_uint = |_| Err(INVALID_ARGUMENT);
    /// Only an instance has a parent.
    card nvmlDeviceGetDeviceHandleFromMigDeviceHandle: nvmlDevice_t = |_| Err(INVALID_ARGUMENT);
    /// Told of instances only.
    card nvmlDeviceGetAttributes_v2: nvmlDeviceAttributes_t = |_| Err(NOT_SUPPORTED);
}

/// Every place for an instance is empty.
///
/// # Safety
/// As the module says; nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigDeviceHandleByIndex(
    device: nvmlDevice_t,
    index: c_uint,
    _instance: *mut nvmlDevice_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetMigDeviceHandleByIndex")?;
        Err(if card.model().mig && index < 7 { NOT_FOUND } else { INVALID_ARGUMENT })
    })
}
