//! What the cards are and do.

use domain::card::CardHealth;
use domain::reading::{Missing, Reading};
use domain::wire::agent_v1::NvmlState;

use crate::support::{SimHost, profile};
use crate::{first, start, until};

#[test]
fn a_healthy_host_in_full() {
    let host = SimHost::new("dgx-h100");
    let snapshot = until(&start(&host), "a first round", |_| true).snapshot;
    assert_eq!(snapshot.nvml, NvmlState::Ok);
    assert_eq!(snapshot.driver_version.as_deref(), Some("570.133.20"));
    assert_eq!(snapshot.cuda_version.as_deref(), Some("12.8"));
    assert_eq!(snapshot.cards.len(), 8);
    for (index, card) in snapshot.cards.iter().enumerate() {
        assert_eq!(card.facts.index as usize, index);
        assert_eq!(card.facts.name, "NVIDIA H100 80GB HBM3");
        assert_eq!(card.facts.memory_total_mib, Reading::Value(81559));
        assert_eq!(card.health, CardHealth::Ok);
        assert_eq!(card.processes, Some(Vec::new()));
        assert_eq!(card.sample.utilisation_percent, Reading::Value(0));
        assert_eq!(card.sample.power_limit_milliwatts, Reading::Value(700_000));
        assert_eq!(card.sample.fan_percent, Reading::missing(Missing::NotSupported));
        assert!(card.sample.power_milliwatts.get().is_some_and(|power| power > 0));
        assert!(card.sample.memory_used_mib.get().is_some_and(|used| used < 100));
    }
    assert_eq!(snapshot.cards[0].facts.pci_bus_id.as_deref(), Some("0000:1b:00.0"));
}

#[test]
fn numbers_of_device_files_are_not_indices_and_may_be_unknown() {
    let cards = first(&SimHost::new("ws-mixed"));
    assert_eq!(cards.iter().map(|card| card.facts.minor).collect::<Vec<_>>(), [Some(2), Some(0), Some(1)]);
    let silent = profile("ws-mixed").replace("minor = 2\n", "");
    assert_eq!(first(&SimHost::with_profile(&silent))[0].facts.minor, None);
}

#[test]
fn one_field_that_fails_costs_that_field_only() {
    let host = SimHost::new("rig-3090");
    for (code, why) in [(3, Missing::NotSupported), (4, Missing::NoPermission), (27, Missing::Unknown)] {
        host.control(&format!("[[fault]]\ncall = \"nvmlDeviceGetPowerUsage\"\ncard = 2\ncode = {code}\n"));
        let cards = first(&host);
        assert_eq!(cards.len(), 4);
        assert_eq!(cards[2].sample.power_milliwatts, Reading::missing(why));
        assert!(cards[2].sample.temperature_celsius.value().is_some());
        assert_eq!(cards[2].health, CardHealth::Ok);
        assert!(cards[1].sample.power_milliwatts.value().is_some());
    }
}

#[test]
fn a_name_that_is_not_text_does_not_hide_a_card() {
    let host = SimHost::new("rig-3090");
    host.control("garbled_names = [0]");
    let cards = first(&host);
    assert_eq!(cards[0].facts.name, "NVIDIA GPU (unreadable name)");
    assert_eq!(cards[1].facts.name, "NVIDIA GeForce RTX 3090");
}

#[test]
fn memory_by_the_old_call_where_the_new_one_fails() {
    let host = SimHost::new("rig-3090");
    host.control("[[fault]]\ncall = \"nvmlDeviceGetMemoryInfo_v2\"\ncode = 999\n");
    let cards = first(&host);
    assert_eq!(cards[0].facts.memory_total_mib, Reading::Value(24576));
    // The old call counts what the driver keeps for itself.
    assert!(cards[0].sample.memory_used_mib.get().is_some_and(|used| (312..400).contains(&used)));
    host.control(
        "[[fault]]\ncall = \"nvmlDeviceGetMemoryInfo_v2\"\ncode = 3\n\
         [[fault]]\ncall = \"nvmlDeviceGetMemoryInfo\"\ncode = 3\n",
    );
    assert_eq!(first(&host)[0].facts.memory_total_mib, Reading::missing(Missing::NotSupported));
}

#[test]
fn a_library_without_the_new_calls_still_gives_memory() {
    let host = SimHost::without(
        &profile("rig-3090"),
        &[
            "nvmlDeviceGetMemoryInfo_v2",
            "nvmlDeviceGetComputeRunningProcesses_v3",
            "nvmlDeviceGetComputeRunningProcesses_v2",
            "nvmlDeviceGetComputeRunningProcesses",
        ],
    );
    let cards = first(&host);
    assert_eq!(cards[0].facts.memory_total_mib, Reading::Value(24576));
    assert_eq!(cards[0].processes, None, "an unknown list is not an empty one");
    assert_eq!(cards[0].health, CardHealth::Ok);
}

#[test]
fn a_library_that_cannot_be_shut_down_is_no_reason_to_die() {
    let host = SimHost::without(&profile("rig-3090"), &["nvmlShutdown"]);
    let sampler = start(&host);
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 4);
    host.control("gone = [3]");
    until(&sampler, "opened again", |snapshot| snapshot.cards.len() == 3);
}
