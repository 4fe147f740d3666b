//! Values by number.

use std::ffi::c_int;

use nvml_wrapper_sys::bindings::{nvmlDevice_t, nvmlFieldValue_t, nvmlReturn_t};

use crate::calls::ecc;
use crate::card::{Card, offered};
use crate::code::{Answer, INVALID_ARGUMENT, NOT_SUPPORTED, SUCCESS};
use crate::ffi::reply;
use crate::state;

/// `NVML_VALUE_TYPE_UNSIGNED_INT`.
const UNSIGNED_INT: u32 = 1;

fn field(card: &Card, number: u32) -> Answer<u32> {
    let fault = card.moment.control.fault.iter().find(|fault| fault.hits_field(card.position, number));
    fault.and_then(|fault| fault.code).map_or(Ok(()), Err)?;
    match number {
        // Temperature of the memory, which only HBM cards tell.
        82 if card.values().memory_celsius.is_some() => offered(card.values().memory_celsius),
        82 if card.model().fans == 0 => Ok(card.sensors().celsius + 8),
        // Number of NVLinks.
        91 => offered(card.model().nvlink.map(|nvlink| nvlink.count)),
        // Remapped rows: correctable, uncorrectable, pending, failed.
        142..=145 => ecc::remapped_rows(card).map(|rows| rows[number as usize - 142]),
        // Power, averaged and at once.
        185 | 186 => Ok(card.sensors().milliwatts),
        _ => Err(NOT_SUPPORTED),
    }
}

/// Reads several values; each has its own return code.
///
/// # Safety
/// `values` is null or has `count` items with their field numbers set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFieldValues(
    device: nvmlDevice_t,
    count: c_int,
    values: *mut nvmlFieldValue_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetFieldValues")?;
        let count = usize::try_from(count).map_err(|_| INVALID_ARGUMENT)?;
        if values.is_null() || count == 0 {
            return Err(INVALID_ARGUMENT);
        }
        let now = (card.moment.unix * 1e6) as i64;
        for at in 0..count {
            // SAFETY: within the list that the caller stated; single fields are written, so the union may hold anything.
            unsafe {
                let value = values.add(at);
                let answer = field(&card, (&raw const (*value).fieldId).read());
                (&raw mut (*value).timestamp).write(now);
                (&raw mut (*value).latencyUsec).write(0);
                (&raw mut (*value).valueType).write(UNSIGNED_INT);
                (&raw mut (*value).nvmlReturn).write(answer.err().unwrap_or(SUCCESS));
                (&raw mut (*value).value.uiVal).write(answer.unwrap_or_default());
            }
        }
        Ok(())
    })
}
