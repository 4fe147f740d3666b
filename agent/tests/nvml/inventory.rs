//! What a host, its cards and their links are.

use std::fs;
use std::sync::Arc;

use domain::card::CardHealth;
use domain::inventory::{CardTraits, ComputeMode, Inventory, Platform};
use domain::reading::{Missing, Reading};
use domain::topology::{Ancestor, NvLink, Remote};

use crate::support::{SimHost, profile};
use crate::{setup, start, until, with};

fn inventory(host: &SimHost) -> Arc<Inventory> {
    let known = until(&start(host), "an inventory", |snapshot| snapshot.inventory.is_some()).snapshot;
    Arc::clone(known.inventory.as_ref().expect("an inventory"))
}

fn switches(lanes: &[NvLink]) -> usize {
    lanes.iter().filter(|lane| lane.active && matches!(lane.remote, Remote::Switch { .. })).count()
}

#[test]
fn a_data_centre_card_tells_nearly_everything() {
    let host = SimHost::new("dgx-h100");
    let inventory = inventory(&host);
    assert_eq!(inventory.machine.driver_version.as_deref(), Some("570.133.20"));
    assert_eq!(inventory.machine.cuda_version.as_deref(), Some("12.8"));
    assert!(inventory.machine.nvml_version.is_some());
    assert!(inventory.machine.sees_processes);
    assert_eq!(inventory.cards.len(), 8);
    let CardTraits { brand, architecture, compute_capability, cores, serial, vbios, .. } = &inventory.cards[0].traits;
    assert!(brand.value().is_some());
    assert_eq!(architecture, &Reading::Value("Hopper".to_owned()));
    assert_eq!(compute_capability, &Reading::Value((9, 0)));
    assert!(cores.get().is_some_and(|cores| cores > 1000));
    assert!(serial.value().is_some() && vbios.value().is_some());
    let traits = &inventory.cards[0].traits;
    assert_eq!(traits.default_power_limit_milliwatts, Reading::Value(700_000));
    assert!(traits.power_limit_range_milliwatts.get().is_some_and(|(low, high)| low < high));
    assert!(traits.slowdown_celsius.get() < traits.shutdown_celsius.get());
    assert_eq!(traits.max_sm_clock_mhz, Reading::Value(1980));
    assert_eq!((traits.max_pcie_generation, traits.max_pcie_width), (Reading::Value(5), Reading::Value(16)));
    assert_eq!(traits.ecc_enabled, Reading::Value(true));
    assert_eq!(traits.compute_mode, Reading::Value(ComputeMode::Default));
    assert_eq!(traits.mig_enabled, Reading::Value(false));
    assert_eq!(traits.virtualisation, Reading::Value("none".to_owned()));
}

#[test]
fn what_an_administrator_changes_is_seen_and_gets_another_name() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    let before = until(&sampler, "an inventory", |snapshot| snapshot.inventory.is_some()).snapshot;
    host.control("[[set]]\ncard = 1\ncompute_mode = 3\npersistence = false\n");
    let mode = |snapshot: &agent::nvml::Snapshot| {
        snapshot.inventory.as_ref().map(|inventory| inventory.cards[1].traits.compute_mode)
    };
    let after =
        until(&sampler, "the mode", |snapshot| mode(snapshot) == Some(Reading::Value(ComputeMode::ExclusiveProcess)));
    assert_ne!(before.inventory_id, after.snapshot.inventory_id);
    host.control("");
    let again = until(&sampler, "as before", |snapshot| snapshot.inventory_id == before.inventory_id);
    assert_eq!(again.snapshot.inventory, before.inventory);
}

#[test]
fn what_could_not_be_read_once_is_kept_and_the_inventory_outlives_the_driver() {
    let host = SimHost::new("rig-3090");
    let sampler = start(&host);
    let before = until(&sampler, "an inventory", |snapshot| snapshot.inventory.is_some()).snapshot;
    host.control("lost = [1]");
    let round = until(&sampler, "lost", |snapshot| snapshot.cards[1].health == CardHealth::Lost).round;
    // So many rounds that it was read again.
    let lost = sampler.wait_after(round, crate::PATIENCE);
    let lost = crate::rounds_after(&sampler, lost.round, 35);
    assert_eq!(lost.snapshot.inventory_id, before.inventory_id);
    host.control("init = 9\nreload = 1\n");
    let down = until(&sampler, "no driver", |snapshot| snapshot.cards.is_empty()).snapshot;
    assert_eq!(down.inventory_id, before.inventory_id);
    assert_eq!(down.inventory, before.inventory);
}

