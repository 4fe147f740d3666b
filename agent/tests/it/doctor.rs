//! `berth doctor` on machines that are made up, one for each thing that can be wrong.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use crate::cards::library;
use crate::support::host::Host;
use crate::support::portal::{Mood, Portal};
use crate::support::program::Said;
use crate::support::scene::table;

/// A machine on which nothing is wrong, below the host's folder; the account of the agent is `nobody`.
struct Machine {
    host: Host,
}

impl Machine {
    fn well(portal: &Portal) -> Self {
        Self::of(Host::of(portal))
    }

    fn of(mut host: Host) -> Self {
        let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("nvml-sim/profiles");
        host.set("BERTH_NVML_LIBRARY", &library());
        host.set("BERTH_NVML_SIM_PROFILE", &profiles.join("rig-3090.toml"));
        let control = host.folder().join("control.toml");
        host.set("BERTH_NVML_SIM_CONTROL", &control);
        let machine = Self { host };
        machine.write(
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n",
        );
        machine.write("proc/self/mounts", "proc /proc proc rw,nosuid,nodev 0 0\n");
        fs::create_dir_all(machine.path("proc/self/ns")).expect("made");
        symlink("pid:[4026531836]", machine.path("proc/self/ns/pid")).expect("linked");
        for (n, class) in ["0x030000", "0x030200", "0x040300"].iter().enumerate() {
            machine.write(&format!("sys/bus/pci/devices/0000:0{n}:00.0/vendor"), "0x10de\n");
            machine.write(&format!("sys/bus/pci/devices/0000:0{n}:00.0/class"), &format!("{class}\n"));
        }
        for device in ["nvidiactl", "nvidia0", "nvidia1", "nvidia-uvm"] {
            machine.write(&format!("dev/{device}"), "");
            machine.set_mode(&format!("dev/{device}"), 0o666);
        }
        machine
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.host.folder().join("machine").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).expect("set");
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("removed");
    }

    fn doctor(&self, more: &[&str]) -> Said {
        let roots = ["proc", "sys", "dev"].map(|name| format!("--{name}={}", self.path(name).display()));
        let mut args = vec!["doctor"];
        if !more.iter().any(|arg| arg.starts_with("--account")) {
            args.push("--account=nobody");
        }
        args.extend(roots.iter().map(String::as_str));
        args.extend(more);
        self.host.run(&args)
    }

    /// Every check by its name.
    fn checks(&self, more: &[&str]) -> BTreeMap<String, Value> {
        let said = self.doctor(&[&["--json"], more].concat());
        let report: Value = serde_json::from_str(&said.stdout).expect("JSON");
        let checks = report["checks"].as_array().expect("a list");
        let problem = checks.iter().any(|check| check["state"] == "problem");
        assert_eq!(said.code, Some(i32::from(problem)), "{}", said.stdout);
        assert_eq!(report["ok"], !problem);
        for check in checks {
            let explained = ["why", "do"].map(|part| check[part].as_str().is_some_and(|text| text.len() > 5));
            assert_eq!(explained, [check["state"] == "problem"; 2], "{check}");
        }
        let named = checks.iter().map(|check| (check["check"].as_str().expect("a name").to_owned(), check.clone()));
        let all: BTreeMap<_, _> = named.collect();
        assert_eq!(all.len(), checks.len(), "no check twice");
        all
    }

    /// The one check that finds something, and what it finds.
    fn only_problem(&self, more: &[&str]) -> (String, String) {
        let problems: Vec<_> = self.checks(more).into_iter().filter(|(_, check)| check["state"] == "problem").collect();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        (problems[0].0.clone(), problems[0].1.to_string())
    }
}

