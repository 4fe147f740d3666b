//! Cards whose power is off to save energy, as a laptop's second card. Asking NVML anything about one would wake it, for
//! a minute or two each time, so sysfs is asked first.

use std::fs;

use domain::card::CardFacts;
use domain::id::CardUuid;
use domain::reading::{Missing, Reading};

use super::inventory::sysfs_address;
use crate::clean::clean;
use crate::host::Places;

/// Whether a card sleeps.
pub(super) fn is_asleep(card: &CardFacts, places: &Places) -> bool {
    card.pci_bus_id.as_ref().is_some_and(|address| sleeps(address, places))
}

fn sleeps(address: &str, places: &Places) -> bool {
    let status = fs::read_to_string(places.pci(address).join("power/runtime_status"));
    status.is_ok_and(|status| status.trim() == "suspended")
}

/// What the driver's own files tell about its cards without waking them, where all of them sleep. Nothing where one is
/// awake, or hides who it is: then NVML is asked.
pub(super) fn all_asleep(places: &Places) -> Option<Vec<CardFacts>> {
    let mut addresses: Vec<String> = fs::read_dir(places.driver.join("gpus"))
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    addresses.sort();
    let cards = addresses.iter().enumerate().map(|(at, address)| {
        let information = fs::read_to_string(places.driver.join("gpus").join(address).join("information"));
        let facts = facts(u32::try_from(at).ok()?, address, &information.ok()?)?;
        is_asleep(&facts, places).then_some(facts)
    });
    let cards: Option<Vec<CardFacts>> = cards.collect();
    cards.filter(|cards| !cards.is_empty())
}

fn facts(index: u32, address: &str, information: &str) -> Option<CardFacts> {
    let field = |name: &str| {
        let line = information.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'));
        line.map(str::trim)
    };
    // Before its first use the driver writes question marks, which are no UUID.
    let uuid = CardUuid::parse(field("GPU UUID")?).ok()?;
    let mut facts = CardFacts::new(uuid, index, clean(field("Model")?));
    facts.minor = field("Device Minor").and_then(|minor| minor.parse().ok());
    // The folder's name is the address already, in the kernel's form.
    facts.pci_bus_id = Some(sysfs_address(address)?);
    facts.memory_total_mib = Reading::missing(Missing::Unknown);
    Some(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFORMATION: &str = "Model: \t\t NVIDIA GeForce RTX 4060 Laptop GPU\nIRQ:   \t\t 170\n\
        GPU UUID: \t GPU-17513948-50fe-3092-8159-07978c2af0b1\nBus Type: \t PCIe\nDevice Minor: \t 0\n";

    fn laptop(status: &str, information: &str) -> (tempfile::TempDir, Places) {
        let root = tempfile::tempdir().expect("folder");
        let places = Places::below(root.path());
        for (folder, file, text) in [
            (places.driver.join("gpus/0000:01:00.0"), "information", information),
            (places.pci("0000:01:00.0").join("power"), "runtime_status", status),
        ] {
            fs::create_dir_all(&folder).expect("folders");
            fs::write(folder.join(file), text).expect("written");
        }
        (root, places)
    }

    #[test]
    fn a_card_that_sleeps_since_before_the_agent_started_is_known_all_the_same() {
        let (_root, places) = laptop("suspended\n", INFORMATION);
        let cards = all_asleep(&places).expect("asleep");
        assert_eq!(cards.len(), 1);
        assert_eq!(cards[0].name, "NVIDIA GeForce RTX 4060 Laptop GPU");
        assert_eq!((cards[0].minor, cards[0].pci_bus_id.as_deref()), (Some(0), Some("0000:01:00.0")));
    }

    #[test]
    fn one_that_is_awake_or_nameless_is_asked_through_nvml() {
        let (_root, places) = laptop("active\n", INFORMATION);
        assert_eq!(all_asleep(&places), None);
        let hidden =
            INFORMATION.replace("17513948-50fe-3092-8159-07978c2af0b1", "????????-????-????-????-????????????");
        let (_root, places) = laptop("suspended\n", &hidden);
        assert_eq!(all_asleep(&places), None);
        assert_eq!(all_asleep(&Places::below(std::path::Path::new("/nonexistent"))), None);
    }
}
