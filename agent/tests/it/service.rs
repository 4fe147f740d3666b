//! The agent as a service: what is installed where, what systemd thinks of it, and that it goes away again.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use agent::service::system::{Account, System};
use agent::service::{self, Layout, ServiceError};

use crate::support::host::Host;
use crate::support::portal::Portal;
use crate::support::scene::table;

/// systemd's own measure: 0 is out of reach of everything, 10 is out of control. What is left here is the network, the
/// cards, and other accounts' processes, all of which the agent is for.
const EXPOSURE_MAX: f64 = 2.0;

fn analyze(args: &[&OsStr]) -> Output {
    let mut command = Command::new("systemd-analyze");
    command.args(args).env("SYSTEMD_COLORS", "0").env("LC_ALL", "C");
    command.output().expect("systemd-analyze is here (scripts/setup test installs it)")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with the few units of a system that ours refers to.
fn image() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let units = folder.path().join("usr/lib/systemd/system");
    fs::create_dir_all(&units).expect("made");
    for name in ["sysinit", "basic", "shutdown", "multi-user", "network-online", "nss-user-lookup"] {
        fs::write(units.join(format!("{name}.target")), "[Unit]\nDescription=Stands for the real one\n")
            .expect("written");
    }
    fs::create_dir_all(folder.path().join("etc")).expect("made");
    fs::write(folder.path().join("etc/group"), "root:x:0:\nvideo:x:44:\n").expect("written");
    folder
}

/// The unit's exposure, as systemd measures it.
fn exposure(unit: &Path) -> f64 {
    let output = analyze(&["security".as_ref(), "--offline=true".as_ref(), "--no-pager".as_ref(), unit.as_os_str()]);
    let said = text(&output.stdout);
    let line = said.lines().find(|line| line.contains("Overall exposure level")).expect("a verdict");
    let (_, rest) = line.rsplit_once(": ").expect("a number");
    rest.split(' ').next().expect("a number").parse().expect("a number")
}

#[test]
fn an_image_gets_all_of_it_and_this_machine_nothing() {
    let (portal, host, image) = (Portal::fine(table(vec![])), Host::new(), image());
    let root = image.path().to_string_lossy().into_owned();
    let said = host.with_input(&["enrol", &portal.url(), "--root", &root], "GOOD-CODE\n");
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{}", said.stderr);
    assert!(said.stdout.starts_with("Enrolled as dgx-h100. The service berth-agent starts with"), "{}", said.stdout);
    assert!(!host.state().exists());

    let layout = Layout::under(image.path());
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&layout.program()), 0o755);
    assert_eq!(fs::metadata(layout.program()).expect("there").len(), program_size());
    assert_eq!((mode(&layout.unit()), mode(&layout.sysusers()), mode(&layout.login())), (0o644, 0o644, 0o644));
    let login = fs::read_to_string(layout.login()).expect("read");
    assert_eq!(login, "case $- in *i*) [ -x /usr/local/bin/berth ] && /usr/local/bin/berth motd ;; esac\n");
    assert_eq!((mode(&layout.state()), mode(&layout.state().join("credential.json"))), (0o700, 0o600));
    assert_eq!(fs::read_link(layout.wanted()).expect("a link"), Path::new("/etc/systemd/system/berth-agent.service"));
    let unit = fs::read_to_string(layout.unit()).expect("read");
    assert!(unit.contains("\nSupplementaryGroups=video\n"), "the groups of the image, not ours: {unit}");

    // Again is fine, and enrols anew.
    let said = host.with_input(&["enrol", &portal.url(), "--root", &root], "GOOD-CODE\n");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let kept = fs::read_to_string(layout.state().join("credential.json")).expect("read");
    assert!(kept.contains("bh_credential-2"));

    let said = host.run(&["remove", "--root", &root]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    for path in [layout.unit(), layout.wanted(), layout.sysusers(), layout.login(), layout.state()] {
        assert!(fs::symlink_metadata(&path).is_err(), "{path:?} is left");
        assert!(said.stdout.contains(&path.display().to_string()), "{}", said.stdout);
    }
    assert!(layout.program().exists());
    assert_eq!(host.run(&["remove", "--root", &root]).stdout, "There is no agent to remove here.\n");
}

fn program_size() -> u64 {
    fs::metadata(env!("CARGO_BIN_EXE_berth")).expect("there").len()
}

#[test]
fn a_service_that_cannot_be_installed_costs_no_code() {
    let (portal, host, image) = (Portal::fine(table(vec![])), Host::new(), image());
    let file = image.path().join("file");
    fs::write(&file, "").expect("written");
    let said = host.with_input(&["enrol", &portal.url(), "--root", &file.to_string_lossy()], "GOOD-CODE\n");
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("The service cannot be installed: "), "{}", said.stderr);
    assert!(portal.sent_to("/api/v1/agent/enrol").is_empty());
    let said = host.run(&["enrol", &portal.url(), "--root", "/tmp", "--no-service"]);
    assert_eq!(said.code, Some(2), "one or the other");
}

