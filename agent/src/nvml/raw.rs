//! Calls that the wrapper lacks or gets wrong. All of the agent's unsafe code is here.
#![expect(unsafe_code, reason = "these calls have no safe form in the wrapper")]

use std::mem::MaybeUninit;

use nvml_wrapper::error::{NvmlError, nvml_sym, nvml_try};
use nvml_wrapper::{Device, Nvml};
use nvml_wrapper_sys::bindings::nvmlMemory_t;

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

/// Closes NVML. The wrapper's own way panics where the library has no `nvmlShutdown`.
pub(super) fn close(nvml: Nvml) {
    if nvml.lib().nvmlShutdown.is_ok() {
        drop(nvml);
    } else {
        std::mem::forget(nvml);
    }
}
