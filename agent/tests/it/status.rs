//! `berth status`, `topo`, `agent pause` and `resume`, with the simulated NVML under the real reader.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use domain::id::CardUuid;
use serde_json::Value;

use crate::cards::simulated;
use crate::support::host::Host;
use crate::support::portal::Portal;
use crate::support::program::{Said, run};
use crate::support::scene::{ada, booked_for, jonas, me, table};
use crate::support::{eventually, holds_in_time};

fn json(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    serde_json::from_str(&said.stdout).expect("json")
}

fn uuids(host: &Host) -> Vec<CardUuid> {
    let cards = json(&host.run(&["status", "--json"]))["cards"].as_array().cloned().expect("cards");
    cards.iter().map(|card| card["facts"]["uuid"].as_str().expect("uuid").parse().expect("valid")).collect()
}

#[test]
fn the_agent_tells_what_the_cards_do_and_whose_they_are() {
    let portal = Portal::fine(table(vec![]));
    let host = simulated(Host::of(&portal), "rig-3090");
    let _agent = host.agent();
    eventually("four cards are read", || uuids(&host).len() == 4);
    let cards = uuids(&host);
    portal.give(table(vec![booked_for(ada(), &cards[..1], -10, 60), booked_for(jonas(), &cards[1..2], -10, 60)]));
    eventually("the bookings have arrived", || host.run(&["status"]).stdout.contains("Jonas Weber until "));
    let text = host.run(&["status"]).stdout;
    let first = text.lines().next().expect("a line");
    assert!(first.starts_with("dgx-h100  driver 595.58.03  CUDA 13.2  bookings "), "{text}");
    assert!(first.ends_with(&format!(" old  you are {}, Ada Lovelace", me())), "{text}");
    let rows: Vec<&str> = text.lines().skip(2).take(5).collect();
    assert!(rows[0].starts_with("#  card      temp  fan  util "), "{text}");
    assert!(rows[1].starts_with("0  RTX 3090  ") && rows[1].contains("  yours until "), "{text}");
    assert!(rows[2].contains("  Jonas Weber until ") && rows[3].contains("  free"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colour into a pipe");
    assert!(host.run(&["status", "--color", "always"]).stdout.contains("\u{1b}[1;36myours until "));

    let json = json(&host.run(&["status", "--json"]));
    assert_eq!((&json["version"], &json["agent"], &json["host_name"]), (&1.into(), &true.into(), &"dgx-h100".into()));
    assert_eq!(json["cards"][3]["facts"]["name"], "NVIDIA GeForce RTX 3090");
    assert!(json["cards"][0]["sample"]["power_milliwatts"].is_u64(), "{json}");
    assert_eq!((&json["held"][0]["own"], &json["held"][1]["holder"]), (&true.into(), &"Jonas Weber".into()));
}

/// A job of this account has this owner on a machine whose accounts are these: a wrapper answers in the place of the
/// machine's own files and directories.
fn is_owner_where(expected: &str, accounts: &str) {
    let wrapper = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
        .map(|folder| Path::new(folder).join("libnss_wrapper.so"))
        .into_iter()
        .find(|library| library.exists())
        .expect("libnss_wrapper.so: scripts/setup test installs it");
    let host = simulated(Host::new(), "gb10");
    let (passwd, group) = (host.folder().join("passwd"), host.folder().join("group"));
    fs::write(&passwd, accounts).expect("written");
    fs::write(&group, "").expect("written");
    let mut job = Command::new("sleep")
        .arg("600")
        .env("BERTH_SIM_HOST", "gb10")
        .env("CUDA_VISIBLE_DEVICES", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut owner = None;
    let held = holds_in_time(|| {
        let mut berth = host.berth(&["status", "--json"]);
        berth.env("LD_PRELOAD", &wrapper).env("NSS_WRAPPER_PASSWD", &passwd).env("NSS_WRAPPER_GROUP", &group);
        let said = json(&run(&mut berth));
        let processes = said["cards"][0]["processes"].as_array().cloned().unwrap_or_default();
        let own = processes.into_iter().find(|process| process["pid"] == job.id());
        owner = own.and_then(|process| process["os_user"].as_str().map(str::to_owned));
        owner.as_deref() == Some(expected)
    });
    job.kill().expect("killed");
    job.wait().expect("waited for");
    assert!(held, "not {expected} but {owner:?}");
}

#[test]
fn accounts_of_a_directory_have_their_names() {
    let (uid, gid) = (nix::unistd::getuid(), nix::unistd::getgid());
    is_owner_where("directory-only", &format!("directory-only:x:{uid}:{gid}::/:/bin/sh\n"));
}

#[test]
fn an_account_without_a_name_is_its_number() {
    is_owner_where(&format!("uid:{}", nix::unistd::getuid()), "");
}

#[test]
fn instances_are_shown_booked_and_started_on() {
    let portal = Portal::fine(table(vec![]));
    let host = simulated(Host::of(&portal), "a100-mig");
    let _agent = host.agent();
    let mut instances: Vec<CardUuid> = Vec::new();
    eventually("instances are read", || {
        instances = uuids(&host).into_iter().filter(CardUuid::is_mig).collect();
        instances.len() >= 2
    });
    portal.give(table(vec![booked_for(ada(), &instances[..2], -10, 60)]));
    eventually("the booking has arrived", || host.run(&["status"]).stdout.contains("yours until "));
    let json = json(&host.run(&["status", "--json"]));
    let of_second = |card: &&Value| card["facts"]["uuid"] == instances[1].as_str();
    let second = json["cards"].as_array().expect("cards").iter().find(of_second).expect("the second instance");
    // The driver counts with gaps.
    let second = format!("1:{}", second["facts"]["part"]["instance"]);
    let text = host.run(&["status"]).stdout;
    assert!(
        text.lines().any(|line| line.starts_with(&format!("{second}    MIG ")) && line.contains("  yours until ")),
        "{text}"
    );
    assert!(
        text.lines().any(|line| line.starts_with("1    A100-SXM4-80GB ") && line.contains("MIG instances")),
        "{text}"
    );

    let both = host.run(&["run", "--", "true"]);
    assert_eq!(both.code, Some(77));
    assert!(both.first_line().contains("A process sees one MIG instance"), "{}", both.stderr);
    assert!(both.stderr.contains("This starts: berth run --cards 1:0 -- true"), "{}", both.stderr);
    let one = host.run(&["run", "--cards", &second, "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES"]);
    assert_eq!((one.code, one.stdout), (Some(0), format!("{}\n", instances[1])));
    let whole = host.run(&["run", "--cards", "1", "--", "true"]);
    assert!(whole.code == Some(77) && whole.first_line().contains("is cut into MIG instances"), "{}", whole.stderr);
}

#[test]
fn without_an_agent_the_cards_are_read_all_the_same() {
    let host = simulated(Host::new(), "rig-3090");
    let said = host.run(&[]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{}", said.stdout);
    assert!(
        said.stdout.contains("\n3  RTX 3090  ")
            && said.stdout.contains("\nBookings are unknown, as no agent answers on ")
    );
    let json = json(&host.run(&["status", "--json"]));
    assert_eq!(
        (&json["agent"], &json["table_age_s"], json["cards"].as_array().map(Vec::len)),
        (&false.into(), &Value::Null, Some(4))
    );
    // Neither an agent nor a driver.
    let bare = Host::new();
    let said = bare.run(&["status"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("NVIDIA's driver is not installed here"), "{}", said.stdout);
}

#[test]
fn links_are_told_with_and_without_an_agent() {
    let portal = Portal::fine(table(vec![]));
    let host = simulated(Host::of(&portal), "rig-3090");
    let alone = host.run(&["topo"]);
    assert_eq!((alone.code, alone.stderr.as_str()), (Some(0), ""));
    let row = "GPU0\t X \tPHB\tNV4\tNODE\t0-23\t\t0\t\tN/A\n";
    assert!(alone.stdout.contains(row) && alone.stdout.contains("\n  NV#  = "), "{}", alone.stdout);
    let _agent = host.agent();
    eventually("the agent knows the links", || host.run(&["topo"]).code == Some(0));
    assert_eq!(host.run(&["topo"]).stdout, alone.stdout);
    let json = json(&host.run(&["topo", "--json"]));
    assert_eq!(
        (&json["version"], &json["matrix"][1][3], &json["matrix"][2][2]),
        (&1.into(), &"NV4".into(), &"X".into())
    );
    assert_eq!(json["topology"]["cards"][0]["nvlinks"].as_array().map(Vec::len), Some(4));
    let nothing = Host::new().run(&["topo"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.stderr.contains("`berth status` says why"), "{}", nothing.stderr);
}

#[test]
fn an_administrator_pauses_the_reading_and_takes_it_up_again() {
    let portal = Portal::fine(table(vec![]));
    let host = simulated(Host::of(&portal), "rig-3090");
    let _agent = host.agent();
    eventually("four cards are read", || uuids(&host).len() == 4);
    let card = uuids(&host).remove(0);
    portal.give(table(vec![booked_for(ada(), &[card], -10, 60)]));
    eventually("the booking has arrived", || host.run(&["run", "--", "true"]).code == Some(0));

    let said = host.run(&["agent", "pause", "--for", "2m"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    assert!(said.stdout.starts_with("The agent has let go of the cards until "), "{}", said.stdout);
    let paused = json(&host.run(&["status", "--json"]));
    assert_eq!(paused["nvml"]["state"], "paused");
    let text = host.run(&["status"]).stdout;
    assert!(text.contains("An administrator has paused the reading of the cards until "), "{text}");
    let refused = host.run(&["run", "--", "true"]);
    assert_eq!(refused.code, Some(77), "nothing starts on cards that may be reset");
    let why = "berth: not started. An administrator works on this host's cards";
    assert!(refused.first_line().starts_with(why), "{}", refused.stderr);

    let said = host.run(&["agent", "resume"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "The agent reads the cards again.\n"));
    eventually("the cards are back", || json(&host.run(&["status", "--json"]))["nvml"]["state"] == "ok");
    eventually("jobs start again", || host.run(&["run", "--", "true"]).code == Some(0));

    host.run(&["agent", "pause", "--for", "1s"]);
    eventually("a pause ends by itself", || json(&host.run(&["status", "--json"]))["nvml"]["state"] == "ok");
    for wrong in ["0s", "25h", "soon"] {
        assert_eq!(host.run(&["agent", "pause", "--for", wrong]).code, Some(2), "{wrong}");
    }
}
