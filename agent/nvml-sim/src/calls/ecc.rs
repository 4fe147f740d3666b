//! Memory errors: none, unless the control file has some.

use std::ffi::{c_uint, c_ulonglong};

use nvml_wrapper_sys::bindings::{
    nvmlDevice_t, nvmlEccCounterType_t, nvmlEnableState_t, nvmlMemoryErrorType_t, nvmlMemoryLocation_t,
    nvmlPageRetirementCause_t, nvmlReturn_t,
};

use crate::card::{Card, offered};
use crate::code::{Answer, INVALID_ARGUMENT, NOT_SUPPORTED};
use crate::ffi::{put, put_list, reply};
use crate::state;

/// `nvmlDeviceArchitecture_t` of Ampere, which replaces rows where older cards retire pages.
const AMPERE: u32 = 7;
/// `NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR`, of the two causes the one that all pages here have.
const DOUBLE_BIT: nvmlPageRetirementCause_t = 1;
/// `NVML_MEMORY_LOCATION_DRAM`, where all errors here are.
const DRAM: nvmlMemoryLocation_t = 2;

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

fn errors(card: &Card, kind: nvmlMemoryErrorType_t) -> Answer<c_ulonglong> {
    offered(card.model().ecc.filter(|on| *on))?;
    match kind {
        0 => Ok(card.values().ecc_corrected.unwrap_or(0)),
        1 => Ok(card.values().ecc_uncorrected.unwrap_or(0)),
        _ => Err(INVALID_ARGUMENT),
    }
}

/// Errors in one place.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryErrorCounter(
    device: nvmlDevice_t,
    error: nvmlMemoryErrorType_t,
    _counter: nvmlEccCounterType_t,
    place: nvmlMemoryLocation_t,
    count: *mut c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetMemoryErrorCounter")?;
        let errors = errors(&card, error)?;
        // SAFETY: null or writable.
        unsafe { put(count, if place == DRAM { errors } else { 0 }) }
    })
}

/// All errors.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTotalEccErrors(
    device: nvmlDevice_t,
    error: nvmlMemoryErrorType_t,
    _counter: nvmlEccCounterType_t,
    count: *mut c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetTotalEccErrors")?;
        // SAFETY: null or writable.
        unsafe { put(count, errors(&card, error)?) }
    })
}

/// Rows replaced by spare ones: after corrected errors, after uncorrected ones, whether some wait, whether one failed.
///
/// # Errors
/// `NOT_SUPPORTED` on cards before Ampere and without ECC.
pub fn remapped_rows(card: &Card) -> Answer<[u32; 4]> {
    offered(card.model().ecc.filter(|_| card.model().architecture >= AMPERE))?;
    Ok(card.values().remapped_rows.unwrap_or_default())
}

/// Pages that are no longer used, on cards before Ampere.
fn retired_pages(card: &Card, cause: nvmlPageRetirementCause_t) -> Answer<Vec<c_ulonglong>> {
    offered(card.model().ecc.filter(|_| card.model().architecture < AMPERE))?;
    let pages = if cause == DOUBLE_BIT { card.values().retired_pages.unwrap_or(0) } else { 0 };
    Ok((0..c_ulonglong::from(pages)).map(|page| 0x1_0000 + page * 0x1000).collect())
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
        let rows = remapped_rows(&state::card(device, "nvmlDeviceGetRemappedRows")?)?;
        for (out, number) in [correctable, uncorrectable, pending, failed].into_iter().zip(rows) {
            // SAFETY: null or writable.
            unsafe { put(out, number)? };
        }
        Ok(())
    })
}

/// Addresses of the pages retired for one cause.
///
/// # Safety
/// As the module says; the list has the room stated with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRetiredPages(
    device: nvmlDevice_t,
    cause: nvmlPageRetirementCause_t,
    count: *mut c_uint,
    addresses: *mut c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        let pages = retired_pages(&state::card(device, "nvmlDeviceGetRetiredPages")?, cause)?;
        // SAFETY: the caller's own contract.
        unsafe { put_list(count, addresses, &pages) }
    })
}

/// As [`nvmlDeviceGetRetiredPages`], with the times.
///
/// # Safety
/// As the module says; both lists have the room stated with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRetiredPages_v2(
    device: nvmlDevice_t,
    cause: nvmlPageRetirementCause_t,
    count: *mut c_uint,
    addresses: *mut c_ulonglong,
    times: *mut c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        let pages = retired_pages(&state::card(device, "nvmlDeviceGetRetiredPages_v2")?, cause)?;
        let at: Vec<c_ulonglong> = pages.iter().map(|_| 1_790_000_000_000_000).collect();
        // SAFETY: the caller's own contract; after the first list there is room for as many times.
        unsafe {
            put_list(count, addresses, &pages)?;
            put_list(count, times, &at)
        }
    })
}

values! {
    /// Whether pages wait for a restart to be retired.
    card nvmlDeviceGetRetiredPagesPendingStatus: nvmlEnableState_t = |card| {
        retired_pages(card, DOUBLE_BIT).map_err(|_| NOT_SUPPORTED)?;
        Ok(card.values().retirement_pending.unwrap_or(false).into())
    };
}
