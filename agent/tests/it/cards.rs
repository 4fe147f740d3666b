//! The whole way, with the simulated NVML under the real reader: cards to the portal, bookings back, launch.

use std::path::{Path, PathBuf};

use domain::id::CardUuid;
use nvml_sim::lay_out::lay_out;

use crate::support::eventually;
use crate::support::host::Host;
use crate::support::portal::Portal;
use crate::support::scene::{ada, booked_for, jonas, table};

/// The simulation as cargo has built it beside this test.
pub fn library() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_berth")).parent().expect("folder");
    let places = [built.join("deps/libnvml_sim.so"), built.join("libnvml_sim.so")];
    places.into_iter().find(|place| place.exists()).expect("libnvml_sim.so has been built")
}

/// A host with four simulated cards.
fn rig(portal: &Portal) -> Host {
    simulated(Host::of(portal), "rig-3090")
}

/// The host with the cards of a profile.
pub fn simulated(mut host: Host, profile: &str) -> Host {
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("nvml-sim/profiles");
    let control = host.folder().join("control.toml");
    host.set("BERTH_NVML_LIBRARY", &library());
    host.set("BERTH_NVML_SIM_PROFILE", &profiles.join(format!("{profile}.toml")));
    host.set("BERTH_NVML_SIM_CONTROL", &control);
    host
}

fn reported(portal: &Portal) -> Vec<CardUuid> {
    let reports = portal.reports();
    let cards = reports.last().and_then(|report| report.body["cards"].as_array().cloned()).unwrap_or_default();
    cards.iter().map(|card| card["facts"]["uuid"].as_str().expect("uuid").parse().expect("valid")).collect()
}

#[test]
fn from_the_cards_to_a_launch_and_a_refusal() {
    let portal = Portal::fine(table(vec![]));
    let host = rig(&portal);
    let _agent = host.agent();
    eventually("four cards are reported", || reported(&portal).len() == 4);
    let cards = reported(&portal);
    portal.give(table(vec![
        booked_for(ada(), &[cards[0].clone(), cards[2].clone()], -10, 60),
        booked_for(jonas(), &cards[1..2], -10, 60),
    ]));

    let show = ["run", "--", "sh", "-c", "echo $CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES"];
    eventually("the booking has arrived", || host.run(&["run", "--", "true"]).code == Some(0));
    let said = host.run(&show);
    assert_eq!((said.code, said.stdout), (Some(0), format!("PCI_BUS_ID {},{}\n", cards[0], cards[2])));

    let said = host.run(&["run", "--cards", "1", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().starts_with("berth: not started. Card 1 on dgx-h100 is reserved by Jonas Weber until "));
    assert!(said.stderr.contains("Free now: card 3."), "{}", said.stderr);
    assert!(said.stderr.contains("This starts: berth run --cards 0,2 -- true"), "{}", said.stderr);
}

#[test]
fn a_lost_card_is_not_given_to_a_command() {
    let portal = Portal::fine(table(vec![]));
    let host = rig(&portal);
    let _agent = host.agent();
    eventually("four cards are reported", || reported(&portal).len() == 4);
    let cards = reported(&portal);
    portal.give(table(vec![booked_for(ada(), &cards[..2], -10, 60)]));
    eventually("the booking has arrived", || host.run(&["run", "--", "true"]).code == Some(0));
    std::fs::write(host.folder().join("control.toml"), "lost = [1]\n").expect("written");
    let show = ["run", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES"];
    eventually("the loss is noticed", || host.run(&show).stdout == format!("{}\n", cards[0]));
    assert!(host.run(&show).stderr.contains("no longer reports it: your card "));
    let said = host.run(&["run", "--cards", cards[1].as_str(), "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().contains("is yours now, but the host no longer reports it"), "{}", said.stderr);
}

#[test]
fn a_laptops_card_is_told_without_waking_it() {
    let mut host = Host::new();
    let folder = host.folder().to_path_buf();
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("nvml-sim/profiles/laptop.toml");
    let profile = std::fs::read_to_string(profile).expect("profile");
    lay_out(&folder, &profile, &std::fs::read(library()).expect("library")).expect("a simulated driver");
    host.set("BERTH_NVML_LIBRARY", &folder.join("libnvidia-ml.so.1"));
    host.set("BERTH_NVML_SIMULATED", &folder);
    let health = || {
        let document: serde_json::Value = serde_json::from_str(&host.run(&["status", "--json"]).stdout).expect("json");
        document["cards"][0]["health"].clone()
    };
    assert_eq!(health(), "ok");
    std::fs::write(folder.join("sys/bus/pci/devices/0000:01:00.0/power/runtime_status"), "suspended\n").expect("sleep");
    // Whoever asked NVML would learn nothing.
    std::fs::write(folder.join("control.toml"), "init = 9\n").expect("written");
    assert_eq!(health(), "asleep");
}