#[test]
fn a_machine_that_is_well() {
    let portal = Portal::fine(table(vec![]));
    let machine = Machine::well(&portal);
    let _agent = machine.host.agent();
    crate::support::eventually("nothing is wrong", || machine.doctor(&[]).code == Some(0));
    let checks = machine.checks(&[]);
    let expected = [
        "account",
        "agent",
        "cards",
        "clock",
        "credential",
        "devices",
        "dns",
        "driver",
        "enrolment",
        "http",
        "nouveau",
        "nvml",
        "processes",
        "tcp",
        "tls",
        "version",
    ];
    assert_eq!(checks.keys().map(String::as_str).collect::<Vec<_>>(), expected);
    for (name, check) in &checks {
        let state = if name == "tls" { "skipped" } else { "ok" };
        assert_eq!(check["state"], state, "{check}");
    }
    let said = machine.doctor(&[]);
    assert!(said.stdout.starts_with("ok       driver     NVIDIA's driver 535.183.01 is loaded.\n"), "{}", said.stdout);
    assert!(said.stdout.ends_with("\nNothing is wrong.\n"), "{}", said.stdout);
}

/// One agent for all that is wrong outside it.
#[test]
fn each_thing_that_can_be_wrong_with_a_machine() {
    let portal = Portal::fine(table(vec![]));
    let machine = Machine::well(&portal);
    let _agent = machine.host.agent();
    crate::support::eventually("nothing is wrong", || machine.doctor(&[]).code == Some(0));

    machine.write("sys/module/nouveau/initstate", "live\n");
    assert_eq!(machine.only_problem(&[]).0, "nouveau");
    fs::remove_dir_all(machine.path("sys/module/nouveau")).expect("removed");

    let version = fs::read_to_string(machine.path("proc/driver/nvidia/version")).expect("read");
    machine.remove("proc/driver/nvidia/version");
    let (check, found) = machine.only_problem(&[]);
    assert!(check == "driver" && found.contains("2 of its cards are on the PCI bus"), "{found}");
    assert_eq!(machine.checks(&[])["devices"]["state"], "skipped");
    machine.write("dev/dxg", "");
    assert_eq!(machine.checks(&[])["driver"]["state"], "ok", "WSL");
    machine.remove("dev/dxg");
    machine.write("proc/driver/nvidia/version", &version);

    machine.set_mode("dev/nvidia1", 0o660);
    let (check, found) = machine.only_problem(&[]);
    assert!(check == "devices" && found.contains("nobody may not use /dev/nvidia1."), "{found}");
    assert_eq!(machine.checks(&["--account=root"])["devices"]["state"], "ok");
    assert_eq!(machine.checks(&["--account=no-such-account"])["devices"]["state"], "skipped");
    machine.set_mode("dev/nvidia1", 0o666);
    machine.remove("dev/nvidiactl");
    assert!(machine.only_problem(&[]).1.contains("nvidia-modprobe"));
    machine.write("dev/nvidiactl", "");
    machine.set_mode("dev/nvidiactl", 0o666);

    machine.write("proc/self/mounts", "proc /proc proc rw,nosuid,hidepid=invisible,gid=4 0 0\n");
    assert!(machine.only_problem(&[]).1.contains("hidepid=invisible"));
    machine.write("proc/self/mounts", "proc /proc proc rw,hidepid=0 0 0\n");
    machine.remove("proc/self/ns/pid");
    symlink("pid:[4026532345]", machine.path("proc/self/ns/pid")).expect("linked");
    let (check, found) = machine.only_problem(&[]);
    assert!(check == "processes" && found.contains("--pid=host"), "{found}");
}

#[test]
fn each_thing_that_can_be_wrong_with_nvml() {
    let portal = Portal::fine(table(vec![]));
    let mut machine = Machine::well(&portal);
    let _agent = machine.host.agent();
    crate::support::eventually("nothing is wrong", || machine.doctor(&[]).code == Some(0));
    let control = machine.host.folder().join("control.toml");

    for (code, check, word) in [(9, "nvml", "modprobe nvidia"), (18, "version", "rmmod")] {
        fs::write(&control, format!("init = {code}\n")).expect("written");
        let checks = machine.checks(&[]);
        assert_eq!(checks[check]["state"], "problem", "{checks:#?}");
        assert!(checks[check]["do"].as_str().expect("text").contains(word), "{:#?}", checks[check]);
        assert_eq!(checks["cards"]["state"], "skipped");
    }
    fs::write(&control, "reset_needed = [2]\n").expect("written");
    let (check, found) = machine.only_problem(&[]);
    assert!(check == "cards" && found.contains("card 2 (") && found.contains("needs a reset"), "{found}");
    fs::write(&control, "").expect("written");
    machine.host.set("BERTH_NVML_LIBRARY", Path::new("/no/such/libnvidia-ml.so.1"));
    let (check, found) = machine.only_problem(&[]);
    assert!(check == "nvml" && found.contains("/no/such/libnvidia-ml.so.1"), "{found}");
}

