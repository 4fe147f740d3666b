//! `berth enrol`: a code for a credential.

use std::os::unix::fs::PermissionsExt;

use crate::support::host::Host;
use crate::support::portal::{Mood, Portal};
use crate::support::program::run;
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
    let said = host.run(&["enrol", &portal.url(), "--code-file", &file.to_string_lossy()]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
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
