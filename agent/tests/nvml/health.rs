//! Whether cards can be worked with, and what they have been through.

use std::fs;

use agent::nvml::Snapshot;
use domain::card::{CardHealth, RemappedRows, Slowdown};
use domain::reading::{Missing, Reading};
use domain::strain;
use domain::wire::agent_v1::NvmlState;
use time::{Duration, OffsetDateTime};

use crate::support::{SimHost, profile};
use crate::{PATIENCE, first, rounds_after, setup, start, until, with};

#[test]
fn rows_that_wait_for_a_reset_or_cannot_be_repaired_are_told() {
    let host = SimHost::new("dgx-h100");
    let sampler = start(&host);
    let health = |at: usize, wanted: CardHealth| move |snapshot: &Snapshot| snapshot.cards[at].health == wanted;
    until(&sampler, "well", health(0, CardHealth::Ok));
    host.control("[[set]]\ncard = 0\nremapped_rows = [2, 1, 1, 0]\n[[set]]\ncard = 1\nremapped_rows = [0, 4, 0, 1]\n");
    let waiting = until(&sampler, "waits for a reset", health(0, CardHealth::RepairPending)).snapshot;
    let rows = RemappedRows { corrected: 2, uncorrected: 1, pending: true, failed: false };
    assert_eq!(waiting.cards[0].detail.remapped_rows, Reading::Value(rows));
    until(&sampler, "to be replaced", health(1, CardHealth::Defective));
    host.control("");
    until(&sampler, "well again", health(1, CardHealth::Ok));
}

#[test]
fn pages_that_wait_to_be_retired_are_told_on_older_cards() {
    let host = SimHost::new("dgx-2");
    let sampler = start(&host);
    host.control("[[set]]\ncard = 3\nretired_pages = 5\nretirement_pending = true\n");
    let pending = |snapshot: &Snapshot| snapshot.cards[3].health == CardHealth::RepairPending;
    let cards = &until(&sampler, "a retirement", pending).snapshot.cards;
    assert!(cards[3].detail.retired_pages.get().is_some_and(|pages| pages >= 5));
    assert_eq!(cards[3].detail.remapped_rows, Reading::missing(Missing::NotSupported));
    assert_eq!(cards[2].health, CardHealth::Ok);
}

#[test]
fn why_a_card_is_slow_and_what_its_memory_has_suffered() {
    let host = SimHost::new("dgx-h100");
    host.control(
        "[[set]]\ncard = 0\nslowed_by = 0x10000000044\necc_corrected = 7\necc_uncorrected = 1\nmemory_celsius = 96\n\
         pcie_width = 8\n",
    );
    let detail = first(&host)[0].detail.clone();
    let reasons = vec![Slowdown::PowerCap, Slowdown::HardwareThermal, Slowdown::Other];
    assert_eq!(detail.slowed_by, Reading::Value(reasons));
    assert_eq!((detail.ecc_corrected, detail.ecc_uncorrected), (Reading::Value(7), Reading::Value(1)));
    assert_eq!(detail.memory_temperature_celsius, Reading::Value(96));
    assert_eq!(detail.pcie_width, Reading::Value(8));
    assert!(detail.energy_millijoules.get().is_some_and(|energy| energy > 0));
    assert!(detail.performance_state.get().is_some() && detail.graphics_clock_mhz.get().is_some());
    assert!(detail.memory_reserved_mib.get().is_some() && detail.memory_free_mib.get().is_some());
    assert!(!detail.memory_is_unified && !detail.memory_used_has_reserved);
}

#[test]
fn heat_and_a_full_power_budget_are_told_since_when() {
    let host = SimHost::new("dgx-h100");
    host.control("[[set]]\ncard = 0\ncelsius = 85\nmilliwatts = 679000\nlimit_milliwatts = 700000\n");
    let sampler = start(&host);
    let one = until(&sampler, "a hot card", |snapshot| snapshot.cards[0].detail.hot_since.is_some());
    let since = one.snapshot.cards[0].detail.hot_since;
    assert_eq!(since, Some(one.sampled_at));
    let later = rounds_after(&sampler, one.round, 3);
    let detail = &later.snapshot.cards[0].detail;
    assert_eq!((detail.hot_since, detail.power_capped_since), (since, since), "without a break");
    assert!(!strain::is_worth_a_warning(since, later.sampled_at));
    assert!(strain::is_worth_a_warning(since, later.sampled_at + Duration::MINUTE));
    assert_eq!(later.snapshot.cards[1].detail.hot_since, None);
    host.control("[[set]]\ncard = 0\ncelsius = 84\nmilliwatts = 678000\nlimit_milliwatts = 700000\n");
    let cool = |snapshot: &Snapshot| {
        let detail = &snapshot.cards[0].detail;
        detail.hot_since.is_none() && detail.power_capped_since.is_none()
    };
    until(&sampler, "cool", cool);
}

