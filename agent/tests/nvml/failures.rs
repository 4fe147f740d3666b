//! Cards that fail, a library that fails, and calls that never return.

use std::time::{Duration, Instant};

use agent::nvml::{Sampler, Setup};
use domain::card::CardHealth;
use domain::reading::{Missing, Reading};
use domain::wire::agent_v1::NvmlState;

use crate::support::{SimHost, profile};
use crate::{INTERVAL, PATIENCE, setup, start, until};

#[test]
fn a_lost_card_keeps_its_name_and_the_others_their_values() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    let before = until(&sampler, "four cards", |snapshot| snapshot.cards.len() == 4).snapshot;
    host.control("lost = [1]");
    let lost = until(&sampler, "a lost card", |snapshot| snapshot.cards[1].health == CardHealth::Lost).snapshot;
    assert_eq!(lost.nvml, NvmlState::Ok);
    assert_eq!(lost.cards[1].facts, before.cards[1].facts);
    assert_eq!(lost.cards[1].sample.temperature_celsius, Reading::missing(Missing::Lost));
    assert_eq!(lost.cards[1].processes, None);
    for index in [0, 2, 3] {
        assert_eq!(lost.cards[index].health, CardHealth::Ok);
        assert!(lost.cards[index].sample.power_milliwatts.value().is_some());
    }
    host.control("");
    until(&sampler, "the card is back", |snapshot| snapshot.cards[1].health == CardHealth::Ok);
}

#[test]
fn a_card_that_wants_a_reset_says_so() {
    let host = SimHost::new("rig-3090");
    host.control("reset_needed = [2]");
    let cards = until(&start(&host), "a first round", |_| true).snapshot.cards.clone();
    assert_eq!(cards[2].health, CardHealth::ResetNeeded);
    assert_eq!(cards[2].sample.power_milliwatts, Reading::missing(Missing::ResetNeeded));
    assert_eq!(cards[3].health, CardHealth::Ok);
}

#[test]
fn a_card_whose_handle_gives_a_nameless_error_is_failing() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    until(&sampler, "four cards", |snapshot| snapshot.cards.len() == 4);
    for code in [999, 29, 1234] {
        host.control(&format!("[[fault]]\ncall = \"nvmlDeviceGetHandleByIndex_v2\"\ncard = 3\ncode = {code}\n"));
        let failing = |snapshot: &agent::nvml::Snapshot| snapshot.cards[3].health == CardHealth::Failing;
        let snapshot = until(&sampler, "a failing card", failing).snapshot;
        assert_eq!(snapshot.cards.len(), 4);
        host.control("");
        until(&sampler, "all well", |snapshot| snapshot.cards[3].health == CardHealth::Ok);
    }
}

#[test]
fn a_card_without_any_identity_is_left_out_and_the_rest_stays() {
    let host = SimHost::new("rig-3090");
    host.control("lost = [0]");
    let snapshot = until(&start(&host), "a first round", |_| true).snapshot;
    assert_eq!(snapshot.cards.iter().map(|card| card.facts.index).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn cards_that_vanish_move_the_others_up_without_a_mix_up() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    let before = until(&sampler, "four cards", |snapshot| snapshot.cards.len() == 4).snapshot;
    host.control("gone = [0]");
    let after = until(&sampler, "three cards", |snapshot| snapshot.cards.len() == 3).snapshot;
    for (index, card) in after.cards.iter().enumerate() {
        assert_eq!(card.facts.uuid, before.cards[index + 1].facts.uuid);
        assert_eq!(card.facts.minor, before.cards[index + 1].facts.minor);
        assert_eq!(card.facts.index as usize, index);
    }
}

#[test]
fn all_cards_lost_is_survived() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    until(&sampler, "four cards", |snapshot| snapshot.cards.len() == 4);
    host.control("lost = [0, 1, 2, 3]");
    let all = |health: CardHealth| {
        move |snapshot: &agent::nvml::Snapshot| {
            snapshot.cards.len() == 4 && snapshot.cards.iter().all(|card| card.health == health)
        }
    };
    until(&sampler, "all lost", all(CardHealth::Lost));
    host.control("");
    until(&sampler, "all back", all(CardHealth::Ok));
}

#[test]
fn no_library_is_a_state_and_it_may_appear_later() {
    let host = SimHost::new("ws-mixed");
    let elsewhere = host.library().with_file_name("later.so");
    let sampler = Sampler::with(Setup { library: Some(elsewhere.clone()), ..setup(&host) }).expect("a thread");
    let none = until(&sampler, "no library", |snapshot| matches!(snapshot.nvml, NvmlState::NoLibrary { .. })).snapshot;
    assert!(none.cards.is_empty());
    std::fs::copy(host.library(), elsewhere).expect("copy");
    until(&sampler, "cards", |snapshot| snapshot.nvml == NvmlState::Ok && snapshot.cards.len() == 3);
}

