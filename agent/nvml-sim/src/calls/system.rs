//! Library, driver, and the way to a card's handle.

use std::ffi::{c_char, c_int, c_uint};

use nvml_wrapper_sys::bindings::{nvmlDevice_t, nvmlExcludedDeviceInfo_t, nvmlReturn_t};

use crate::code::{self, INVALID_ARGUMENT, NOT_FOUND};
use crate::ffi::{put, put_text, reply, text};
use crate::profile::bus_parts;
use crate::state;

/// Reads the profile and opens the library.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlInit_v2() -> nvmlReturn_t {
    reply(state::init)
}

/// As [`nvmlInit_v2`], which is its modern name.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlInit() -> nvmlReturn_t {
    reply(state::init)
}

/// As [`nvmlInit_v2`]; the flags change nothing here.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlInitWithFlags(_flags: c_uint) -> nvmlReturn_t {
    reply(state::init)
}

/// Closes the library for one of its users.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlShutdown() -> nvmlReturn_t {
    reply(state::shutdown)
}

/// A code in words.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(result: nvmlReturn_t) -> *const c_char {
    code::sentence(result).as_ptr()
}

/// Driver version.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverVersion(version: *mut c_char, length: c_uint) -> nvmlReturn_t {
    reply(|| {
        let sim = state::host("nvmlSystemGetDriverVersion")?;
        let other = sim.text("nvmlSystemGetDriverVersion", None);
        // SAFETY: the buffer has the length stated with it.
        unsafe { put_text(version, length, other.as_deref().unwrap_or(sim.profile.driver.as_bytes())) }
    })
}

/// NVML version.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetNVMLVersion(version: *mut c_char, length: c_uint) -> nvmlReturn_t {
    reply(|| {
        let sim = state::host("nvmlSystemGetNVMLVersion")?;
        let other = sim.text("nvmlSystemGetNVMLVersion", None);
        // SAFETY: the buffer has the length stated with it.
        unsafe { put_text(version, length, other.as_deref().unwrap_or(sim.profile.nvml.as_bytes())) }
    })
}

/// CUDA version.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCudaDriverVersion_v2(version: *mut c_int) -> nvmlReturn_t {
    reply(|| {
        let sim = state::host("nvmlSystemGetCudaDriverVersion_v2")?;
        // SAFETY: null or writable.
        unsafe { put(version, sim.profile.cuda) }
    })
}

/// As [`nvmlSystemGetCudaDriverVersion_v2`].
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCudaDriverVersion(version: *mut c_int) -> nvmlReturn_t {
    // SAFETY: the same contract.
    unsafe { nvmlSystemGetCudaDriverVersion_v2(version) }
}

/// Path of a process's program.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetProcessName(pid: c_uint, name: *mut c_char, length: c_uint) -> nvmlReturn_t {
    reply(|| {
        state::host("nvmlSystemGetProcessName")?;
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).map_err(|_| NOT_FOUND)?;
        let program = command.split(|&byte| byte == 0).next().unwrap_or_default();
        let room = (length as usize).saturating_sub(1).min(program.len());
        // SAFETY: the buffer has the length stated with it.
        unsafe { put_text(name, length, &program[..room]) }
    })
}

/// Number of cards.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount_v2(count: *mut c_uint) -> nvmlReturn_t {
    reply(|| {
        let sim = state::host("nvmlDeviceGetCount_v2")?;
        let listed = c_uint::try_from(sim.listed().len()).map_err(|_| code::UNKNOWN)?;
        // SAFETY: null or writable.
        unsafe { put(count, listed) }
    })
}

/// As [`nvmlDeviceGetCount_v2`].
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount(count: *mut c_uint) -> nvmlReturn_t {
    // SAFETY: the same contract.
    unsafe { nvmlDeviceGetCount_v2(count) }
}

/// A card by its place in the list.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut nvmlDevice_t) -> nvmlReturn_t {
    reply(|| {
        let call = "nvmlDeviceGetHandleByIndex_v2";
        let sim = state::host("")?;
        let position = sim.listed().get(index as usize).copied().ok_or(INVALID_ARGUMENT)?;
        // SAFETY: null or writable.
        unsafe { put(device, sim.handle(position, call)?) }
    })
}

/// As [`nvmlDeviceGetHandleByIndex_v2`].
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex(index: c_uint, device: *mut nvmlDevice_t) -> nvmlReturn_t {
    // SAFETY: the same contract.
    unsafe { nvmlDeviceGetHandleByIndex_v2(index, device) }
}

/// A card or an instance by its UUID.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByUUID(uuid: *const c_char, device: *mut nvmlDevice_t) -> nvmlReturn_t {
    reply(|| {
        let call = "nvmlDeviceGetHandleByUUID";
        let sim = state::host("")?;
        // SAFETY: null or a C string.
        let wanted = unsafe { text(uuid) }?;
        let listed = sim.listed();
        if let Some(&position) = listed.iter().find(|&&position| sim.profile.card[position].uuid == wanted) {
            // SAFETY: null or writable.
            return unsafe { put(device, sim.handle(position, call)?) };
        }
        let moment = sim.moment();
        let find = |&position: &usize| {
            let instance = moment.cards[position].split.instances.iter().find(|instance| instance.uuid == wanted)?;
            Some((position, instance.key()))
        };
        let (position, key) = listed.iter().find_map(find).ok_or(NOT_FOUND)?;
        sim.handle(position, call)?;
        // SAFETY: null or writable.
        unsafe { put(device, sim.handle_of(position, Some(key))) }
    })
}

/// A card by its PCI address, with a domain of four or eight digits.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByPciBusId_v2(
    bus: *const c_char,
    device: *mut nvmlDevice_t,
) -> nvmlReturn_t {
    reply(|| {
        let call = "nvmlDeviceGetHandleByPciBusId_v2";
        let sim = state::host("")?;
        // SAFETY: null or a C string.
        let wanted = bus_parts(&unsafe { text(bus) }?).ok_or(INVALID_ARGUMENT)?;
        let fits = |&position: &usize| bus_parts(&sim.profile.card[position].bus) == Some(wanted);
        let position = sim.listed().into_iter().find(fits).ok_or(NOT_FOUND)?;
        // SAFETY: null or writable.
        unsafe { put(device, sim.handle(position, call)?) }
    })
}

/// No card is kept from use.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetExcludedDeviceCount(count: *mut c_uint) -> nvmlReturn_t {
    reply(|| {
        state::host("nvmlGetExcludedDeviceCount")?;
        // SAFETY: null or writable.
        unsafe { put(count, 0) }
    })
}

/// No card is kept from use, so every index is wrong.
///
/// # Safety
/// As the module says; nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetExcludedDeviceInfoByIndex(
    _index: c_uint,
    _info: *mut nvmlExcludedDeviceInfo_t,
) -> nvmlReturn_t {
    reply(|| {
        state::host("nvmlGetExcludedDeviceInfoByIndex")?;
        Err(INVALID_ARGUMENT)
    })
}
