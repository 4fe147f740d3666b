//! NVLinks of a card.

use std::ffi::{c_uint, c_ulonglong};

use nvml_wrapper_sys::bindings::{
    nvmlDevice_t, nvmlEnableState_t, nvmlIntNvLinkDeviceType_t, nvmlNvLinkCapability_t, nvmlNvLinkErrorCounter_t,
    nvmlPciInfo_t, nvmlReturn_t,
};

use crate::calls::device::pci;
use crate::card::{Card, offered};
use crate::code::{Answer, INVALID_ARGUMENT, NOT_SUPPORTED};
use crate::ffi::{put, reply};
use crate::state;

/// Where a link ends.
enum End {
    Card(usize),
    Switch(usize),
}

/// Where a link of a card ends; `None` where it is not active.
fn end(card: &Card, link: c_uint) -> Answer<Option<End>> {
    let nvlink = offered(card.model().nvlink)?;
    if link >= nvlink.count {
        return Err(INVALID_ARGUMENT);
    }
    if card.values().links_down.contains(&link) {
        return Ok(None);
    }
    let mut before = 0;
    for links in &card.spec().links {
        before += links.count;
        if link < before {
            return Ok(links.card.map(End::Card).or(links.switch.map(End::Switch)));
        }
    }
    Ok(None)
}

/// Whether a link is up.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkState(
    device: nvmlDevice_t,
    link: c_uint,
    active: *mut nvmlEnableState_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetNvLinkState")?;
        // SAFETY: null or writable.
        unsafe { put(active, u32::from(end(&card, link)?.is_some())) }
    })
}

/// NVLink's version, as NVML numbers them.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkVersion(
    device: nvmlDevice_t,
    link: c_uint,
    version: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetNvLinkVersion")?;
        end(&card, link)?;
        // SAFETY: null or writable.
        unsafe { put(version, offered(card.model().nvlink)?.version) }
    })
}

/// What a link can do. As real drivers, this also answers for links that do not exist.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkCapability(
    device: nvmlDevice_t,
    _link: c_uint,
    _capability: nvmlNvLinkCapability_t,
    able: *mut c_uint,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetNvLinkCapability")?;
        offered(card.model().nvlink)?;
        // SAFETY: null or writable.
        unsafe { put(able, 1) }
    })
}

/// No link has had errors.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkErrorCounter(
    device: nvmlDevice_t,
    link: c_uint,
    _counter: nvmlNvLinkErrorCounter_t,
    errors: *mut c_ulonglong,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetNvLinkErrorCounter")?;
        end(&card, link)?;
        // SAFETY: null or writable.
        unsafe { put(errors, 0) }
    })
}

/// Card (0) or switch (2) at the other end.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkRemoteDeviceType(
    device: nvmlDevice_t,
    link: c_uint,
    kind: *mut nvmlIntNvLinkDeviceType_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetNvLinkRemoteDeviceType")?;
        let number = match end(&card, link)? {
            Some(End::Card(_)) => 0,
            Some(End::Switch(_)) => 2,
            None => return Err(NOT_SUPPORTED),
        };
        // SAFETY: null or writable.
        unsafe { put(kind, number) }
    })
}

/// PCI address of what is at the other end.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkRemotePciInfo_v2(
    device: nvmlDevice_t,
    link: c_uint,
    info: *mut nvmlPciInfo_t,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetNvLinkRemotePciInfo_v2")?;
        let profile = &card.sim.profile;
        let far = match end(&card, link)? {
            Some(End::Card(other)) => {
                let other = &profile.card[other];
                let model = &profile.model[&other.model];
                pci(&other.bus, model.pci_device, model.pci_subsystem)?
            }
            Some(End::Switch(switch)) => pci(&profile.switch[switch].bus, profile.switch[switch].pci_device, 0)?,
            None => return Err(NOT_SUPPORTED),
        };
        // SAFETY: null or writable.
        unsafe { put(info, far) }
    })
}
