//! Who is on a card.

use std::ffi::{c_uint, c_ulonglong};

use nvml_wrapper_sys::bindings::{
    nvmlConfComputeMemSizeInfo_t, nvmlDevice_t, nvmlProcessDetailList_t, nvmlProcessInfo_t, nvmlProcessInfo_v1_t,
    nvmlProcessUtilizationSample_t, nvmlReturn_t,
};

use crate::card::{Card, Occupant};
use crate::code::{Answer, INSUFFICIENT_SIZE, NOT_FOUND, UNKNOWN};
use crate::control::Kind;
use crate::ffi::{put, put_list, reply};
use crate::state;

/// NVML's way to say that the memory of a process is not known, and that it runs on no MIG instance.
const NOT_AVAILABLE: u64 = u64::MAX;
const NO_INSTANCE: u32 = u32::MAX;
/// Record of the newest lists as the wrapper and everybody else knows it.
const RECORD: usize = size_of::<nvmlProcessInfo_t>();

/// A list as it is at the time of counting it (without a place to put it) or of reading it.
///
/// # Safety
/// `count` is null or writable.
unsafe fn members(
    card: &Card,
    call: &str,
    count: *mut c_uint,
    reads: bool,
    on_it: fn(Kind) -> bool,
) -> Answer<Vec<Occupant>> {
    let mut members: Vec<Occupant> = card.occupants().into_iter().filter(|one| on_it(one.kind)).collect();
    if reads {
        if !members.is_empty() && card.moment.control.growing.contains(&card.position) {
            return Err(INSUFFICIENT_SIZE);
        }
        return Ok(members);
    }
    // SAFETY: null or writable.
    let counts = !count.is_null() && unsafe { count.read() } == 0;
    if counts && !members.is_empty() {
        members.truncate(members.len().saturating_sub(card.sim.hidden(card.position, call)).max(1));
    }
    Ok(members)
}

/// # Safety
/// `count` and `infos` as NVML's process lists ask.
unsafe fn list(
    device: nvmlDevice_t,
    call: &str,
    count: *mut c_uint,
    infos: *mut nvmlProcessInfo_t,
    on_it: fn(Kind) -> bool,
) -> Answer<()> {
    let card = state::any(device, call)?;
    // SAFETY: the caller's own contract.
    let members = unsafe { members(&card, call, count, !infos.is_null(), on_it)? };
    let record = |occupant: &Occupant| nvmlProcessInfo_t {
        pid: occupant.pid,
        usedGpuMemory: occupant.bytes.unwrap_or(NOT_AVAILABLE),
        gpuInstanceId: occupant.instance.map_or(NO_INSTANCE, |key| key.gi),
        computeInstanceId: occupant.instance.map_or(NO_INSTANCE, |key| key.ci),
    };
    let records: Vec<nvmlProcessInfo_t> = members.iter().map(record).collect();
    let stride = card.sim.profile.process_record;
    if stride > RECORD && call.ends_with("_v3") && !infos.is_null() {
        // SAFETY: the caller's own contract.
        return unsafe { put_misplaced(count, infos, &records, stride) };
    }
    // SAFETY: the caller's own contract.
    unsafe { put_list(count, infos, &records) }
}

