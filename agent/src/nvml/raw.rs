//! Calls that the wrapper lacks or gets wrong. All of the agent's unsafe code is here.
#![expect(unsafe_code, reason = "these calls have no safe form in the wrapper")]

use std::mem::ManuallyDrop;
use std::ops::Deref;

use nvml_wrapper::error::{NvmlError, nvml_sym, nvml_try};
use nvml_wrapper::{Device, EventSet, Nvml};
use nvml_wrapper_sys::bindings::{
    nvmlEventTypeXidCriticalError, nvmlIntNvLinkDeviceType_t, nvmlMemory_t, nvmlProcessInfo_v1_t,
};

/// Memory in bytes by the first form of the call, which drivers before 510 have only. What the driver keeps for itself
/// counts as used.
///
/// # Errors
/// As the call.
pub(super) fn memory_v1(nvml: &Nvml, card: &Device<'_>) -> Result<nvmlMemory_t, NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceGetMemoryInfo.as_ref())?;
    let mut memory = nvmlMemory_t { total: 0, free: 0, used: 0 };
    // SAFETY: the handle belongs to this library, which is open as long as `nvml` lives; the struct is the call's own.
    unsafe { nvml_try(call(card.handle(), &raw mut memory))? };
    Ok(memory)
}

/// A process as the first form of the lists tells it, which drivers before 455 have only.
pub(super) struct PlainProcess {
    pub(super) pid: u32,
    /// `u64::MAX` where it is not known.
    pub(super) bytes: u64,
}

/// Which list of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Compute,
    Graphics,
}

/// A list of processes by the first form of the call.
///
/// # Errors
/// As the call; `InsufficientSize` where the list has grown in between.
pub(super) fn processes_v1(nvml: &Nvml, card: &Device<'_>, list: List) -> Result<Vec<PlainProcess>, NvmlError> {
    /// Room for processes that come between the two calls.
    const ROOM: u32 = 8;
    let call = match list {
        List::Compute => nvml_sym(nvml.lib().nvmlDeviceGetComputeRunningProcesses.as_ref())?,
        List::Graphics => nvml_sym(nvml.lib().nvmlDeviceGetGraphicsRunningProcesses.as_ref())?,
    };
    let mut count = 0;
    // SAFETY: the handle belongs to this library, which is open as long as `nvml` lives; without a list the call only
    // counts.
    match unsafe { nvml_try(call(card.handle(), &raw mut count, std::ptr::null_mut())) } {
        Ok(()) => return Ok(Vec::new()),
        Err(NvmlError::InsufficientSize(_)) => {}
        Err(error) => return Err(error),
    }
    count = count.saturating_add(ROOM);
    let mut room = vec![nvmlProcessInfo_v1_t { pid: 0, usedGpuMemory: 0 }; count as usize];
    // SAFETY: as above, and the list has room for `count` records of the call's own form.
    unsafe { nvml_try(call(card.handle(), &raw mut count, room.as_mut_ptr()))? };
    room.truncate(count as usize);
    Ok(room.into_iter().map(|record| PlainProcess { pid: record.pid, bytes: record.usedGpuMemory }).collect())
}

/// GPU instance and compute instance of a MIG device.
///
/// # Errors
/// As the calls.
pub(super) fn instance_ids(nvml: &Nvml, part: &Device<'_>) -> Result<(u32, u32), NvmlError> {
    let gpu = nvml_sym(nvml.lib().nvmlDeviceGetGpuInstanceId.as_ref())?;
    let compute = nvml_sym(nvml.lib().nvmlDeviceGetComputeInstanceId.as_ref())?;
    let mut ids = (0, 0);
    // SAFETY: the handle belongs to this library, which is open as long as `nvml` lives; one number is written by each.
    unsafe {
        nvml_try(gpu(part.handle(), &raw mut ids.0))?;
        nvml_try(compute(part.handle(), &raw mut ids.1))?;
    }
    Ok(ids)
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

/// NVML, open. It closes itself when the last holder lets go of it.
pub(super) struct Library(ManuallyDrop<Nvml>);

impl Library {
    pub(super) fn new(nvml: Nvml) -> Self {
        Self(ManuallyDrop::new(nvml))
    }
}

impl Deref for Library {
    type Target = Nvml;

    fn deref(&self) -> &Nvml {
        &self.0
    }
}

impl Drop for Library {
    /// The wrapper's own way panics where the library has no `nvmlShutdown`; that one stays open.
    fn drop(&mut self) {
        if self.0.lib().nvmlShutdown.is_ok() {
            // SAFETY: nobody uses the value after this, as it is being dropped itself.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        }
    }
}

/// The library can wait for events, and give up waiting: the wrapper panics where a set cannot be freed.
pub(super) fn has_events(nvml: &Nvml) -> bool {
    let lib = nvml.lib();
    lib.nvmlEventSetCreate.is_ok()
        && lib.nvmlEventSetFree.is_ok()
        && lib.nvmlEventSetWait_v2.is_ok()
        && lib.nvmlDeviceRegisterEvents.is_ok()
}

/// Has a card report its Xids to a set. The wrapper's own call loses the set where one card of many cannot.
///
/// # Errors
/// As the call.
pub(super) fn register_xids(nvml: &Nvml, card: &Device<'_>, set: &EventSet<'_>) -> Result<(), NvmlError> {
    let call = nvml_sym(nvml.lib().nvmlDeviceRegisterEvents.as_ref())?;
    // SAFETY: handle and set belong to this library, which is open as long as `nvml` lives; nothing is written.
    unsafe { nvml_try(call(card.handle(), nvmlEventTypeXidCriticalError.into(), set.handle())) }
}

/// Both are handles of one card.
pub(super) fn is_same(one: &Device<'_>, other: &Device<'_>) -> bool {
    // SAFETY: the handles are compared, not used.
    unsafe { std::ptr::eq(one.handle(), other.handle()) }
}
