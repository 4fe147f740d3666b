//! Machines that are not like the others: each profile as it must be read.

use std::fs;
use std::path::Path;

use domain::card::{CardHealth, ProcessKind};
use domain::reading::{Missing, Reading};
use domain::wire::agent_v1::NvmlState;

use crate::support::{SimHost, profile};
use crate::{first, setup, until, with};

fn lay_memory(host: &SimHost) {
    let text = "MemTotal: 127600748 kB\nMemAvailable: 100000000 kB\n";
    fs::write(host.folder().join("proc/meminfo"), text).expect("written");
}

fn below(host: &SimHost) -> Vec<domain::wire::agent_v1::CardReport> {
    let sampler = with(agent::nvml::Setup { places: agent::host::Places::below(host.folder()), ..setup(host) });
    until(&sampler, "a first round", |_| true).snapshot.cards.clone()
}

#[test]
fn a_chip_that_shares_the_machines_memory_shows_the_machines_and_says_so() {
    let host = SimHost::new("gb10");
    lay_memory(&host);
    let cards = below(&host);
    assert_eq!(cards[0].facts.memory_total_mib, Reading::Value(124_610));
    assert_eq!(cards[0].sample.memory_used_mib, Reading::Value(26_953));
    assert!(cards[0].detail.memory_is_unified);
    assert_eq!(cards[0].facts.pci_bus_id.as_deref(), Some("000f:01:00.0"));
    assert_eq!(cards[0].detail.pcie_generation, Reading::missing(Missing::NotSupported));
    assert_eq!(cards[0].health, CardHealth::Ok);
}

#[test]
fn no_other_card_is_ever_given_the_machines_memory() {
    for code in [3, 999] {
        let host = SimHost::new("rig-3090");
        lay_memory(&host);
        host.control(&format!("[[fault]]\ncall = \"nvmlDeviceGetMemoryInfo*\"\ncode = {code}\n"));
        let cards = below(&host);
        assert_eq!(cards[0].facts.memory_total_mib.value(), None);
        assert!(!cards[0].detail.memory_is_unified);
    }
    let host = SimHost::new("gb10");
    lay_memory(&host);
    host.control("[[fault]]\ncall = \"nvmlDeviceGetMemoryInfo*\"\ncode = 999\n");
    assert_eq!(below(&host)[0].facts.memory_total_mib, Reading::missing(Missing::Unknown), "an error is no no");
}

#[test]
fn a_chip_of_which_nothing_is_known_is_a_card_without_values() {
    let host = SimHost::new("jetson-orin");
    lay_memory(&host);
    let cards = below(&host);
    assert_eq!(cards.len(), 1);
    assert_eq!(cards[0].facts.name, "Orin (nvgpu)");
    assert_eq!(cards[0].sample.utilisation_percent, Reading::missing(Missing::NotSupported));
    assert_eq!(cards[0].sample.power_milliwatts, Reading::missing(Missing::NotSupported));
    assert_eq!(cards[0].processes, None, "who is on it is not known, which is not nobody");
    assert_eq!(cards[0].facts.minor, None);
    assert_eq!(cards[0].health, CardHealth::Ok);
    assert!(cards[0].detail.memory_is_unified);
}

#[test]
fn a_chip_that_answers_with_zeros_has_said_nothing() {
    let text = profile("jetson-orin");
    let (head, tail) = text.split_once("except = [").expect("a list");
    let talkative = format!(
        "{head}except = [\n\"nvmlDeviceGetTemperature\", \"nvmlDeviceGetPowerUsage\", \"nvmlDeviceGetUtilizationRates\", \
         \"nvmlDeviceGetClockInfo\", \"nvmlDeviceGetComputeRunningProcesses*\", \n{tail}"
    );
    let host = SimHost::with_profile(&talkative);
    host.control(
        "[[set]]\ncelsius = 0\nmilliwatts = 0\ngpu_percent = 0\nsm_mhz = 0\n[[process]]\ncard = 0\npid = 0\nmemory_mib = 1\n",
    );
    let cards = below(&host);
    let sample = &cards[0].sample;
    for field in [sample.utilisation_percent, sample.temperature_celsius, sample.power_milliwatts, sample.sm_clock_mhz]
    {
        assert_eq!(field, Reading::missing(Missing::NotSupported));
    }
    assert_eq!(cards[0].processes, None);
}

#[test]
fn a_chip_without_a_uuid_is_known_by_its_machine() {
    let text = profile("jetson-orin").replace("    \"nvmlDeviceGetUUID\",\n", "");
    let host = SimHost::with_profile(&text);
    fs::create_dir_all(host.folder().join("etc")).expect("folder");
    let uuid = |machine: &str| {
        fs::write(host.folder().join("etc/machine-id"), machine).expect("written");
        below(&host)[0].facts.uuid.clone()
    };
    let first = uuid("0123456789abcdef0123456789abcdef\n");
    assert_eq!(first, uuid("0123456789abcdef0123456789abcdef\n"));
    assert_ne!(first, uuid("ffffffffffffffffffffffffffffffff\n"));
    assert_eq!(first.as_str().len(), "GPU-3a23c669-1f69-c64e-cf85-44e9b07e7a2a".len());
}

