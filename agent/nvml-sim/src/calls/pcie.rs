//! The PCIe link of a card.

use std::ffi::c_uint;

use nvml_wrapper_sys::bindings::{nvmlDevice_t, nvmlPcieUtilCounter_t, nvmlReturn_t};

use crate::card::Card;
use crate::code::{Answer, INVALID_ARGUMENT};
use crate::ffi::{put, reply};
use crate::state;

values! {
    /// Generation now; idle desktop cards slow their link down.
    card nvmlDeviceGetCurrPcieLinkGeneration: c_uint = |card| {
        let rests = card.model().fans > 0 && card.sensors().gpu_percent == 0;
        Ok(card.values().pcie_generation.unwrap_or(if rests { 1 } else { card.model().pcie[0] }))
    };
    /// Width of the slot.
    card nvmlDeviceGetCurrPcieLinkWidth: c_uint = |card| Ok(width(card));
    /// Best generation.
    card nvmlDeviceGetMaxPcieLinkGeneration: c_uint = |card| Ok(card.model().pcie[0]);
    /// Widest link.
    card nvmlDeviceGetMaxPcieLinkWidth: c_uint = |card| Ok(card.model().pcie[1]);
    /// No packet had to be sent again.
    card nvmlDeviceGetPcieReplayCounter: c_uint = |_| Ok(0);
}

fn width(card: &Card) -> c_uint {
    card.values().pcie_width.or(card.spec().pcie_width).unwrap_or(card.model().pcie[1])
}

/// Traffic in KB/s.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPcieThroughput(
    device: nvmlDevice_t,
    counter: nvmlPcieUtilCounter_t,
    rate: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetPcieThroughput")?;
        let per_percent: Answer<c_uint> = match counter {
            0 => Ok(900),
            1 => Ok(5_200),
            _ => Err(INVALID_ARGUMENT),
        };
        // SAFETY: null or writable.
        unsafe { put(rate, per_percent? * card.sensors().memory_percent + 60) }
    })
}