#[test]
fn failures_of_the_driver_have_names_and_end() {
    let host = SimHost::new("ws-mixed");
    for (code, state) in [
        (9, NvmlState::DriverNotLoaded),
        (18, NvmlState::VersionMismatch { kernel: Some("580.126.20".to_owned()), library: None }),
        (17, NvmlState::Blocked),
        (999, NvmlState::Failed),
    ] {
        host.control(&format!("init = {code}"));
        let sampler = start(&host);
        let snapshot = until(&sampler, "a first round", |_| true).snapshot;
        assert_eq!(snapshot.nvml, state);
        assert!(snapshot.cards.is_empty());
        host.control("");
        until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
    }
}

#[test]
fn a_driver_that_goes_away_under_a_running_agent_is_opened_again() {
    let host = SimHost::new("ws-mixed");
    let sampler = start(&host);
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
    host.set_profile(&profile("ws-mixed").replace("580.126.20", "580.200.01"));
    host.control("[[fault]]\ncall = \"nvmlDeviceGetCount_v2\"\ncode = 1\n");
    until(&sampler, "the library has failed", |snapshot| snapshot.nvml == NvmlState::Failed);
    host.control("");
    let again = until(&sampler, "cards again", |snapshot| snapshot.cards.len() == 3).snapshot;
    assert_eq!(again.driver_version.as_deref(), Some("580.200.01"), "the library was opened again");
}

#[test]
fn a_call_that_hangs_is_told_and_old_values_are_kept() {
    let host = SimHost::new("ws-mixed");
    let sampler = Sampler::with(Setup { stalled_after: Duration::from_millis(300), ..setup(&host) }).expect("a thread");
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
    host.control("[[fault]]\ncall = \"nvmlDeviceGetTemperature\"\ncard = 1\nhang_ms = 3000\n");
    let stalled = until(&sampler, "stalled", |snapshot| matches!(snapshot.nvml, NvmlState::Stalled { .. }));
    assert_eq!(stalled.snapshot.cards.len(), 3);
    let NvmlState::Stalled { since } = stalled.snapshot.nvml else { unreachable!() };
    assert!(since >= stalled.sampled_at);
    // Asking must never wait for the call.
    let asked = Instant::now();
    for _ in 0..100 {
        let _ = sampler.latest();
    }
    assert!(asked.elapsed() < Duration::from_secs(2));
    host.control("");
    until(&sampler, "well again", |snapshot| snapshot.nvml == NvmlState::Ok);
}

#[test]
fn a_start_that_hangs_is_told_too() {
    let host = SimHost::new("ws-mixed");
    host.control("[[fault]]\ncall = \"nvmlInit_v2\"\nhang_ms = 1500\n");
    let sampler = Sampler::with(Setup { stalled_after: Duration::from_millis(200), ..setup(&host) }).expect("a thread");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let latest = sampler.wait_after(0, INTERVAL);
        if matches!(latest.snapshot.nvml, NvmlState::Stalled { .. }) {
            assert_eq!(latest.round, 0);
            break;
        }
        assert!(Instant::now() < deadline);
    }
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
}

#[test]
fn cards_in_another_order_are_the_same_cards() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    let uuids = |snapshot: &agent::nvml::Snapshot| -> Vec<_> {
        snapshot.cards.iter().map(|card| card.facts.uuid.clone()).collect()
    };
    let before = uuids(&until(&sampler, "four cards", |snapshot| snapshot.cards.len() == 4).snapshot);
    host.control("order = [3, 0, 1]");
    let wanted = [&before[3], &before[0], &before[1]];
    let after = until(&sampler, "another order", |snapshot| uuids(snapshot).iter().eq(wanted)).snapshot;
    assert_eq!(after.cards.iter().map(|card| card.facts.index).collect::<Vec<_>>(), [0, 1, 2]);
    let minors: Vec<_> = after.cards.iter().map(|card| card.facts.minor).collect();
    assert_eq!(minors, [Some(3), Some(0), Some(1)], "device files keep their numbers");
}

#[test]
fn a_driver_and_a_library_of_two_versions_are_both_named_and_tried_again() {
    let host = SimHost::new("ws-mixed");
    let library = host.folder().join("libnvidia-ml.so.585.10.01");
    std::fs::rename(host.library(), &library).expect("renamed");
    std::os::unix::fs::symlink(&library, host.library()).expect("linked");
    host.control("init = 18");
    let sampler = start(&host);
    let mismatch =
        NvmlState::VersionMismatch { kernel: Some("580.126.20".to_owned()), library: Some("585.10.01".to_owned()) };
    until(&sampler, "a mismatch", |snapshot| snapshot.nvml == mismatch);
    host.control("");
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
}