/// Writes records that are longer than the caller's, as some drivers did. Those wrote past the end of the list; here
/// what does not fit is cut off, so that a test of a careless reader fails instead of crashing.
///
/// # Safety
/// `count` is null or writable; `infos` has room for `*count` items.
unsafe fn put_misplaced(
    count: *mut c_uint,
    infos: *mut nvmlProcessInfo_t,
    records: &[nvmlProcessInfo_t],
    stride: usize,
) -> Answer<()> {
    if count.is_null() {
        return Err(crate::code::INVALID_ARGUMENT);
    }
    let length = c_uint::try_from(records.len()).map_err(|_| UNKNOWN)?;
    // SAFETY: `count` is not null, by the check above.
    let room = unsafe { count.replace(length) };
    if room < length {
        return Err(INSUFFICIENT_SIZE);
    }
    let mut bytes = vec![0_u8; records.len() * stride];
    for (place, record) in bytes.chunks_exact_mut(stride).zip(records) {
        // SAFETY: a place has `stride` bytes, more than a record; bytes need no alignment when written unaligned.
        unsafe { place.as_mut_ptr().cast::<nvmlProcessInfo_t>().write_unaligned(*record) };
    }
    bytes.truncate(room as usize * RECORD);
    // SAFETY: `infos` has room for `room` records, which is at least as many bytes.
    unsafe { infos.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}

/// # Safety
/// `count` and `infos` as NVML's process lists ask.
unsafe fn list_v1(
    device: nvmlDevice_t,
    call: &str,
    count: *mut c_uint,
    infos: *mut nvmlProcessInfo_v1_t,
    on_it: fn(Kind) -> bool,
) -> Answer<()> {
    let card = state::any(device, call)?;
    // SAFETY: the caller's own contract.
    let members = unsafe { members(&card, call, count, !infos.is_null(), on_it)? };
    let record =
        |one: &Occupant| nvmlProcessInfo_v1_t { pid: one.pid, usedGpuMemory: one.bytes.unwrap_or(NOT_AVAILABLE) };
    let records: Vec<nvmlProcessInfo_v1_t> = members.iter().map(record).collect();
    // SAFETY: the caller's own contract.
    unsafe { put_list(count, infos, &records) }
}

macro_rules! process_lists {
    ($($(#[$doc:meta])* $list:ident $name:ident: $record:ty = $on_it:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the module says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(device: nvmlDevice_t, count: *mut c_uint, infos: *mut $record) -> nvmlReturn_t {
            // SAFETY: the same contract.
            reply(|| unsafe { $list(device, stringify!($name), count, infos, $on_it) })
        }
    )* };
}

process_lists! {
    /// Programs that compute.
    list nvmlDeviceGetComputeRunningProcesses_v3: nvmlProcessInfo_t = Kind::computes;
    /// As the third form, whose record is the same.
    list nvmlDeviceGetComputeRunningProcesses_v2: nvmlProcessInfo_t = Kind::computes;
    /// As the third form, without instances.
    list_v1 nvmlDeviceGetComputeRunningProcesses: nvmlProcessInfo_v1_t = Kind::computes;
    /// Programs that draw.
    list nvmlDeviceGetGraphicsRunningProcesses_v3: nvmlProcessInfo_t = Kind::draws;
    /// As the third form, whose record is the same.
    list nvmlDeviceGetGraphicsRunningProcesses_v2: nvmlProcessInfo_t = Kind::draws;
    /// As the third form, without instances.
    list_v1 nvmlDeviceGetGraphicsRunningProcesses: nvmlProcessInfo_v1_t = Kind::draws;
    /// Programs that compute through the MPS daemon.
    list nvmlDeviceGetMPSComputeRunningProcesses_v3: nvmlProcessInfo_t = |kind| kind == Kind::Mps;
    /// As the third form, whose record is the same.
    list nvmlDeviceGetMPSComputeRunningProcesses_v2: nvmlProcessInfo_t = |kind| kind == Kind::Mps;
    /// As the third form, without instances.
    list_v1 nvmlDeviceGetMPSComputeRunningProcesses: nvmlProcessInfo_v1_t = |kind| kind == Kind::Mps;
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
        card.undivided()?;
        let occupants = card.occupants();
        if occupants.is_empty() {
            // SAFETY: null or writable.
            unsafe { put(count, 0)? };
            return Err(NOT_FOUND);
        }
        let sensors = card.sensors();
        let among = c_uint::try_from(occupants.len()).unwrap_or(1);
        let microseconds = (card.moment.unix * 1e6) as c_ulonglong;
        let records: Vec<nvmlProcessUtilizationSample_t> = occupants
            .iter()
            .map(|occupant| nvmlProcessUtilizationSample_t {
                pid: occupant.pid,
                timeStamp: microseconds,
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
    // Readers take the presence of both of these for a driver with 24-byte process records, which is what there is;
    // where only the first is there, they expect 32 bytes.
    nvmlDeviceGetConfComputeMemSizeInfo(info: *mut nvmlConfComputeMemSizeInfo_t);
    nvmlDeviceGetRunningProcessDetailList(list: *mut nvmlProcessDetailList_t);
}
