//! Calls that the wrapper lacks or gets wrong. All of the agent's unsafe code is here.
#![expect(unsafe_code, reason = "these calls have no safe form in the wrapper")]

use std::mem::MaybeUninit;

use nvml_wrapper::error::{NvmlError, nvml_sym, nvml_try};
use nvml_wrapper::{Device, Nvml};
use nvml_wrapper_sys::bindings::{nvmlIntNvLinkDeviceType_t, nvmlMemory_t};

/// Total and used memory in bytes by the first form of the call, which drivers before 510 have only.
///
/// # Errors
/// As the call.
pub(super) fn memory_v1(nvml: &Nvml, card: &Device<'_>) -> Result<(u64, u64), NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetMemoryInfo.as_ref())?;
    let mut memory = MaybeUninit::<nvmlMemory_t>::zeroed();
    // SAFETY: the handle belongs to this library, which is open as long as `nvml` lives; the struct is the call's own
    // and a number of zeros is a valid one.
    let memory = unsafe {
        nvml_try(call(card.handle(), memory.as_mut_ptr()))?;
        memory.assume_init()
    };
    Ok((memory.total, memory.used))
}

/// What NVLink says is at the far end of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FarEnd {
    Card,
    Processor,
    Switch,
    Unknown,
}

/// The far end of a lane. The wrapper's own call forgets the answer.
///
/// # Errors
/// As the call; libraries of drivers before 510 do not have it.
pub(super) fn far_end(nvml: &Nvml, card: &Device<'_>, link: u32) -> Result<FarEnd, NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetNvLinkRemoteDeviceType.as_ref())?;
    let mut kind: nvmlIntNvLinkDeviceType_t = 255;
    // SAFETY: the handle belongs to this library, which is open as long as `nvml` lives; one number is written.
    unsafe { nvml_try(call(card.handle(), link, &raw mut kind))? };
    Ok(match kind {
        0 => FarEnd::Card,
        1 => FarEnd::Processor,
        2 => FarEnd::Switch,
        _ => FarEnd::Unknown,
    })
}

/// Closes NVML. The wrapper's own way panics where the library has no `nvmlShutdown`.
pub(super) fn close(nvml: Nvml) {
    if nvml.lib().nvmlShutdown.is_ok() {
        drop(nvml);
    } else {
        std::mem::forget(nvml);
    }
}
