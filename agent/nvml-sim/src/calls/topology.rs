//! How cards are near each other and the CPUs.

use std::ffi::{c_int, c_uint, c_ulong};

use nvml_wrapper_sys::bindings::{
    nvmlAffinityScope_t, nvmlDevice_t, nvmlGpuP2PCapsIndex_t, nvmlGpuP2PStatus_t, nvmlGpuTopologyLevel_t, nvmlReturn_t,
};

use crate::card::Card;
use crate::code::{INVALID_ARGUMENT, NOT_SUPPORTED, UNKNOWN};
use crate::ffi::{put, reply};
use crate::profile::cpu_list;
use crate::state;

/// `NVML_P2P_STATUS_OK` and `..._NOT_SUPPORTED`.
const P2P_OK: nvmlGpuP2PStatus_t = 0;
const P2P_NOT_SUPPORTED: nvmlGpuP2PStatus_t = 5;
/// `NVML_P2P_CAPS_INDEX_NVLINK`.
const P2P_NVLINK: nvmlGpuP2PCapsIndex_t = 2;
/// Bits of one word of a CPU set.
const WORD: usize = c_ulong::BITS as usize;

/// Nearest common ancestor on PCIe.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTopologyCommonAncestor(
    one: nvmlDevice_t,
    other: nvmlDevice_t,
    level: *mut nvmlGpuTopologyLevel_t,
) -> nvmlReturn_t {
    reply(|| {
        let one = state::card(one, "nvmlDeviceGetTopologyCommonAncestor")?;
        let other = state::card(other, "nvmlDeviceGetTopologyCommonAncestor")?;
        let row = one.sim.profile.levels(one.position).ok_or(UNKNOWN)?;
        // SAFETY: null or writable.
        unsafe { put(level, row.get(other.position).copied().ok_or(UNKNOWN)?) }
    })
}

/// Whether two cards reach each other's memory.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetP2PStatus(
    one: nvmlDevice_t,
    other: nvmlDevice_t,
    kind: nvmlGpuP2PCapsIndex_t,
    status: *mut nvmlGpuP2PStatus_t,
) -> nvmlReturn_t {
    reply(|| {
        let one = state::card(one, "nvmlDeviceGetP2PStatus")?;
        let other = state::card(other, "nvmlDeviceGetP2PStatus")?;
        // GeForce drivers only let cards talk over NVLink; data-centre ones also over PCIe.
        let ok = joined(&one, &other) || (kind < P2P_NVLINK && one.model().ecc.is_some());
        // SAFETY: null or writable.
        unsafe { put(status, if ok { P2P_OK } else { P2P_NOT_SUPPORTED }) }
    })
}

/// Joined by NVLink, directly or through a switch.
fn joined(one: &Card, other: &Card) -> bool {
    let through_switch = |card: &Card| card.spec().links.iter().any(|link| link.switch.is_some());
    one.spec().links.iter().any(|link| link.card == Some(other.position))
        || (through_switch(one) && through_switch(other))
}

/// Every card has a board of its own.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceOnSameBoard(
    one: nvmlDevice_t,
    other: nvmlDevice_t,
    same: *mut c_int,
) -> nvmlReturn_t {
    reply(|| {
        let one = state::card(one, "nvmlDeviceOnSameBoard")?;
        let other = state::card(other, "nvmlDeviceOnSameBoard")?;
        // SAFETY: null or writable.
        unsafe { put(same, c_int::from(one.position == other.position)) }
    })
}

values! {
    /// The node of a card's own memory, which only cards with coherent memory have.
    card nvmlDeviceGetNumaNodeId: c_uint = |_| Err(NOT_SUPPORTED);
}

/// CPUs of the card's socket.
///
/// # Safety
/// `set` is null or has `size` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCpuAffinity(
    device: nvmlDevice_t,
    size: c_uint,
    set: *mut c_ulong,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetCpuAffinity")?;
        let cpus = cpu_list(&card.spec().cpus).ok_or(UNKNOWN)?;
        // SAFETY: the caller's own contract.
        unsafe { put_set(set, size, &cpus) }
    })
}

/// NUMA node of the card's socket.
///
/// # Safety
/// `set` is null or has `size` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryAffinity(
    device: nvmlDevice_t,
    size: c_uint,
    set: *mut c_ulong,
    _scope: nvmlAffinityScope_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetMemoryAffinity")?;
        // SAFETY: the caller's own contract.
        unsafe { put_set(set, size, &[card.spec().numa as usize]) }
    })
}

/// # Safety
/// `set` is null or has `size` words.
unsafe fn put_set(set: *mut c_ulong, size: c_uint, members: &[usize]) -> crate::code::Answer<()> {
    if set.is_null() || size == 0 {
        return Err(INVALID_ARGUMENT);
    }
    for word in 0..size as usize {
        let bits = members.iter().filter(|&&member| member / WORD == word).fold(0, |bits, m| bits | (1 << (m % WORD)));
        // SAFETY: within the words that the caller stated.
        unsafe { set.add(word).write(bits) };
    }
    Ok(())
}