#[test]
fn systemd_takes_the_unit_and_finds_it_confined() {
    let image = image();
    let layout = Layout::under(image.path());
    service::install(&layout, Path::new(env!("CARGO_BIN_EXE_berth")), None).expect("installed");
    let root = format!("--root={}", image.path().display());
    let verify = || analyze(&["verify".as_ref(), "--man=no".as_ref(), root.as_ref(), layout.unit().as_os_str()]);
    let output = verify();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let found = exposure(&layout.unit());
    assert!(found <= EXPOSURE_MAX, "exposure {found}");

    // The same eyes see what is wrong.
    let unit = fs::read_to_string(layout.unit()).expect("read");
    fs::write(layout.unit(), unit.replace("ProtectSystem=strict", "ProtectSystem=strikt")).expect("written");
    assert!(!verify().stderr.is_empty());
    let open = unit.replace("CapabilityBoundingSet=\n", "").replace("SystemCallFilter", "X-Filter");
    fs::write(layout.unit(), open).expect("written");
    assert!(exposure(&layout.unit()) > EXPOSURE_MAX + 1.0);
}

/// A machine that writes down what is asked of it.
struct Machine {
    asked: RefCell<Vec<String>>,
    account: RefCell<Option<Account>>,
    has_sysusers: bool,
    fails_at: &'static str,
}

impl Machine {
    fn new() -> Self {
        Self { asked: RefCell::default(), account: RefCell::default(), has_sysusers: true, fails_at: "(nothing)" }
    }
}

impl System for Machine {
    fn run(&self, program: &str, args: &[&OsStr]) -> Result<(), String> {
        let args = args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let line = format!("{program} {args}");
        let fails = line.contains(self.fails_at);
        self.asked.borrow_mut().push(line);
        if program != "systemctl" {
            *self.account.borrow_mut() = Some(Account { uid: 987, gid: 986 });
        }
        if fails { Err("Unit is masked.".to_owned()) } else { Ok(()) }
    }

    fn has_program(&self, _program: &str) -> bool {
        self.has_sysusers
    }

    fn account(&self, _name: &str) -> Option<Account> {
        *self.account.borrow()
    }

    fn has_group(&self, name: &str) -> bool {
        name == "render"
    }

    fn systemd_version(&self) -> Option<u32> {
        Some(255)
    }
}

#[test]
fn on_a_running_system_the_account_is_made_and_systemd_gives_it_the_state() {
    let image = tempfile::tempdir().expect("folder");
    let layout = Layout::under(image.path());
    for has_sysusers in [true, false] {
        let machine = Machine { has_sysusers, ..Machine::new() };
        let install = || service::install(&layout, Path::new(env!("CARGO_BIN_EXE_berth")), Some(&machine));
        install().expect("installed");
        install().expect("installed again");
        let asked = machine.asked.borrow().clone();
        if has_sysusers {
            assert_eq!(asked, [format!("systemd-sysusers {}", layout.sysusers().display())]);
        } else {
            assert!(asked.len() == 1 && asked[0].starts_with("useradd --system ") && asked[0].ends_with(" berth"));
        }
        // Whoever owned the folder before: with another owner above, systemd gives away all below.
        assert!(!layout.state().exists());
        let unit = fs::read_to_string(layout.unit()).expect("read");
        assert!(unit.contains("\nStateDirectory=berth-agent\n") && unit.contains("\nUser=berth\n"), "{unit}");
        assert!(unit.contains("SupplementaryGroups=render\n") && unit.contains("RestartMaxDelaySec="), "{unit}");
        assert!(unit.contains("ExecStart=/usr/local/bin/berth agent\n"), "{unit}");
    }
}

#[test]
fn a_person_s_account_is_not_taken() {
    let image = tempfile::tempdir().expect("folder");
    let machine = Machine::new();
    *machine.account.borrow_mut() = Some(Account { uid: 1000, gid: 1000 });
    let done = service::install(&Layout::under(image.path()), Path::new("/bin/true"), Some(&machine));
    assert!(matches!(done, Err(ServiceError::Person(1000))));
}

#[test]
fn it_is_started_anew_and_stopped_before_it_is_removed() {
    let image = tempfile::tempdir().expect("folder");
    let layout = Layout::under(image.path());
    let machine = Machine::new();
    service::start(&machine).expect("started");
    let started = ["daemon-reload", "--quiet enable berth-agent.service", "restart berth-agent.service"];
    assert_eq!(*machine.asked.borrow(), started.map(|args| format!("systemctl {args}")));

    service::install(&layout, Path::new(env!("CARGO_BIN_EXE_berth")), None).expect("installed");
    let machine = Machine { fails_at: "--now", ..Machine::new() };
    assert!(service::remove(&layout, Some(&machine)).is_err());
    assert!(layout.unit().exists(), "what still runs is not taken apart");
    let machine = Machine::new();
    service::remove(&layout, Some(&machine)).expect("removed");
    let stopped = ["--quiet disable --now berth-agent.service", "daemon-reload"];
    assert_eq!(*machine.asked.borrow(), stopped.map(|args| format!("systemctl {args}")));
    let machine = Machine { fails_at: "restart", ..Machine::new() };
    assert_eq!(service::start(&machine).expect_err("masked").to_string(), "Unit is masked.");
}