#[test]
fn bridges_join_cards_that_are_no_neighbours() {
    let inventory = inventory(&SimHost::new("rig-3090"));
    let topology = &inventory.topology;
    for (one, other) in [(0, 2), (2, 0), (1, 3), (3, 1)] {
        let lanes = &topology.cards[one].nvlinks;
        assert_eq!(lanes.len(), 4);
        let far = Remote::Card { uuid: topology.cards[other].uuid.clone() };
        assert!(lanes.iter().all(|lane| lane.active && lane.remote == far && lane.version == Reading::Value(5)));
    }
    assert_eq!(topology.pairs.len(), 6);
    for pair in &topology.pairs {
        let joined = pair.b - pair.a == 2;
        assert_eq!(pair.nvlink_p2p, Reading::Value(joined), "{pair:?}");
    }
    assert_eq!(topology.pairs[0].ancestor, Reading::Value(Ancestor::HostBridge));
    assert_eq!(topology.cards[0].cpu_affinity, Reading::Value("0-23".to_owned()));
    assert_eq!(topology.cards[0].numa_affinity, Reading::Value("0".to_owned()));
    assert_eq!(topology.cards[0].gpu_numa_id, Reading::missing(Missing::NotSupported));
}

#[test]
fn bridges_are_found_by_address_where_the_library_cannot_name_the_far_end() {
    let host = SimHost::without(&profile("rig-3090"), &["nvmlDeviceGetNvLinkRemoteDeviceType"]);
    let plain = inventory(&SimHost::with_profile(&profile("rig-3090")));
    assert_eq!(inventory(&host).topology, plain.topology);
    let host = SimHost::without(&profile("dgx-h100"), &["nvmlDeviceGetNvLinkRemoteDeviceType"]);
    assert!(inventory(&host).topology.cards.iter().all(|card| switches(&card.nvlinks) == 18));
}

#[test]
fn lanes_end_where_their_state_ends_whatever_they_claim_to_be_capable_of() {
    let inventory = inventory(&SimHost::new("dgx-h100"));
    for card in &inventory.topology.cards {
        assert_eq!(card.nvlinks.len(), 18);
        assert_eq!(switches(&card.nvlinks), 18);
        assert!(card.nvlinks.iter().all(|lane| lane.version == Reading::Value(6)));
    }
    assert!(inventory.topology.pairs.iter().all(|pair| pair.nvlink_p2p == Reading::Value(true)));
}

#[test]
fn switches_that_a_virtual_machine_hides_are_switches() {
    let text = profile("dgx-a100");
    let hidden: String = text
        .lines()
        .map(|line| match line.strip_prefix("bus = ") {
            Some(bus) if bus.to_ascii_uppercase().contains(":C4:") => "bus = \"0FFFFFFF:FF:1F.0\"\n".to_owned(),
            _ => format!("{line}\n"),
        })
        .collect();
    for missing in [&[][..], &["nvmlDeviceGetNvLinkRemoteDeviceType"]] {
        let inventory = inventory(&SimHost::without(&hidden, missing));
        assert!(inventory.topology.cards.iter().all(|card| switches(&card.nvlinks) == 12));
    }
}

#[test]
fn a_card_that_is_hidden_from_us_is_taken_for_no_switch() {
    let host = SimHost::new("rig-3090");
    host.control("gone = [2]");
    let topology = inventory(&host).topology.clone();
    assert!(topology.cards[0].nvlinks.iter().all(|lane| lane.active && lane.remote == Remote::Unknown));
    let far = Remote::Card { uuid: topology.cards[2].uuid.clone() };
    assert!(topology.cards[1].nvlinks.iter().all(|lane| lane.remote == far));
}

#[test]
fn links_that_are_down_are_listed_as_such() {
    let host = SimHost::new("a100-mig");
    let cards = inventory(&host).topology.cards.clone();
    assert_eq!(cards[0].nvlinks.len(), 12);
    assert!(cards[0].nvlinks.iter().all(|lane| !lane.active && lane.remote == Remote::Unknown));
    let host = SimHost::new("rig-3090");
    host.control("[[set]]\ncard = 0\nlinks_down = [0, 3]\n");
    let active: Vec<bool> = inventory(&host).topology.cards[0].nvlinks.iter().map(|lane| lane.active).collect();
    assert_eq!(active, [false, true, true, false]);
}

