//! What a card is, in full: read seldom, as it changes with hardware, drivers and administrators only.

use domain::inventory::{CardTraits, ComputeMode};
use domain::reading::{Missing, Reading};
use nvml_wrapper::Device;
use nvml_wrapper::enum_wrappers::device::{
    Brand, Clock, ComputeMode as Mode, GpuVirtualizationMode, TemperatureThreshold,
};
use nvml_wrapper::enums::device::DeviceArchitecture;
use nvml_wrapper::error::NvmlError;

use super::health::{missing, reading};
use crate::clean::clean;

/// Reads all of it; every field a value or a reason.
pub(super) fn of(card: &Device<'_>) -> CardTraits {
    let mig = card.mig_mode();
    let mig_mode = |number: fn(&nvml_wrapper::structs::device::MigMode) -> u32| match &mig {
        Ok(mode) => Reading::Value(number(mode) != 0),
        Err(error) => Reading::missing(missing(error)),
    };
    CardTraits {
        brand: known(card.brand().map(brand)),
        architecture: known(card.architecture().map(architecture)),
        compute_capability: reading(card.cuda_compute_capability().and_then(|version| {
            let number = |part: i32| u32::try_from(part).map_err(|_| NvmlError::Unknown);
            Ok((number(version.major)?, number(version.minor)?))
        })),
        cores: reading(card.num_cores()),
        serial: text(card.serial()),
        vbios: text(card.vbios_version()),
        gsp_firmware: text(card.gsp_firmware_version()),
        slowdown_celsius: reading(card.temperature_threshold(TemperatureThreshold::Slowdown)),
        shutdown_celsius: reading(card.temperature_threshold(TemperatureThreshold::Shutdown)),
        max_operating_celsius: reading(card.temperature_threshold(TemperatureThreshold::GpuMax)),
        default_power_limit_milliwatts: reading(card.power_management_limit_default()),
        power_limit_range_milliwatts: reading(
            card.power_management_limit_constraints().map(|range| (range.min_limit, range.max_limit)),
        ),
        max_sm_clock_mhz: reading(card.max_clock_info(Clock::SM)),
        max_memory_clock_mhz: reading(card.max_clock_info(Clock::Memory)),
        max_pcie_generation: reading(card.max_pcie_link_gen()),
        max_pcie_width: reading(card.max_pcie_link_width()),
        ecc_enabled: reading(card.is_ecc_enabled().map(|ecc| ecc.currently_enabled)),
        compute_mode: reading(card.compute_mode().map(compute_mode)),
        persistence: reading(card.is_in_persistent_mode()),
        mig_enabled: mig_mode(|mode| mode.current),
        mig_pending: mig_mode(|mode| mode.pending),
        virtualisation: reading(card.virtualization_mode().map(|mode| virtualisation(mode).to_owned())),
        display_active: reading(card.is_display_active()),
    }
}

/// What is known of a MIG instance, which NVML tells next to nothing about: what it shares with its card.
pub(super) fn of_instance(parent: &CardTraits) -> CardTraits {
    CardTraits {
        brand: parent.brand.clone(),
        architecture: parent.architecture.clone(),
        compute_capability: parent.compute_capability,
        ecc_enabled: parent.ecc_enabled,
        mig_enabled: parent.mig_enabled,
        mig_pending: parent.mig_pending,
        virtualisation: parent.virtualisation.clone(),
        ..all_missing(Missing::NotSupported)
    }
}

/// No field has a value.
pub(super) fn all_missing(why: Missing) -> CardTraits {
    CardTraits {
        brand: Reading::missing(why),
        architecture: Reading::missing(why),
        compute_capability: Reading::missing(why),
        cores: Reading::missing(why),
        serial: Reading::missing(why),
        vbios: Reading::missing(why),
        gsp_firmware: Reading::missing(why),
        slowdown_celsius: Reading::missing(why),
        shutdown_celsius: Reading::missing(why),
        max_operating_celsius: Reading::missing(why),
        default_power_limit_milliwatts: Reading::missing(why),
        power_limit_range_milliwatts: Reading::missing(why),
        max_sm_clock_mhz: Reading::missing(why),
        max_memory_clock_mhz: Reading::missing(why),
        max_pcie_generation: Reading::missing(why),
        max_pcie_width: Reading::missing(why),
        ecc_enabled: Reading::missing(why),
        compute_mode: Reading::missing(why),
        persistence: Reading::missing(why),
        mig_enabled: Reading::missing(why),
        mig_pending: Reading::missing(why),
        virtualisation: Reading::missing(why),
        display_active: Reading::missing(why),
    }
}

/// Fills what could not be read this time with what was read before. Whether something is left that may yet be read.
pub(super) fn fill(fresh: &mut CardTraits, old: Option<&CardTraits>) -> bool {
    let mut open = false;
    macro_rules! each {
        ($($field:ident)*) => { $( open |= hold(&mut fresh.$field, old.map(|old| &old.$field)); )* };
    }
    each!(
        brand architecture compute_capability cores serial vbios gsp_firmware slowdown_celsius shutdown_celsius
        max_operating_celsius default_power_limit_milliwatts power_limit_range_milliwatts max_sm_clock_mhz
        max_memory_clock_mhz max_pcie_generation max_pcie_width ecc_enabled compute_mode persistence mig_enabled
        mig_pending virtualisation display_active
    );
    open
}

