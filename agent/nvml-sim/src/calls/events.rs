//! Critical errors as events, each delivered once to each event set.

use std::collections::BTreeMap;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nvml_wrapper_sys::bindings::{nvmlDevice_t, nvmlEventData_t, nvmlEventSet_t, nvmlReturn_t};

use crate::code::{INVALID_ARGUMENT, NOT_SUPPORTED, TIMEOUT};
use crate::control::Control;
use crate::ffi::{put, reply};
use crate::state::{self, EventSet, lock};

/// `nvmlEventTypeXidCriticalError`.
const XID: c_ulonglong = 8;
/// ECC errors, performance state, critical errors; not the clock event, which new cards refuse.
const SUPPORTED: c_ulonglong = 0xf;
/// How often a waiting call looks for news.
const LOOK: Duration = Duration::from_millis(500);

static NEXT_SET: AtomicUsize = AtomicUsize::new(0x3000);

/// A set that no card reports to yet.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetCreate(set: *mut nvmlEventSet_t) -> nvmlReturn_t {
    reply(|| {
        let sim = state::host("nvmlEventSetCreate")?;
        let number = NEXT_SET.fetch_add(1, Ordering::Relaxed);
        lock(&sim.events).insert(number, EventSet::default());
        // SAFETY: null or writable.
        unsafe { put(set, std::ptr::without_provenance_mut(number)) }
    })
}

/// Forgets a set.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlEventSetFree(set: nvmlEventSet_t) -> nvmlReturn_t {
    reply(|| {
        // A set may outlive the initialisation that made it.
        if let Ok(sim) = state::host("nvmlEventSetFree") {
            lock(&sim.events).remove(&set.addr());
        }
        Ok(())
    })
}

/// Which events a card can report.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedEventTypes(
    device: nvmlDevice_t,
    types: *mut c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        state::card(device, "nvmlDeviceGetSupportedEventTypes")?;
        // SAFETY: null or writable.
        unsafe { put(types, SUPPORTED) }
    })
}

/// How many errors of each number a card has, by the control file.
fn errors(control: &Control, position: usize) -> BTreeMap<u64, usize> {
    let mut errors = BTreeMap::new();
    for xid in control.xid.iter().filter(|xid| xid.card == position) {
        *errors.entry(xid.number).or_default() += 1;
    }
    errors
}

/// Has a card report to a set.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceRegisterEvents(
    device: nvmlDevice_t,
    types: c_ulonglong,
    set: nvmlEventSet_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceRegisterEvents")?;
        if types & !SUPPORTED != 0 {
            return Err(NOT_SUPPORTED);
        }
        let mut events = lock(&card.sim.events);
        let set = events.get_mut(&set.addr()).ok_or(INVALID_ARGUMENT)?;
        // Errors from before the registration are not news.
        set.cards.insert(card.position, errors(&card.moment.control, card.position));
        Ok(())
    })
}

/// The next error that a set has not had. An error that has left the control file is new when it comes back.
fn news(set: &mut EventSet, control: &Control) -> Option<(usize, u64)> {
    set.cards.iter_mut().find_map(|(&position, had)| {
        let now = errors(control, position);
        had.retain(|number, count| {
            *count = (*count).min(now.get(number).copied().unwrap_or_default());
            *count > 0
        });
        let (&number, _) = now.iter().find(|(number, count)| had.get(number).is_none_or(|had| had < count))?;
        *had.entry(number).or_default() += 1;
        Some((position, number))
    })
}

/// Waits for the next event.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetWait_v2(
    set: nvmlEventSet_t,
    data: *mut nvmlEventData_t,
    timeout_ms: c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let deadline = Instant::now() + Duration::from_millis(timeout_ms.into());
        loop {
            let sim = state::host("nvmlEventSetWait_v2")?;
            let control = sim.control();
            let mut events = lock(&sim.events);
            let news = news(events.get_mut(&set.addr()).ok_or(INVALID_ARGUMENT)?, &control);
            drop(events);
            if let Some((position, number)) = news {
                let event = nvmlEventData_t {
                    device: sim.handle_of(position, None),
                    eventType: XID,
                    eventData: number,
                    gpuInstanceId: u32::MAX,
                    computeInstanceId: u32::MAX,
                };
                // SAFETY: null or writable.
                return unsafe { put(data, event) };
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TIMEOUT);
            }
            std::thread::sleep(left.min(LOOK));
        }
    })
}