#[test]
fn an_unknown_error_at_the_start_is_tried_again_until_it_is_gone() {
    let host = SimHost::new("ws-mixed");
    host.control("init = 999");
    let sampler = start(&host);
    let one = until(&sampler, "a first round", |snapshot| snapshot.nvml == NvmlState::Failed);
    let later = crate::rounds_after(&sampler, one.round, 10);
    assert_eq!(later.snapshot.nvml, NvmlState::Failed);
    host.control("");
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
}

#[test]
fn a_container_that_has_lost_its_cards_says_so() {
    let host = SimHost::new("ws-mixed");
    std::fs::write(host.folder().join(".dockerenv"), "").expect("written");
    host.control("init = 999");
    let sampler = start(&host);
    until(&sampler, "lost", |snapshot| snapshot.nvml == NvmlState::LostInContainer);
    host.control("");
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
}

#[test]
fn a_driver_that_is_loaded_anew_is_opened_anew() {
    let host = SimHost::new("ws-mixed");
    let sampler = start(&host);
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
    for reload in 1..4 {
        host.set_profile(&profile("ws-mixed").replace("580.126.20", &format!("580.200.0{reload}")));
        host.control(&format!("reload = {reload}"));
        let version = format!("580.200.0{reload}");
        let new = |snapshot: &agent::nvml::Snapshot| snapshot.driver_version.as_ref() == Some(&version);
        let cards = until(&sampler, "the new driver", new).snapshot.cards.clone();
        assert!(cards.len() == 3 && cards.iter().all(|card| card.health == CardHealth::Ok));
    }
}

#[test]
fn no_call_that_fails_costs_a_card() {
    let host = SimHost::new("dgx-h100");
    let sampler = start(&host);
    until(&sampler, "eight cards", |snapshot| snapshot.cards.len() == 8);
    for call in [
        "nvmlDeviceGetName",
        "nvmlDeviceGetMinorNumber",
        "nvmlDeviceGetPciInfo*",
        "nvmlDeviceGetMemoryInfo*",
        "nvmlDeviceGetUtilizationRates",
        "nvmlDeviceGetTemperature*",
        "nvmlDeviceGetPower*",
        "nvmlDeviceGetClock*",
        "nvmlDeviceGetEnforcedPowerLimit",
        "nvmlDeviceGetFan*",
        "nvmlDeviceGetTotal*",
        "nvmlDeviceGetField*",
        "nvmlDeviceGetMigMode",
        "nvmlDeviceGetCurr*",
        "nvmlDeviceGetRetired*",
        "nvmlDeviceGetPerformanceState",
        "nvmlDeviceGetNvLink*",
        "nvmlDeviceGetTopology*",
        "nvmlDeviceGetP2P*",
        "nvmlDeviceGetCpuAffinity",
        "nvmlDeviceGetBrand",
        "nvmlDeviceGetArchitecture",
        "nvmlDeviceGetGraphics*",
        "nvmlDeviceGetMPS*",
    ] {
        for code in [3, 25] {
            host.control(&format!("[[fault]]\ncall = \"{call}\"\ncard = 5\ncode = {code}\n"));
            let latest = crate::rounds_after(&sampler, sampler.latest().round, 2);
            let card = &latest.snapshot.cards[5];
            assert_eq!((latest.snapshot.cards.len(), card.health), (8, CardHealth::Ok), "{call} {code}");
            assert_eq!(card.facts.name, "NVIDIA H100 80GB HBM3", "{call} {code}");
            assert!(card.processes.is_some(), "{call} {code}");
        }
    }
}

#[test]
fn a_card_that_claims_anothers_name_takes_nothing_from_it() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    let before = until(&sampler, "four cards", |snapshot| snapshot.cards.len() == 4).snapshot;
    let bytes = before.cards[0].facts.uuid.as_str().as_bytes();
    host.control(&format!("[[text]]\ncall = \"nvmlDeviceGetUUID\"\ncard = 1\nbytes = {bytes:?}\n"));
    let failing = |snapshot: &agent::nvml::Snapshot| snapshot.cards[1].health == CardHealth::Failing;
    let after = until(&sampler, "a doubtful card", failing).snapshot;
    assert_eq!(after.cards.len(), 4);
    assert_eq!(after.cards[0].health, CardHealth::Ok);
    assert_eq!(after.cards[1].facts, before.cards[1].facts);
}