/// Keeps the old answer where the new one is missing for a passing reason. Whether it was missing so.
pub(super) fn hold<T: Clone>(fresh: &mut Reading<T>, old: Option<&Reading<T>>) -> bool {
    fn is_passing<T>(field: &Reading<T>) -> bool {
        matches!(field, Reading::Missing { na: Missing::Lost | Missing::ResetNeeded | Missing::Unknown })
    }
    let passing = is_passing(fresh);
    if passing && let Some(old) = old.filter(|old| !is_passing(old)) {
        fresh.clone_from(old);
    }
    passing
}

fn known(result: Result<Option<&'static str>, NvmlError>) -> Reading<String> {
    reading(result.and_then(|name| name.map(str::to_owned).ok_or(NvmlError::Unknown)))
}

/// Text as it may be shown. One that is empty is one that the card does not have.
fn text(result: Result<String, NvmlError>) -> Reading<String> {
    match result {
        Ok(text) if text.trim().is_empty() => Reading::missing(Missing::NotSupported),
        other => reading(other).map(|text| clean(text.trim())),
    }
}

fn brand(brand: Brand) -> Option<&'static str> {
    Some(match brand {
        Brand::Unknown => return None,
        Brand::Quadro => "Quadro",
        Brand::Tesla => "Tesla",
        Brand::NVS => "NVS",
        Brand::GRID => "GRID",
        Brand::GeForce => "GeForce",
        Brand::Titan => "TITAN",
        Brand::VApps => "NVIDIA vApps",
        Brand::VPC => "NVIDIA vPC",
        Brand::VCS => "NVIDIA vCS",
        Brand::VWS => "NVIDIA vWS",
        Brand::CloudGaming | Brand::VGaming => "NVIDIA Cloud Gaming",
        Brand::QuadroRTX => "Quadro RTX",
        Brand::NvidiaRTX => "NVIDIA RTX",
        Brand::Nvidia => "NVIDIA",
        Brand::GeForceRTX => "GeForce RTX",
        Brand::TitanRTX => "TITAN RTX",
    })
}

fn architecture(architecture: DeviceArchitecture) -> Option<&'static str> {
    Some(match architecture {
        DeviceArchitecture::Unknown => return None,
        DeviceArchitecture::Kepler => "Kepler",
        DeviceArchitecture::Maxwell => "Maxwell",
        DeviceArchitecture::Pascal => "Pascal",
        DeviceArchitecture::Volta => "Volta",
        DeviceArchitecture::Turing => "Turing",
        DeviceArchitecture::Ampere => "Ampere",
        DeviceArchitecture::Ada => "Ada",
        DeviceArchitecture::Hopper => "Hopper",
        DeviceArchitecture::Blackwell => "Blackwell",
    })
}

fn compute_mode(mode: Mode) -> ComputeMode {
    match mode {
        Mode::Default => ComputeMode::Default,
        Mode::Prohibited => ComputeMode::Prohibited,
        Mode::ExclusiveProcess => ComputeMode::ExclusiveProcess,
        Mode::ExclusiveThread => ComputeMode::Other,
    }
}

fn virtualisation(mode: GpuVirtualizationMode) -> &'static str {
    match mode {
        GpuVirtualizationMode::Bare => "none",
        GpuVirtualizationMode::PassThrough => "passthrough",
        GpuVirtualizationMode::Vgpu => "vgpu",
        GpuVirtualizationMode::HostVgpu => "host_vgpu",
        GpuVirtualizationMode::HostVsga => "host_vsga",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_this_time_is_kept_from_before() {
        let mut old = all_missing(Missing::NotSupported);
        old.serial = Reading::Value("1".to_owned());
        old.cores = Reading::Value(8);
        let mut fresh = all_missing(Missing::NotSupported);
        fresh.serial = Reading::missing(Missing::Unknown);
        assert!(fill(&mut fresh, Some(&old)), "the serial number may yet be read");
        assert_eq!(fresh.serial, old.serial);
        assert_eq!(fresh.cores, Reading::missing(Missing::NotSupported), "a plain no is an answer");
        fresh.vbios = Reading::missing(Missing::Lost);
        fill(&mut fresh, Some(&old));
        assert_eq!(fresh.vbios, Reading::missing(Missing::NotSupported), "and so it was before");
        assert!(!fill(&mut all_missing(Missing::NotSupported), None));
    }

    #[test]
    fn text_without_words_is_none() {
        assert_eq!(text(Ok("  ".to_owned())), Reading::missing(Missing::NotSupported));
        assert_eq!(text(Ok(" 96.02\u{1b} ".to_owned())), Reading::Value("96.02?".to_owned()));
    }
}