#[test]
fn the_last_xid_of_a_card_is_kept_also_over_a_driver_that_is_loaded_anew() {
    let host = SimHost::new("rig-3090");
    let began = OffsetDateTime::now_utc();
    let sampler = start(&host);
    let hear = |number: u64, card: usize, more: &str| {
        let heard = move |snapshot: &Snapshot| {
            snapshot.cards.get(card).and_then(|card| card.detail.last_xid).is_some_and(|xid| xid.code == number)
        };
        let deadline = std::time::Instant::now() + PATIENCE;
        // What happens before the cards are registered is no news, so it happens until it is heard.
        loop {
            host.control(&format!("{more}[[xid]]\ncard = {card}\nnumber = {number}\n"));
            let latest = rounds_after(&sampler, sampler.latest().round, 5);
            if heard(&latest.snapshot) {
                return latest.snapshot;
            }
            assert!(std::time::Instant::now() < deadline, "{number}: {latest:#?}");
            host.control(more);
            let _ = rounds_after(&sampler, latest.round, 2);
        }
    };
    let told = hear(79, 1, "");
    assert!(told.cards[1].detail.last_xid.is_some_and(|xid| xid.at >= began));
    assert_eq!(told.cards[0].detail.last_xid, None);
    // Handles and registrations of before are void now.
    let told = hear(48, 2, "reload = 7\n");
    assert_eq!(told.cards[1].detail.last_xid.map(|xid| xid.code), Some(79), "as long as the agent lives");
    // A card that is lost says so last.
    host.control("reload = 7\nlost = [1]\n");
    let lost = until(&sampler, "lost", |snapshot| snapshot.cards[1].health == CardHealth::Lost).snapshot;
    assert_eq!(lost.cards[1].detail.last_xid.map(|xid| xid.code), Some(79));
}

#[test]
fn a_driver_without_events_is_left_in_peace() {
    let without = ["nvmlEventSetFree", "nvmlEventSetWait_v2"];
    let host = SimHost::without(&profile("rig-3090"), &without);
    let sampler = start(&host);
    let one = until(&sampler, "cards", |snapshot| snapshot.cards.len() == 4);
    assert_eq!(rounds_after(&sampler, one.round, 5).snapshot.nvml, NvmlState::Ok);
}

#[test]
fn a_card_that_sleeps_is_never_woken() {
    let host = SimHost::new("laptop");
    let sampler = start(&host);
    let awake = until(&sampler, "awake", |snapshot| snapshot.cards.len() == 1).snapshot;
    assert_eq!(awake.cards[0].health, CardHealth::Ok);
    let status = host.folder().join("sys/bus/pci/devices/0000:01:00.0/power/runtime_status");
    fs::write(&status, "suspended\n").expect("written");
    let asleep = until(&sampler, "asleep", |snapshot| snapshot.cards[0].health == CardHealth::Asleep);
    // From now on, any call would wait for ever.
    host.control("[[fault]]\ncall = \"nvmlDevice*\"\nhang = true\n[[fault]]\ncall = \"nvmlSystem*\"\nhang = true\n");
    let later = rounds_after(&sampler, asleep.round, 10).snapshot;
    assert_eq!(later.nvml, NvmlState::Ok);
    assert_eq!(later.cards[0].health, CardHealth::Asleep);
    assert_eq!(later.cards[0].facts, awake.cards[0].facts);
    assert_eq!(later.inventory, awake.inventory);
    host.control("");
    fs::write(&status, "active\n").expect("written");
    until(&sampler, "awake again", |snapshot| snapshot.cards[0].health == CardHealth::Ok);
}

#[test]
fn a_card_that_sleeps_when_the_agent_starts_is_known_from_the_drivers_files() {
    let host = SimHost::new("laptop");
    let awake = first(&host);
    let power = host.folder().join("sys/bus/pci/devices/0000:01:00.0/power/runtime_status");
    fs::write(power, "suspended\n").expect("written");
    let folder = host.folder().join("proc/driver/nvidia/gpus/0000:01:00.0");
    fs::create_dir_all(&folder).expect("folder");
    let facts = &awake[0].facts;
    let information = format!("Model: \t {}\nGPU UUID: \t {}\nDevice Minor: \t 0\n", facts.name, facts.uuid);
    fs::write(folder.join("information"), information).expect("written");
    // Not even the library is opened.
    host.control("init = 999");
    let sampler = with(setup(&host));
    let asleep = until(&sampler, "asleep", |snapshot| snapshot.cards.len() == 1).snapshot;
    assert_eq!((asleep.nvml.clone(), asleep.cards[0].health), (NvmlState::Ok, CardHealth::Asleep));
    assert_eq!(asleep.cards[0].facts.uuid, facts.uuid);
}