#[test]
fn each_thing_that_can_be_wrong_on_the_way_to_the_portal() {
    let portal = Portal::fine(table(vec![]));
    let machine = Machine::well(&portal);
    let _agent = machine.host.agent();
    crate::support::eventually("nothing is wrong", || machine.doctor(&[]).code == Some(0));

    let (check, found) = machine.only_problem(&["--server=https://no-such-host.invalid"]);
    assert!(check == "dns" && found.contains("no-such-host.invalid cannot be resolved"), "{found}");
    let unused = std::net::TcpListener::bind("127.0.0.1:0").expect("port").local_addr().expect("address");
    let (check, found) = machine.only_problem(&[&format!("--server=http://{unused}")]);
    assert!(check == "tcp" && found.contains("nothing listens there"), "{found}");
    let (check, found) = machine.only_problem(&[&format!("--server=https://{}", portal.address)]);
    assert!(check == "tls" && found.contains("does not speak TLS"), "{found}");
    let stranger = Portal::start(Mood::Says("200 OK", "", "<html>hello</html>"));
    let (check, found) = machine.only_problem(&[&format!("--server={}", stranger.url())]);
    assert!(check == "http" && found.contains("no Berth portal"), "{found}");
    let (check, found) = machine.only_problem(&["--server=http://berth.example.org"]);
    assert!(check == "dns" && found.contains("in the clear"), "{found}");

    portal.set_ahead(-300);
    let (check, found) = machine.only_problem(&[]);
    assert!(check == "clock" && found.contains("ahead of the portal's"), "{found}");
    portal.set_ahead(0);

    portal.set(Mood::Refuses(503, "server.unavailable", "The database does not answer."));
    assert_eq!(machine.checks(&[])["http"]["state"], "problem");
    for (code, word) in [("agent.unknown", "does not know"), ("agent.revoked", "has revoked")] {
        portal.set(Mood::Refuses(401, code, "No."));
        let checks = machine.checks(&[]);
        assert_eq!(checks["credential"]["state"], "problem");
        assert!(checks["credential"]["found"].as_str().expect("text").contains(word), "{:#?}", checks["credential"]);
    }
    portal.set(Mood::Refuses(404, "not_found", "There is nothing here."));
    assert_eq!(machine.checks(&[])["credential"]["state"], "skipped", "a portal of an older version");
}

#[test]
fn each_thing_that_can_be_wrong_with_the_agent() {
    let portal = Portal::fine(table(vec![]));
    let machine = Machine::well(&portal);
    let (check, found) = machine.only_problem(&[]);
    assert!(check == "agent" && found.contains("systemctl enable --now berth-agent"), "{found}");
    let file = machine.host.state().join("credential.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("set");
    assert!(machine.checks(&[])["enrolment"]["why"].as_str().expect("text").contains("chmod 600"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");

    let mut nobody = table(vec![]);
    nobody.accounts.clear();
    portal.give(nobody);
    let _agent = machine.host.agent();
    crate::support::eventually("the agent hears the portal", || machine.checks(&[])["agent"]["state"] == "ok");
    // Root belongs to nobody anyway.
    let root = nix::unistd::geteuid().is_root();
    assert_eq!(machine.checks(&[])["account"]["state"], if root { "skipped" } else { "problem" });
    drop(machine);

    let stranger = Machine::of(Host::new());
    let checks = stranger.checks(&[]);
    assert_eq!(checks["enrolment"]["state"], "problem");
    for step in ["dns", "tcp", "tls", "http", "clock", "credential", "account"] {
        assert_eq!(checks[step]["state"], "skipped", "{step}");
    }
}