#[test]
fn without_nvlink_there_are_no_lanes() {
    let inventory = inventory(&SimHost::new("pcie-8"));
    assert!(inventory.topology.cards.iter().all(|card| card.nvlinks.is_empty()));
    assert_eq!(inventory.topology.pairs.len(), 28);
    assert!(inventory.topology.pairs.iter().all(|pair| pair.nvlink_p2p != Reading::Value(true)));
}

#[test]
fn sixteen_cards_have_all_their_pairs() {
    let inventory = inventory(&SimHost::new("dgx-2"));
    assert_eq!(inventory.topology.pairs.len(), 120);
    assert!(inventory.topology.cards.iter().all(|card| switches(&card.nvlinks) == 6));
}

#[test]
fn numa_nodes_come_from_the_kernel_where_the_driver_does_not_tell() {
    let host = SimHost::new("a100-mesh");
    host.control("[[fault]]\ncall = \"nvmlDeviceGetMemoryAffinity\"\ncode = 3\n");
    let nodes: Vec<_> = inventory(&host).topology.cards.iter().map(|card| card.numa_affinity.clone()).collect();
    assert_eq!(nodes, ["3", "2", "1", "0"].map(|node| Reading::Value(node.to_owned())));
}

#[test]
fn a_host_that_hides_its_processes_is_told_and_nobody_is_mistaken() {
    let host = SimHost::new("rig-3090");
    host.control(&format!("[[process]]\ncard = 0\npid = {}\nmemory_mib = 9000\n", std::process::id()));
    let places = agent::host::Places { proc: host.folder().join("proc"), ..setup(&host).places };
    fs::create_dir_all(places.proc.join("self/ns")).expect("folder");
    std::os::unix::fs::symlink("pid:[4026532458]", places.proc.join("self/ns/pid")).expect("linked");
    let sampler = with(agent::nvml::Setup { places, pids_are_ours: false, ..setup(&host) });
    let told = until(&sampler, "a card", |snapshot| snapshot.cards.len() == 4).snapshot;
    assert!(!told.inventory.as_ref().expect("an inventory").machine.sees_processes);
    let process = &told.cards[0].processes.as_ref().expect("a list")[0];
    assert_eq!(process.state, domain::card::ProcessState::Unseen);
    assert_eq!((&process.os_user, &process.command, process.started_at), (&None, &None, None));
    assert_eq!(process.memory_mib, Reading::Value(9000));
}

#[test]
fn a_job_that_proc_hides_is_not_one_that_has_ended() {
    let host = SimHost::new("rig-3090");
    host.control("[[process]]\ncard = 0\npid = 4242\nmemory_mib = 9000\n");
    let proc = host.folder().join("proc");
    fs::create_dir_all(proc.join("self/ns")).expect("folder");
    std::os::unix::fs::symlink("pid:[4026531836]", proc.join("self/ns/pid")).expect("linked");
    fs::write(proc.join("self/mounts"), "proc /proc proc rw,relatime,hidepid=invisible 0 0\n").expect("written");
    fs::write(proc.join("self/status"), "Gid:\t990\t990\t990\t990\nGroups:\t44\nCapEff:\t0\n").expect("written");
    for pids_are_ours in [false, true] {
        let places = agent::host::Places { proc: proc.clone(), ..setup(&host).places };
        let sampler = with(agent::nvml::Setup { places, pids_are_ours, ..setup(&host) });
        // One that cannot be found counts as ended from the second round on.
        let round = until(&sampler, "a card", |snapshot| snapshot.cards.len() == 4).round;
        let told = crate::rounds_after(&sampler, round, 4).snapshot;
        assert!(!told.inventory.as_ref().expect("an inventory").machine.sees_processes);
        let process = &told.cards[0].processes.as_ref().expect("a list")[0];
        assert_eq!(process.state, domain::card::ProcessState::Unseen);
    }
}

#[test]
fn machines_are_told_apart() {
    let host = SimHost::new("wsl2");
    let kernel = host.folder().join("proc/sys/kernel");
    fs::create_dir_all(&kernel).expect("folder");
    fs::write(kernel.join("osrelease"), "5.15.167.4-microsoft-standard-WSL2\n").expect("written");
    let places = agent::host::Places::below(host.folder());
    let sampler = with(agent::nvml::Setup { places, ..setup(&host) });
    let told = until(&sampler, "a card", |snapshot| snapshot.cards.len() == 1).snapshot;
    assert_eq!(told.inventory.as_ref().expect("an inventory").machine.platform, Platform::Wsl);
}
