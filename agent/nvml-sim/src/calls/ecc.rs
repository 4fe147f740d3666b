//! Memory errors: none so far.

use std::ffi::{c_uint, c_ulonglong};

use nvml_wrapper_sys::bindings::{
    nvmlDevice_t, nvmlEccCounterType_t, nvmlEnableState_t, nvmlMemoryErrorType_t, nvmlMemoryLocation_t,
    nvmlPageRetirementCause_t, nvmlReturn_t,
};

use crate::ffi::{put, reply};
use crate::state::{self, offered};

/// Whether ECC is on, and will be after the next start.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEccMode(
    device: nvmlDevice_t,
    current: *mut nvmlEnableState_t,
    pending: *mut nvmlEnableState_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetEccMode")?;
        let on = u32::from(offered(card.model().ecc)?);
        // SAFETY: null or writable.
        unsafe { put(current, on).and_then(|()| put(pending, on)) }
    })
}

/// Errors in one place.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryErrorCounter(
    device: nvmlDevice_t,
    _error: nvmlMemoryErrorType_t,
    _counter: nvmlEccCounterType_t,
    _place: nvmlMemoryLocation_t,
    count: *mut c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetMemoryErrorCounter")?;
        offered(card.model().ecc)?;
        // SAFETY: null or writable.
        unsafe { put(count, 0) }
    })
}

/// All errors.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTotalEccErrors(
    device: nvmlDevice_t,
    _error: nvmlMemoryErrorType_t,
    _counter: nvmlEccCounterType_t,
    count: *mut c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetTotalEccErrors")?;
        offered(card.model().ecc)?;
        // SAFETY: null or writable.
        unsafe { put(count, 0) }
    })
}

/// Rows replaced by spare ones, from Ampere on.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRemappedRows(
    device: nvmlDevice_t,
    correctable: *mut c_uint,
    uncorrectable: *mut c_uint,
    pending: *mut c_uint,
    failed: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetRemappedRows")?;
        offered(card.model().ecc)?;
        for out in [correctable, uncorrectable, pending, failed] {
            // SAFETY: null or writable.
            unsafe { put(out, 0)? };
        }
        Ok(())
    })
}

not_supported! {
    nvmlDeviceGetRetiredPages(cause: nvmlPageRetirementCause_t, count: *mut c_uint, addresses: *mut c_ulonglong);
    nvmlDeviceGetRetiredPages_v2(
        cause: nvmlPageRetirementCause_t, count: *mut c_uint, addresses: *mut c_ulonglong, times: *mut c_ulonglong);
    nvmlDeviceGetRetiredPagesPendingStatus(pending: *mut nvmlEnableState_t);
}
