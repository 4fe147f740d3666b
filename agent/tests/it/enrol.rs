//! `berth enrol`: a code for a credential.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;

use crate::support::eventually;
use crate::support::host::Host;
use crate::support::portal::{Mood, Portal};
use crate::support::program::{finish, run};
use crate::support::scene::table;

const ENROL: &str = "/api/v1/agent/enrol";

#[test]
fn the_credential_is_kept_for_the_owner_alone() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::new();
    let said = host.enrol(&format!("{}/", portal.url()), "  GOOD-CODE \n");
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    assert!(said.stdout.starts_with("Enrolled as dgx-h100."), "{}", said.stdout);

    let sent = &portal.sent_to(ENROL)[0];
    assert_eq!((sent.body["code"].as_str(), sent.authorization.as_deref()), (Some("GOOD-CODE"), None));
    assert_eq!(sent.body["hostname"].as_str(), Some(agent::host::name().as_str()));

    let file = host.state().join("credential.json");
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&host.state())), (0o600, 0o700));
    let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(file).expect("read")).expect("json");
    assert_eq!((&kept["server"], &kept["credential"]), (&portal.url().into(), &"bh_credential-1".into()));
    assert!(!said.stdout.contains("bh_"));
}

#[test]
fn the_code_may_come_from_a_file() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::new();
    let file = host.folder().join("code");
    std::fs::write(&file, "GOOD-CODE\n").expect("written");
    let from_file = || host.run(&["enrol", &portal.url(), "--code-file", &file.to_string_lossy()]);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("set");
    let said = from_file();
    assert_eq!((said.code, portal.sent_to(ENROL).len()), (Some(1), 0), "{}", said.stderr);
    assert!(said.stderr.contains("other accounts may read it (mode 0640). Run chmod 600"), "{}", said.stderr);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("set");
    let said = from_file();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.ends_with("Keep `berth agent` running on this host.\n"), "{}", said.stdout);
    let said = host.run(&["enrol", &portal.url(), "--code-file", "/no/such/file"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.stderr.starts_with("berth: not enrolled. The code cannot be read from /no/such/file: "),
        "{}",
        said.stderr
    );
    // Not as an argument: every account on the machine could read it there.
    assert_eq!(host.run(&["enrol", &portal.url(), "GOOD-CODE"]).code, Some(2));
}

#[test]
fn a_wrong_code_says_where_to_get_another() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::new();
    let said = host.enrol(&portal.url(), "BAD\n");
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("mistyped, used already, or older than one hour. Get another one under Admin"));
    let said = host.enrol(&portal.url(), "\n");
    assert_eq!((said.code, portal.sent_to(ENROL).len()), (Some(1), 1));
    assert!(!host.state().join("credential.json").exists());
}

#[test]
fn what_a_portal_may_answer_instead() {
    let host = Host::new();
    let portal = Portal::start(Mood::Refuses(503, "server.unavailable", "The database does not answer."));
    let tried = |mood| {
        portal.set(mood);
        let said = host.enrol(&portal.url(), "GOOD-CODE\n");
        assert_eq!((said.code, said.stderr.lines().count()), (Some(1), 1), "{}", said.stderr);
        said.stderr
    };
    let text = tried(Mood::Refuses(503, "server.unavailable", "The database\u{1b}[2J does not answer."));
    assert_eq!(text, "berth: not enrolled. The portal says: The database?[2J does not answer.\n");
    let text = tried(Mood::Says("200 OK", "", "<html>hello</html>"));
    assert!(text.contains("answers, but not like a Berth portal"), "{text}");
    let text = tried(Mood::Says("302 Found", "location: https://elsewhere.example\r\n", ""));
    assert!(text.contains("it sends us to https://elsewhere.example"), "{text}");
    let text = tried(Mood::Says("404 Not Found", "", "no"));
    assert!(text.contains("HTTP status 404"), "{text}");
    let odd = "{\"host\":\"00000000-0000-0000-0000-000000000001\",\"host_name\":\"x\",\"credential\":\"a\\r\\nb\"}";
    let text = tried(Mood::Says("200 OK", "", odd));
    assert!(text.contains("What the portal sent cannot be used"), "{text}");
    let text = tried(Mood::Away);
    assert!(text.contains("cannot be reached"), "{text}");
}