#[test]
fn what_windows_keeps_to_itself_is_not_shown_as_nothing() {
    let cards = first(&SimHost::new("wsl2"));
    assert_eq!(cards[0].sample.utilisation_percent, Reading::missing(Missing::NotSupported));
    assert_eq!(cards[0].facts.minor, None);
    assert_eq!(cards[0].facts.memory_total_mib, Reading::Value(10_240));
    assert!(cards[0].detail.memory_used_has_reserved);
    assert_eq!(cards[0].health, CardHealth::Ok);
    assert_eq!(cards[0].sample.power_limit_milliwatts, Reading::Value(320_000));
}

#[test]
fn a_laptop_without_fan_and_limit_has_everything_else() {
    let cards = first(&SimHost::new("laptop"));
    assert_eq!(cards[0].sample.fan_percent, Reading::missing(Missing::NotSupported));
    assert_eq!(cards[0].sample.power_limit_milliwatts, Reading::missing(Missing::NotSupported));
    assert!(
        cards[0].sample.power_milliwatts.value().is_some() && cards[0].sample.temperature_celsius.value().is_some()
    );
    assert_eq!(cards[0].health, CardHealth::Ok);
}

#[test]
fn old_libraries_tell_memory_and_processes_in_their_own_form() {
    for (name, cards) in [("old-450", 2), ("old-470", 2)] {
        let host = SimHost::new(name);
        host.control(
            "[[process]]\ncard = 0\npid = 1\nmemory_mib = 900\n[[process]]\ncard = 0\npid = 2\nkind = \"graphics\"\n",
        );
        let read = first(&host);
        assert_eq!(read.len(), cards, "{name}");
        assert!(read[0].detail.memory_used_has_reserved, "{name}");
        assert_eq!(read[0].detail.memory_reserved_mib, Reading::missing(Missing::NotSupported), "{name}");
        let list = read[0].processes.as_ref().expect("a list");
        assert_eq!(
            (list[0].pid, list[0].kind, list[0].memory_mib),
            (1, ProcessKind::Compute, Reading::Value(900)),
            "{name}"
        );
        assert_eq!((list[1].pid, list[1].kind), (2, ProcessKind::Graphics), "{name}");
        assert_eq!(list[1].memory_mib, Reading::missing(Missing::Unknown), "{name}");
        assert_eq!(read[0].health, CardHealth::Ok, "{name}");
    }
}

#[test]
fn lists_that_a_driver_scrambles_are_unknown_and_those_of_the_next_one_are_read() {
    let host = SimHost::new("driver-535-54");
    host.control("[[process]]\ncard = 0\npid = 1\nmemory_mib = 10\n");
    let cards = first(&host);
    assert_eq!(cards.len(), 2);
    assert!(cards.iter().all(|card| card.processes.is_none() && card.health == CardHealth::Ok));
    let fixed = profile("driver-535-54").replace("535.54.03", "535.98").replace("process_record = 40\n", "");
    let host = SimHost::with_profile(&fixed);
    host.control("[[process]]\ncard = 0\npid = 1\nmemory_mib = 10\n");
    assert_eq!(first(&host)[0].processes.as_ref().map(Vec::len), Some(1));
}

#[test]
fn every_profile_is_read_without_a_failing_card() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("nvml-sim/profiles");
    let names: Vec<String> = fs::read_dir(folder)
        .expect("profiles")
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
        .collect();
    assert!(names.len() >= 16);
    for name in names {
        let host = SimHost::new(&name);
        host.control("freeze = 1796000000.0");
        lay_memory(&host);
        let places = agent::host::Places::below(host.folder());
        let start = || with(agent::nvml::Setup { places: places.clone(), ..setup(&host) });
        let sampler = start();
        let told = until(&sampler, &name, |snapshot| !snapshot.cards.is_empty()).snapshot;
        assert_eq!(told.nvml, NvmlState::Ok, "{name}");
        assert!(told.cards.iter().all(|card| card.health == CardHealth::Ok), "{name}: {told:#?}");
        let inventory = told.inventory.as_ref().expect("an inventory");
        let uuids = |part: bool| told.cards.iter().filter(move |card| part || card.facts.part.is_none());
        assert!(inventory.cards.iter().map(|card| &card.uuid).eq(uuids(true).map(|card| &card.facts.uuid)), "{name}");
        let linked = inventory.topology.cards.iter().map(|card| &card.uuid);
        assert!(linked.eq(uuids(false).map(|card| &card.facts.uuid)), "{name}");
        // The same host is read the same again.
        let again = until(&start(), &name, |snapshot| !snapshot.cards.is_empty()).snapshot;
        assert_eq!(again.cards, told.cards, "{name}");
        assert_eq!(again.inventory, told.inventory, "{name}");
    }
}
