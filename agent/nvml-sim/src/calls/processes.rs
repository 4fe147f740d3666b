//! Who is on a card.

use std::ffi::{c_uint, c_ulonglong};
use std::time::{SystemTime, UNIX_EPOCH};

use nvml_wrapper_sys::bindings::{
    nvmlConfComputeMemSizeInfo_t, nvmlDevice_t, nvmlProcessDetailList_t, nvmlProcessInfo_t,
    nvmlProcessUtilizationSample_t, nvmlReturn_t,
};

use crate::code::{Answer, INSUFFICIENT_SIZE, NOT_FOUND};
use crate::ffi::{put, put_list, reply};
use crate::state::{self, Occupant};

/// NVML's way to say that the memory of a process is not known, and that it runs on no MIG instance.
const NOT_AVAILABLE: u64 = u64::MAX;
const NO_INSTANCE: u32 = u32::MAX;

/// # Safety
/// `count` and `infos` as NVML's process lists ask.
unsafe fn list(
    device: nvmlDevice_t,
    call: &str,
    count: *mut c_uint,
    infos: *mut nvmlProcessInfo_t,
    on_it: fn(&Occupant) -> bool,
) -> Answer<()> {
    let card = state::card(device, call)?;
    let records: Vec<nvmlProcessInfo_t> = card
        .occupants()
        .into_iter()
        .filter(on_it)
        .map(|occupant| nvmlProcessInfo_t {
            pid: occupant.pid,
            usedGpuMemory: occupant.bytes.unwrap_or(NOT_AVAILABLE),
            gpuInstanceId: NO_INSTANCE,
            computeInstanceId: NO_INSTANCE,
        })
        .collect();
    if !infos.is_null() && !records.is_empty() && card.sim.control().growing.contains(&card.position) {
        return Err(INSUFFICIENT_SIZE);
    }
    // SAFETY: the caller's own contract.
    unsafe { put_list(count, infos, &records) }
}

macro_rules! process_lists {
    ($($(#[$doc:meta])* $name:ident = $on_it:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the module says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            device: nvmlDevice_t,
            count: *mut c_uint,
            infos: *mut nvmlProcessInfo_t,
        ) -> nvmlReturn_t {
            // SAFETY: the same contract.
            reply(|| unsafe { list(device, stringify!($name), count, infos, $on_it) })
        }
    )* };
}

process_lists! {
    /// Programs that compute.
    nvmlDeviceGetComputeRunningProcesses_v3 = |occupant| occupant.compute;
    /// As the third form, whose record is the same.
    nvmlDeviceGetComputeRunningProcesses_v2 = |occupant| occupant.compute;
    /// Programs that draw.
    nvmlDeviceGetGraphicsRunningProcesses_v3 = |occupant| occupant.graphics;
    /// As the third form, whose record is the same.
    nvmlDeviceGetGraphicsRunningProcesses_v2 = |occupant| occupant.graphics;
    /// No MPS daemon runs.
    nvmlDeviceGetMPSComputeRunningProcesses_v3 = |_| false;
    /// As the third form.
    nvmlDeviceGetMPSComputeRunningProcesses_v2 = |_| false;
}

/// Utilisation by process since a time; `NOT_FOUND` on an idle card.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetProcessUtilization(
    device: nvmlDevice_t,
    samples: *mut nvmlProcessUtilizationSample_t,
    count: *mut c_uint,
    _since: c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetProcessUtilization")?;
        let occupants = card.occupants();
        if occupants.is_empty() {
            // SAFETY: null or writable.
            unsafe { put(count, 0)? };
            return Err(NOT_FOUND);
        }
        let sensors = card.sensors();
        let among = c_uint::try_from(occupants.len()).unwrap_or(1);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let records: Vec<nvmlProcessUtilizationSample_t> = occupants
            .iter()
            .map(|occupant| nvmlProcessUtilizationSample_t {
                pid: occupant.pid,
                timeStamp: u64::try_from(now).unwrap_or_default(),
                smUtil: sensors.gpu_percent / among,
                memUtil: sensors.memory_percent / among,
                encUtil: 0,
                decUtil: 0,
            })
            .collect();
        // SAFETY: the list has the room stated with it.
        unsafe { put_list(count, samples, &records) }
    })
}

not_supported! {
    // Readers take the presence of both of these for a driver with 24-byte process records, which is what there is.
    nvmlDeviceGetConfComputeMemSizeInfo(info: *mut nvmlConfComputeMemSizeInfo_t);
    nvmlDeviceGetRunningProcessDetailList(list: *mut nvmlProcessDetailList_t);
}
