//! Letting go of NVML, so that cards can be reset.

use std::fs;
use std::time::{Duration, Instant};

use domain::wire::agent_v1::NvmlState;

use crate::support::SimHost;
use crate::{PATIENCE, rounds_after, setup, start, until, with};

/// How many hold the simulated driver open.
fn holders(host: &SimHost) -> Option<u32> {
    fs::read_to_string(host.folder().join("holders")).ok()?.trim().parse().ok()
}

#[test]
fn nothing_holds_the_driver_during_a_pause_and_it_ends_by_itself() {
    let host = SimHost::new("rig-3090");
    host.control("ledger = true");
    let sampler = start(&host);
    let before = until(&sampler, "cards", |snapshot| snapshot.cards.len() == 4);
    assert_eq!(holders(&host), Some(1));
    let until_then = sampler.pause(Duration::from_secs(2));
    assert!(sampler.wait_released(PATIENCE));
    assert_eq!(holders(&host), Some(0), "not even the thread that waits for events");
    let paused = sampler.wait_after(sampler.latest().round, PATIENCE);
    assert_eq!(paused.snapshot.nvml, NvmlState::Paused { until: until_then });
    assert!(paused.snapshot.cards.is_empty());
    assert_eq!(paused.snapshot.inventory_id, before.snapshot.inventory_id);
    let again = until(&sampler, "cards again", |snapshot| snapshot.cards.len() == 4);
    assert!(again.sampled_at >= until_then);
    assert_eq!(holders(&host), Some(1));
}

#[test]
fn a_pause_can_be_ended_and_made_longer() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 4);
    sampler.pause(Duration::from_millis(1));
    let longer = sampler.pause(Duration::from_secs(3600));
    assert!(sampler.wait_released(PATIENCE));
    let paused = rounds_after(&sampler, sampler.latest().round, 5);
    assert_eq!(paused.snapshot.nvml, NvmlState::Paused { until: longer });
    sampler.resume();
    until(&sampler, "cards again", |snapshot| snapshot.cards.len() == 4);
    sampler.resume();
    assert!(!sampler.wait_released(Duration::ZERO), "there is no pause");
}

#[test]
fn what_was_cut_anew_during_a_pause_is_found_after_it() {
    let host = SimHost::new("a100-mig");
    let sampler = start(&host);
    until(&sampler, "all", |snapshot| snapshot.cards.len() == 11);
    sampler.pause(Duration::from_secs(3600));
    assert!(sampler.wait_released(PATIENCE));
    host.control("reload = 3\n[[mig]]\ncard = 1\non = false\n");
    sampler.resume();
    until(&sampler, "seven", |snapshot| snapshot.cards.len() == 7);
}

#[test]
fn a_call_that_hangs_keeps_the_driver_and_the_agent_says_so() {
    let host = SimHost::new("ws-mixed");
    let sampler = with(agent::nvml::Setup { stalled_after: Duration::from_millis(200), ..setup(&host) });
    until(&sampler, "cards", |snapshot| snapshot.cards.len() == 3);
    host.control("[[fault]]\ncall = \"nvmlDeviceGetTemperature\"\nhang = true\n");
    until(&sampler, "stalled", |snapshot| matches!(snapshot.nvml, NvmlState::Stalled { .. }));
    sampler.pause(Duration::from_secs(3600));
    assert!(!sampler.wait_released(Duration::from_millis(300)));
    host.control("");
    assert!(sampler.wait_released(PATIENCE));
}

#[test]
fn the_interval_can_be_changed_while_it_runs() {
    let host = SimHost::new("ws-mixed");
    let sampler = with(agent::nvml::Setup { interval: Duration::from_secs(3600), ..setup(&host) });
    let one = until(&sampler, "a first round", |snapshot| snapshot.cards.len() == 3);
    sampler.set_interval(Duration::from_millis(50));
    let asked = Instant::now();
    assert!(sampler.wait_after(one.round + 2, PATIENCE).round > one.round + 2);
    assert!(asked.elapsed() < Duration::from_secs(3600));
}
