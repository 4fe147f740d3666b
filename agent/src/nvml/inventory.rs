//! What a card is, and what the cards of this host were when they last said so.

use std::fs;

use domain::card::CardFacts;
use domain::id::CardUuid;
use domain::reading::{Missing, Reading};
use nvml_wrapper::Device;
use nvml_wrapper::error::NvmlError;

use super::memory;
use super::stock::fnv;
use crate::clean::clean;
use crate::host::Places;

/// Stands in for a name that is not text, as some drivers give.
const UNREADABLE_NAME: &str = "NVIDIA GPU (unreadable name)";

/// A card's identity and facts. Only the UUID is needed; its memory is filled in by the caller.
///
/// # Errors
/// Why the card does not tell its UUID.
pub(super) fn facts(card: &Device<'_>, index: u32, places: &Places) -> Result<CardFacts, NvmlError> {
    let name = card.name().map_or_else(|_| UNREADABLE_NAME.to_owned(), |name| clean(&name));
    let uuid = match card.uuid() {
        Ok(uuid) => known_form(&uuid).ok_or(NvmlError::Unknown)?,
        Err(NvmlError::NotSupported) if memory::is_integrated(&name) => {
            made_up(places, &name, index).ok_or(NvmlError::NotSupported)?
        }
        Err(error) => return Err(error),
    };
    Ok(CardFacts {
        part: None,
        mig_on: false,
        uuid,
        index,
        minor: card.minor_number().ok(),
        name,
        pci_bus_id: card.pci_info().ok().and_then(|pci| sysfs_address(&pci.bus_id)),
        memory_total_mib: Reading::missing(Missing::Unknown),
    })
}

/// Some chips leave the prefix out.
fn known_form(uuid: &str) -> Option<CardUuid> {
    CardUuid::parse(uuid).or_else(|_| CardUuid::parse(&format!("GPU-{uuid}"))).ok()
}

/// A chip that has no UUID is part of its machine, so it is known by the machine's.
fn made_up(places: &Places, name: &str, index: u32) -> Option<CardUuid> {
    let machine = fs::read_to_string(places.etc.join("machine-id")).unwrap_or_default();
    let part = |salt: &str| fnv(format!("{salt}\n{}\n{name}\n{index}", machine.trim()).as_bytes());
    let (high, low) = (part("berth-card-1"), part("berth-card-2"));
    let text = format!(
        "GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    );
    known_form(&text)
}

/// NVML writes `00000000:1B:00.0`, sysfs `0000:1b:00.0`.
pub(super) fn sysfs_address(bus_id: &str) -> Option<String> {
    let (domain, rest) = bus_id.split_once(':')?;
    let domain = u32::from_str_radix(domain, 16).ok()?;
    let plain = rest.len() <= 8 && rest.chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c == '.');
    plain.then(|| format!("{domain:04x}:{}", rest.to_ascii_lowercase()))
}

/// The cards as they last told what they are.
#[derive(Debug, Default)]
pub(super) struct Known(Vec<CardFacts>);

impl Known {
    /// Takes over what a card has just told. A value that it no longer tells is kept.
    pub(super) fn learn(&mut self, fresh: &mut CardFacts) {
        let Some(old) = self.0.iter_mut().find(|known| known.uuid == fresh.uuid) else {
            self.0.push(fresh.clone());
            return;
        };
        if fresh.name == UNREADABLE_NAME {
            fresh.name.clone_from(&old.name);
        }
        fresh.minor = fresh.minor.or(old.minor);
        if fresh.pci_bus_id.is_none() {
            fresh.pci_bus_id.clone_from(&old.pci_bus_id);
        }
        if fresh.memory_total_mib.value().is_none() {
            fresh.memory_total_mib = old.memory_total_mib;
        }
        old.clone_from(fresh);
    }

    /// No card has ever told what it is.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All but MIG instances, in order of their index.
    pub(super) fn physical(&self) -> Vec<CardFacts> {
        let mut cards: Vec<CardFacts> = self.0.iter().filter(|known| known.part.is_none()).cloned().collect();
        cards.sort_by_key(|card| card.index);
        cards
    }

    /// The MIG instances of a card.
    pub(super) fn parts_of(&self, parent: &CardUuid) -> Vec<CardFacts> {
        let of_it = |known: &&CardFacts| known.part.as_ref().is_some_and(|part| part.parent == *parent);
        self.0.iter().filter(of_it).cloned().collect()
    }

    /// The card was cut into instances when it was last heard of.
    pub(super) fn is_cut(&self, uuid: &CardUuid) -> bool {
        self.0.iter().any(|known| known.uuid == *uuid && known.mig_on)
    }

    /// The card that must be at an index which does not answer: known, and not among those that have answered.
    pub(super) fn at(&self, index: u32, answered: &[CardUuid]) -> Option<CardFacts> {
        let silent = |known: &&CardFacts| known.part.is_none() && !answered.contains(&known.uuid);
        self.0.iter().filter(silent).find(|known| known.index == index).cloned()
    }

    /// Forgets cards that are not listed any more.
    pub(super) fn keep(&mut self, listed: &[CardUuid]) {
        self.0.retain(|known| listed.contains(&known.uuid));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(uuid: &str, index: u32) -> CardFacts {
        CardFacts {
            part: None,
            mig_on: false,
            uuid: CardUuid::parse(uuid).expect("uuid"),
            index,
            minor: Some(3),
            name: "NVIDIA X".to_owned(),
            pci_bus_id: Some("0000:01:00.0".to_owned()),
            memory_total_mib: Reading::Value(8192),
        }
    }

    #[test]
    fn addresses_as_sysfs_writes_them() {
        assert_eq!(sysfs_address("00000000:1B:00.0").as_deref(), Some("0000:1b:00.0"));
        assert_eq!(sysfs_address("0000000F:01:00.0").as_deref(), Some("000f:01:00.0"));
        assert_eq!(sysfs_address("00010000:C4:00.0").as_deref(), Some("10000:c4:00.0"));
        for bad in ["", "1B", "xyz:1B:00.0", "00000000:../../etc", "00000000:1B:00.0 and more"] {
            assert_eq!(sysfs_address(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_gap_in_what_a_card_tells_is_filled_from_before() {
        let mut known = Known::default();
        known.learn(&mut card("GPU-a", 0));
        let mut gaps = card("GPU-a", 0);
        (gaps.minor, gaps.pci_bus_id) = (None, None);
        gaps.name = UNREADABLE_NAME.to_owned();
        gaps.memory_total_mib = Reading::missing(Missing::Unknown);
        known.learn(&mut gaps);
        assert_eq!(gaps, card("GPU-a", 0));
    }

    #[test]
    fn a_silent_index_is_never_given_to_a_card_that_answered_elsewhere() {
        let mut known = Known::default();
        known.learn(&mut card("GPU-a", 0));
        known.learn(&mut card("GPU-b", 1));
        let answered = [CardUuid::parse("GPU-a").expect("uuid")];
        assert_eq!(known.at(1, &answered).map(|card| card.uuid.to_string()), Some("GPU-b".to_owned()));
        assert_eq!(known.at(0, &answered), None);
        known.keep(&answered);
        assert_eq!(known.at(1, &answered), None);
    }
}
