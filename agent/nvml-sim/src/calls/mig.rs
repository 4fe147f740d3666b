//! MIG: cards that are split, and the instances they are split into.

use std::ffi::c_uint;

use nvml_wrapper_sys::bindings::{nvmlDevice_t, nvmlDeviceAttributes_t, nvmlReturn_t};

use crate::card::offered;
use crate::code::{INVALID_ARGUMENT, NOT_FOUND, NOT_SUPPORTED};
use crate::ffi::{put, reply};
use crate::mig::PLACES;
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
        let split = card.split();
        // SAFETY: null or writable.
        unsafe { put(current, u32::from(split.on)).and_then(|()| put(pending, u32::from(split.pending))) }
    })
}

values! {
    /// How many instances there could be at most.
    card nvmlDeviceGetMaxMigDeviceCount: c_uint = |card| Ok(if card.model().mig { PLACES } else { 0 });
    /// Whether the handle is an instance's.
    any_identity nvmlDeviceIsMigDeviceHandle: c_uint = |card| Ok(card.instance.is_some().into());
    /// Number of the GPU instance.
    any nvmlDeviceGetGpuInstanceId: c_uint = |card| {
        card.instance.as_ref().map(|instance| instance.gi).ok_or(INVALID_ARGUMENT)
    };
    /// Number of the compute instance.
    any nvmlDeviceGetComputeInstanceId: c_uint = |card| {
        card.instance.as_ref().map(|instance| instance.ci).ok_or(INVALID_ARGUMENT)
    };
    /// The card that an instance is a part of.
    any nvmlDeviceGetDeviceHandleFromMigDeviceHandle: nvmlDevice_t = |card| match card.instance {
        Some(_) => Ok(card.sim.handle_of(card.position, None)),
        None => Err(INVALID_ARGUMENT),
    };
    /// What an instance has of its card.
    any nvmlDeviceGetAttributes_v2: nvmlDeviceAttributes_t = |card| {
        let size = card.size()?;
        Ok(nvmlDeviceAttributes_t {
            multiprocessorCount: size.multiprocessors,
            sharedCopyEngineCount: size.copy_engines,
            sharedDecoderCount: size.decoders,
            sharedEncoderCount: 0,
            sharedJpegCount: size.jpeg_decoders,
            sharedOfaCount: size.optical_flow,
            gpuInstanceSliceCount: size.slices,
            computeInstanceSliceCount: size.slices,
            memorySizeMB: size.memory_mib,
        })
    };
}

/// An instance by its place. Places may be empty between others.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigDeviceHandleByIndex(
    device: nvmlDevice_t,
    index: c_uint,
    instance: *mut nvmlDevice_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetMigDeviceHandleByIndex")?;
        offered(card.model().mig.then_some(()))?;
        if index >= PLACES {
            return Err(INVALID_ARGUMENT);
        }
        let found = card.split().instances.iter().find(|instance| instance.place == index).ok_or(NOT_FOUND)?;
        // SAFETY: null or writable.
        unsafe { put(instance, card.sim.handle_of(card.position, Some(found.key()))) }
    })
}