#[test]
fn a_portal_that_is_not_there() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").expect("port").local_addr().expect("address");
    let said = Host::new().enrol(&format!("http://{unused}"), "GOOD-CODE\n");
    assert_eq!(said.code, Some(1));
    assert!(
        said.stderr.contains("cannot be reached: nothing listens there. The code has not been used."),
        "{}",
        said.stderr
    );
}

#[test]
fn credentials_do_not_travel_in_the_clear() {
    let host = Host::new();
    for (url, why) in [
        ("http://berth.example.org", "in the clear"),
        ("berth.example.org", "is not an address of a portal"),
        ("ftp://x", "is not an address of a portal"),
    ] {
        let said = host.enrol(url, "GOOD-CODE\n");
        assert_eq!(said.code, Some(2), "{url}: {}", said.stderr);
        assert!(said.stderr.contains(why), "{url}: {}", said.stderr);
    }
    let file = host.folder().join("not-pem");
    std::fs::write(&file, "text").expect("written");
    let said = host.run(&["enrol", "https://berth.invalid", "--ca-file", &file.to_string_lossy()]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("no PEM certificate"), "{}", said.stderr);
}

#[test]
fn a_folder_that_cannot_be_written_to_costs_no_code() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::new();
    let file = host.folder().join("file");
    std::fs::write(&file, "").expect("written");
    let said = run(host.berth(&["enrol", &portal.url()]).env("BERTH_STATE_DIR", file.join("state")));
    assert_eq!((said.code, portal.sent_to(ENROL).len()), (Some(1), 0));
    assert!(said.stderr.contains("cannot be made") && said.stderr.contains("Run it with sudo"), "{}", said.stderr);
}

/// `berth enrol` as at a terminal: the child, the person's side, and the terminal itself.
fn at_a_terminal(host: &Host, portal: &Portal) -> (Child, File, OwnedFd) {
    let pty = openpty(None, None).expect("a terminal");
    let mut command = host.berth(&["enrol", &portal.url()]);
    let same = pty.slave.try_clone().expect("terminal");
    let child = command.stdin(Stdio::from(same)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    (child, File::from(pty.master), pty.slave)
}

fn shows_what_is_typed(terminal: &OwnedFd) -> bool {
    tcgetattr(terminal).expect("a terminal").local_flags.contains(LocalFlags::ECHO)
}

#[test]
fn at_a_terminal_the_code_is_asked_for_and_not_shown() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::new();
    let (child, mut person, terminal) = at_a_terminal(&host, &portal);
    eventually("it hides what is typed", || !shows_what_is_typed(&terminal));
    person.write_all(b"GOOD-CODE\n").expect("typed");
    let said = finish(child);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(said.stderr, "Code from the portal (it is not shown): \n");
    assert!(shows_what_is_typed(&terminal));
    // Whatever the terminal showed, the code was not in it.
    nix::fcntl::fcntl(&person, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK)).expect("set");
    let mut shown = [0; 256];
    let read = person.read(&mut shown).unwrap_or(0);
    assert!(!String::from_utf8_lossy(&shown[..read]).contains("GOOD"), "{:?}", &shown[..read]);
}

#[test]
fn whoever_ends_it_gets_the_terminal_back() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::new();
    let (child, _person, terminal) = at_a_terminal(&host, &portal);
    eventually("it hides what is typed", || !shows_what_is_typed(&terminal));
    // Others than this one may be ignored here: they are where tests run in the background.
    kill(Pid::from_raw(i32::try_from(child.id()).expect("pid")), Signal::SIGTERM).expect("alive");
    assert_eq!(finish(child).code, None, "ended by the signal");
    assert!(shows_what_is_typed(&terminal));
    assert!(portal.sent_to(ENROL).is_empty());
}
