//! MIG: the instances that a card is cut into, each of them a card of its own.

use domain::card::{CardFacts, MigPart};
use domain::id::CardUuid;
use domain::reading::Reading;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::DeviceAttributes;
use nvml_wrapper::{Device, Nvml};

use super::health::missing;
use super::raw;
use crate::clean::clean;

/// Places for instances where the card does not say how many there are.
const PLACES: u32 = 8;
/// More places than this is a broken number.
const PLACES_MAX: u32 = 64;

/// Whether a card is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// It is one card.
    Whole,
    /// It is cut into instances.
    InParts,
    /// It does not say this time.
    Unsure,
}

/// Asks a card.
pub(super) fn cut(card: &Device<'_>) -> Cut {
    match card.mig_mode() {
        Ok(mode) if mode.current == 1 => Cut::InParts,
        Ok(_) | Err(NvmlError::NotSupported | NvmlError::InvalidArg | NvmlError::FailedToLoadSymbol(_)) => Cut::Whole,
        Err(_) => Cut::Unsure,
    }
}

/// An instance.
pub(super) struct Found<'nvml> {
    pub(super) facts: CardFacts,
    pub(super) handle: Device<'nvml>,
}

/// All instances of a card in the order of their places, and the error of the first place that gave one. Places are
/// taken in any order, so that an empty one is a gap, not the end.
pub(super) fn instances<'nvml>(
    nvml: &'nvml Nvml,
    parent: &Device<'nvml>,
    facts: &CardFacts,
) -> (Vec<Found<'nvml>>, Option<NvmlError>) {
    let places = parent.mig_device_count().unwrap_or(PLACES).min(PLACES_MAX);
    let (mut found, mut failed) = (Vec::new(), None);
    for place in 0..places {
        let handle = match parent.mig_device_by_index(place) {
            Ok(handle) => handle,
            Err(NvmlError::NotFound) => continue,
            Err(NvmlError::InvalidArg) => break,
            Err(error) => {
                failed = failed.or(Some(error));
                continue;
            }
        };
        match instance(nvml, &handle, facts, place) {
            Ok(facts) => found.push(Found { facts, handle }),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    (found, failed)
}

fn instance(nvml: &Nvml, handle: &Device<'_>, parent: &CardFacts, place: u32) -> Result<CardFacts, NvmlError> {
    let text = handle.uuid()?;
    let uuid = CardUuid::parse(&text).map_err(|_| NvmlError::Unknown)?;
    let (gpu_instance, compute_instance) = match raw::instance_ids(nvml, handle) {
        Ok(ids) => ids,
        Err(error) => ids_of_name(&text).ok_or(error)?,
    };
    let attributes = handle.attributes();
    let number = |of: fn(&DeviceAttributes) -> u32| match &attributes {
        Ok(attributes) => Reading::Value(of(attributes)),
        Err(error) => Reading::missing(missing(error)),
    };
    let name = handle.name().map(|name| clean(&name)).unwrap_or_default();
    let profile = profile_of_name(&name).or_else(|| attributes.as_ref().ok().map(profile_of)).unwrap_or_default();
    let name = if name.is_empty() { format!("{} MIG {profile}", parent.name).trim_end().to_owned() } else { name };
    let memory_total_mib = match handle.memory_info() {
        Ok(memory) => Reading::Value(memory.total >> 20),
        Err(error) => attributes
            .as_ref()
            .map_or(Reading::missing(missing(&error)), |attributes| Reading::Value(attributes.memory_size_mb)),
    };
    let part = MigPart {
        parent: parent.uuid.clone(),
        gpu_instance,
        compute_instance,
        instance: place,
        profile,
        compute_slices: number(|attributes| attributes.compute_instance_slice_count),
        multiprocessors: number(|attributes| attributes.multiprocessor_count),
    };
    Ok(CardFacts {
        uuid,
        index: parent.index,
        minor: parent.minor,
        name,
        pci_bus_id: parent.pci_bus_id.clone(),
        memory_total_mib,
        part: Some(part),
        mig_on: false,
    })
}

/// Older drivers write both ids into the name: `MIG-GPU-3a23c669-…/3/0`.
fn ids_of_name(uuid: &str) -> Option<(u32, u32)> {
    let mut parts = uuid.rsplit('/');
    let (compute, gpu) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((gpu, compute))
}

/// `NVIDIA A100-SXM4-80GB MIG 1c.3g.40gb`
fn profile_of_name(name: &str) -> Option<String> {
    let (_, profile) = name.rsplit_once("MIG ")?;
    let plain = !profile.is_empty() && profile.len() <= 32 && profile.contains('g');
    plain.then(|| profile.trim().to_owned())
}

/// As NVIDIA names them: slices and memory in whole GiB, and before them the compute slices where they are not all.
fn profile_of(attributes: &DeviceAttributes) -> String {
    let (slices, compute) = (attributes.gpu_instance_slice_count, attributes.compute_instance_slice_count);
    let memory = attributes.memory_size_mb.div_ceil(1024);
    let prefix = if compute == slices || compute == 0 { String::new() } else { format!("{compute}c.") };
    format!("{prefix}{slices}g.{memory}gb")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(slices: u32, compute: u32, memory_size_mb: u64) -> DeviceAttributes {
        DeviceAttributes {
            multiprocessor_count: 28,
            shared_copy_engine_count: 2,
            shared_decoder_count: 1,
            shared_encoder_count: 0,
            shared_jpeg_count: 0,
            shared_ofa_count: 0,
            gpu_instance_slice_count: slices,
            compute_instance_slice_count: compute,
            memory_size_mb,
        }
    }

    #[test]
    fn profiles_as_nvidia_names_them() {
        assert_eq!(profile_of(&attributes(3, 3, 19_968)), "3g.20gb");
        assert_eq!(profile_of(&attributes(1, 1, 4_864)), "1g.5gb");
        assert_eq!(profile_of(&attributes(3, 1, 40_192)), "1c.3g.40gb");
        assert_eq!(profile_of_name("NVIDIA A100-SXM4-80GB MIG 1g.10gb").as_deref(), Some("1g.10gb"));
        assert_eq!(profile_of_name("NVIDIA A100-SXM4-80GB"), None);
    }

    #[test]
    fn ids_out_of_old_names() {
        assert_eq!(ids_of_name("MIG-GPU-3a23c669-1f69-c64e-cf85-44e9b07e7a2a/3/0"), Some((3, 0)));
        assert_eq!(ids_of_name("MIG-377e0049-aaaa-5bbb-8ccc-44e9b07e7a2a"), None);
    }
}
