//! Memory of a card.

use nvml_wrapper_sys::bindings::{nvmlBAR1Memory_t, nvmlDevice_t, nvmlMemory_t, nvmlMemory_v2_t, nvmlReturn_t};

use crate::code::{ARGUMENT_VERSION_MISMATCH, INVALID_ARGUMENT};
use crate::ffi::{put, reply};
use crate::state;

/// Size and version of the second struct, as NVML's header packs them.
const MEMORY_V2: u32 = 0x0200_0028;

values! {
    /// The first form, which counts the driver's own memory as used.
    any nvmlDeviceGetMemoryInfo: nvmlMemory_t = |card| {
        let (total, reserved) = card.memory_bytes();
        let used = card.used_bytes() + reserved;
        Ok(nvmlMemory_t { total, free: total - used, used })
    };
    /// The window that the CPU sees.
    any nvmlDeviceGetBAR1MemoryInfo: nvmlBAR1Memory_t = |card| {
        let (total, used) = (card.size().map_or(card.model().bar1_mib, |size| size.bar1_mib) << 20, 5 << 20);
        Ok(nvmlBAR1Memory_t { bar1Total: total, bar1Free: total - used, bar1Used: used })
    };
}

/// The second form, which tells the driver's own memory apart.
///
/// # Safety
/// As the module says; the struct's version must be set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo_v2(
    device: nvmlDevice_t,
    memory: *mut nvmlMemory_v2_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::any(device, "nvmlDeviceGetMemoryInfo_v2")?;
        if memory.is_null() {
            return Err(INVALID_ARGUMENT);
        }
        // SAFETY: not null, and the version is set, by NVML's contract.
        let version = unsafe { (&raw const (*memory).version).read() };
        if version != MEMORY_V2 {
            return Err(ARGUMENT_VERSION_MISMATCH);
        }
        let (total, reserved) = card.memory_bytes();
        let used = card.used_bytes();
        // SAFETY: not null and writable.
        unsafe { put(memory, nvmlMemory_v2_t { version, total, reserved, free: total - reserved - used, used }) }
    })
}
