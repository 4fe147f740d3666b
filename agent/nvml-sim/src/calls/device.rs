//! What a card is.

use std::ffi::{c_char, c_int, c_uint};

use nvml_wrapper_sys::bindings::{
    nvmlBrandType_t, nvmlComputeMode_t, nvmlDevice_t, nvmlDeviceArchitecture_t, nvmlEnableState_t,
    nvmlGpuVirtualizationMode_t, nvmlPciInfo_t, nvmlReturn_t,
};

use crate::card::{Card, offered};
use crate::code::{Answer, UNKNOWN};
use crate::ffi::{fill, put, put_text, reply};
use crate::profile::bus_parts;
use crate::state;

texts! {
    /// Model name, which some drivers garble. An instance adds its size.
    any_identity nvmlDeviceGetName = |card| {
        let garbled = card.moment.control.garbled_names.contains(&card.position);
        let size = card.instance.as_ref().map_or(String::new(), |instance| format!(" MIG {}", instance.size));
        Ok(if garbled { vec![0xf8, 0x4e, 0xff] } else { format!("{}{size}", card.model().name).into_bytes() })
    };
    /// The card's or instance's identity.
    any_identity nvmlDeviceGetUUID = |card| {
        let uuid = card.instance.as_ref().map_or(&card.spec().uuid, |instance| &instance.uuid);
        Ok(uuid.clone().into_bytes())
    };
    /// Serial number.
    identity nvmlDeviceGetSerial = |card| offered(card.spec().serial.clone().map(String::into_bytes));
    /// VBIOS version.
    card nvmlDeviceGetVbiosVersion = |card| Ok(card.model().vbios.clone().into_bytes());
    /// Part number.
    card nvmlDeviceGetBoardPartNumber = |card| offered(card.model().part_number.clone().map(String::into_bytes));
}

values! {
    /// Place in the list.
    identity nvmlDeviceGetIndex: c_uint = |card| {
        let index = card.sim.listed().iter().position(|&position| position == card.position);
        index.and_then(|index| c_uint::try_from(index).ok()).ok_or(UNKNOWN)
    };
    /// `N` of `/dev/nvidiaN`.
    identity nvmlDeviceGetMinorNumber: c_uint = |card| offered(card.spec().minor);
    /// PCI address.
    identity nvmlDeviceGetPciInfo_v3: nvmlPciInfo_t = pci_of_card;
    /// As [`nvmlDeviceGetPciInfo_v3`].
    identity nvmlDeviceGetPciInfo_v2: nvmlPciInfo_t = pci_of_card;
    /// As [`nvmlDeviceGetPciInfo_v3`].
    identity nvmlDeviceGetPciInfo: nvmlPciInfo_t = pci_of_card;
    /// Board number: cards on one board share it.
    card nvmlDeviceGetBoardId: c_uint = |card| Ok(bus_parts(&card.spec().bus).map_or(0, |(_, bus, _)| bus << 8));
    /// Brand.
    any nvmlDeviceGetBrand: nvmlBrandType_t = |card| Ok(card.model().brand);
    /// Architecture.
    any nvmlDeviceGetArchitecture: nvmlDeviceArchitecture_t = |card| Ok(card.model().architecture);
    /// CUDA cores.
    card nvmlDeviceGetNumGpuCores: c_uint = |card| Ok(card.model().cores);
    /// Several programs at once may use the card.
    card nvmlDeviceGetComputeMode: nvmlComputeMode_t = |card| Ok(card.values().compute_mode.unwrap_or(0));
    /// The driver stays loaded.
    card nvmlDeviceGetPersistenceMode: nvmlEnableState_t = |card| Ok(card.values().persistence.unwrap_or(true).into());
    /// No display is connected.
    card nvmlDeviceGetDisplayMode: nvmlEnableState_t = |_| Ok(0);
    /// No display is driven.
    card nvmlDeviceGetDisplayActive: nvmlEnableState_t = |_| Ok(0);
    /// Bare metal.
    card nvmlDeviceGetVirtualizationMode: nvmlGpuVirtualizationMode_t = |_| Ok(0);
}

not_supported! {
    // Only Windows has two kinds of driver.
    nvmlDeviceGetDriverModel(current: *mut c_uint, pending: *mut c_uint);
    nvmlDeviceGetDriverModel_v2(current: *mut c_uint, pending: *mut c_uint);
}

/// CUDA compute capability.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCudaComputeCapability(
    device: nvmlDevice_t,
    major: *mut c_int,
    minor: *mut c_int,
) -> nvmlReturn_t {
    reply(|| {
        let card = state::any(device, "nvmlDeviceGetCudaComputeCapability")?;
        let [high, low] = card.model().compute_capability;
        // SAFETY: null or writable.
        unsafe { put(major, high).and_then(|()| put(minor, low)) }
    })
}

/// Version of the GSP firmware, which goes with the driver. Its buffer has 64 bytes.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGspFirmwareVersion(device: nvmlDevice_t, version: *mut c_char) -> nvmlReturn_t {
    reply(|| {
        let card = state::card(device, "nvmlDeviceGetGspFirmwareVersion")?;
        // SAFETY: NVML's contract fixes the buffer at 64 bytes.
        unsafe { put_text(version, 64, card.sim.profile.driver.as_bytes()) }
    })
}

fn pci_of_card(card: &Card) -> Answer<nvmlPciInfo_t> {
    pci(&card.spec().bus, card.model().pci_device, card.model().pci_subsystem)
}

/// An address in NVML's struct.
///
/// # Errors
/// `UNKNOWN` where the text is no address.
pub fn pci(bus_id: &str, device_id: u32, subsystem: u32) -> Answer<nvmlPciInfo_t> {
    let (domain, bus, device) = bus_parts(bus_id).ok_or(UNKNOWN)?;
    let mut info = nvmlPciInfo_t {
        busIdLegacy: [0; 16],
        domain,
        bus,
        device,
        pciDeviceId: device_id,
        pciSubSystemId: subsystem,
        busId: [0; 32],
    };
    fill(&mut info.busIdLegacy, &format!("{domain:04X}:{bus:02X}:{device:02X}.0"));
    fill(&mut info.busId, &format!("{domain:08X}:{bus:02X}:{device:02X}.0"));
    Ok(info)
}
