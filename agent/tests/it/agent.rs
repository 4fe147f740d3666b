//! `berth agent` with a portal that comes and goes.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};

use nix::sys::signal::Signal;

use crate::support::eventually;
use crate::support::host::Host;
use crate::support::portal::{Mood, Portal};
use crate::support::program::run;
use crate::support::scene::{ada, booked, jonas, me, table};

fn person(host: &Host) -> String {
    let status = host.run(&["status", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&status.stdout).expect("json");
    json["person"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn reports_bring_the_bookings_back() {
    let portal = Portal::fine(table(vec![booked(jonas(), &[3])]));
    let host = Host::of(&portal);
    let _agent = host.agent();
    eventually("two reports", || portal.reports().len() >= 2);
    let reports = portal.reports();
    assert_eq!(reports[0].authorization.as_deref(), Some("Bearer bh_credential-1"));
    assert_eq!(reports[0].body["boot_id"], agent::host::boot_id());
    assert!(reports[0].body["seq"].as_u64() < reports[1].body["seq"].as_u64());
    assert!(reports[1].body["memory_total_mib"].is_u64());
    eventually("the table is in force", || person(&host) == "Ada Lovelace");
    assert!(host.run(&["status"]).stdout.contains("GPU-3a23c669…7a2a  Jonas Weber until "));
    // A change gets here with the next report.
    let mut changed = table(vec![]);
    changed.accounts.clear();
    portal.give(changed);
    eventually("the change has arrived", || person(&host).is_empty());
}

#[test]
fn the_sequence_goes_on_over_a_restart() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let last = |portal: &Portal| portal.reports().last().map_or(0, |report| report.body["seq"].as_u64().expect("seq"));
    let agent = host.agent();
    eventually("three reports", || portal.reports().len() >= 3);
    agent.kill();
    let (before, count) = (last(&portal), portal.reports().len());
    let _agent = host.agent();
    eventually("another report", || portal.reports().len() > count);
    assert!(portal.reports()[count].body["seq"].as_u64() > Some(before));
}

#[test]
fn with_the_portal_away_the_last_bookings_hold_also_over_a_restart() {
    let portal = Portal::fine(table(vec![booked(jonas(), &[3])]));
    let host = Host::of(&portal);
    let agent = host.agent();
    eventually("the table is in force", || person(&host) == "Ada Lovelace");
    eventually("the table is kept", || host.state().join("table.json").exists());
    portal.set(Mood::Away);
    let failed = |agent: &crate::support::host::Agent| agent.log().matches("does not take the report").count();
    let count = portal.reports().len();
    eventually("it tries again and again", || portal.reports().len() >= count + 3);
    assert_eq!(failed(&agent), 1, "the same failure is logged once: {}", agent.log());
    assert_eq!(person(&host), "Ada Lovelace");
    agent.kill();

    let agent = host.agent();
    assert_eq!(person(&host), "Ada Lovelace");
    let said = host.run(&["run", "--cards", "GPU-3a", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.stderr.contains("is reserved by Jonas Weber until "), "{}", said.stderr);
    portal.give(table(vec![]));
    eventually("it has recovered", || agent.log().contains("the portal takes the reports"));
}

/// Makes the kept table older, as if the host had been off meanwhile.
fn age_kept_table(host: &Host, seconds: i64) {
    let file = host.state().join("table.json");
    let mut kept: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).expect("read")).expect("json");
    let then = time::OffsetDateTime::now_utc() - time::Duration::seconds(seconds);
    let then = then.format(&time::format_description::well_known::Rfc3339).expect("formatted");
    kept["received"]["boot_id"] = "an earlier boot".into();
    kept["received"]["wall"] = then.clone().into();
    kept["table"]["made_at"] = then.into();
    std::fs::write(file, kept.to_string()).expect("written");
}

#[test]
fn old_bookings_say_their_age_and_too_old_ones_start_nothing() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let agent = host.agent();
    eventually("the table is kept", || host.state().join("table.json").exists());
    agent.kill();
    portal.set(Mood::Away);

    age_kept_table(&host, 185);
    let agent = host.agent();
    let said = host.run(&["run", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(
        said.stderr.contains("Using bookings as of 3 min ago: the portal has not answered since."),
        "{}",
        said.stderr
    );
    agent.kill();

    age_kept_table(&host, 13 * 3600);
    let agent = host.agent();
    let said = host.run(&["run", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().contains("has not answered for more than 12 h"), "{}", said.stderr);
    agent.kill();

    let _agent = host.agent_with(&["--table-max-age", "1d"]);
    let said = host.run(&["run", "--", "true"]);
    assert!(said.first_line().contains("You have no card on dgx-h100 now."), "{}", said.stderr);
    assert!(said.stderr.contains("Using bookings as of 13 h ago"), "{}", said.stderr);
}

#[test]
fn a_host_that_the_portal_forgot_goes_on_guarding_until_it_is_enrolled_anew() {
    let portal = Portal::fine(table(vec![booked(ada(), &[0])]));
    let host = Host::of(&portal);
    let agent = host.agent();
    eventually("the table is in force", || person(&host) == "Ada Lovelace");
    portal.set(Mood::Refuses(401, "agent.unknown", "This host is not known."));
    eventually("it says so", || agent.log().contains("enrol it anew with `sudo berth enrol URL`"));
    assert_eq!(person(&host), "Ada Lovelace");
    let said = host.run(&["link", "GOOD-CODE"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("The administrator must enrol it anew."), "{}", said.stderr);

    portal.give(table(vec![]));
    assert_eq!(host.enrol(&portal.url(), "GOOD-CODE\n").code, Some(0));
    let fresh = || portal.reports().last().and_then(|report| report.authorization.clone());
    eventually("the new credential is used", || fresh().as_deref() == Some("Bearer bh_credential-2"));
    assert_eq!(agent.log().matches("enrol it anew").count(), 1, "{}", agent.log());
    assert!(!agent.log().contains("bh_"), "{}", agent.log());
}

#[test]
fn a_portal_that_hangs_keeps_nobody_waiting() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let agent = host.agent();
    eventually("the table is in force", || person(&host) == "Ada Lovelace");
    portal.set(Mood::Silent);
    let count = portal.reports().len();
    eventually("a report hangs", || portal.reports().len() > count);
    // While it does: the answers come out of memory, and the agent ends when it is told to.
    assert_eq!(person(&host), "Ada Lovelace");
    assert_eq!(host.run(&["run", "--", "true"]).code, Some(77));
    assert!(!agent.log().contains("does not take the report"));
    assert_eq!(agent.stop(Signal::SIGTERM).code(), Some(0));
}

#[test]
fn linking_goes_through_the_agent() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let _agent = host.agent();
    let said = host.with_input(&["link"], "GOOD-CODE\n");
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (Some(0), "This account belongs to Ada Lovelace in the portal now.\n")
    );
    let sent = &portal.sent_to("/api/v1/agent/link")[0];
    assert_eq!((sent.body["os_user"].as_str(), sent.authorization.is_some()), (Some(me().as_str()), true));
    let said = host.run(&["link", "BAD-CODE"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(1), "berth: not linked. This code does not work.\n"));
    portal.set(Mood::Away);
    let said = host.run(&["link", "GOOD-CODE"]);
    assert!(said.code == Some(1) && said.stderr.contains("Not now: the portal"), "{}", said.stderr);
}

#[test]
fn questions_that_make_no_sense_get_an_answer_and_do_no_harm() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let _agent = host.agent();
    let long = format!("{{\"ask\":\"launch\",\"cards\":[\"{}\"]}}\n", "x".repeat(70_000));
    for question in ["", "\n", "{", "null\n", "{\"ask\":\"fly\"}\n", "\u{0}\u{1}\n", "{\"ask\":\"link\"}\n", &long] {
        let mut stream = UnixStream::connect(host.socket()).expect("connected");
        // The agent may hang up on a question without end.
        let _ = stream.write_all(question.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let shown = &question[..question.len().min(20)];
        assert!(answer.contains("\"answer\":\"failed\""), "{shown:?}: {answer:?}");
    }
    // Two lines: the first is the question.
    let mut stream = UnixStream::connect(host.socket()).expect("connected");
    stream.write_all(b"{\"ask\":\"status\"}\n{\"ask\":\"fly\"}\n").expect("written");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("read");
    assert!(answer.starts_with("{\"answer\":\"status\"") && answer.ends_with("}\n"), "{answer}");
}

#[test]
fn idle_callers_cannot_crowd_others_out_for_long() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let _agent = host.agent();
    let idle: Vec<UnixStream> = (0..64).map(|_| UnixStream::connect(host.socket()).expect("connected")).collect();
    eventually("the agent is full", || {
        let said = host.run(&["run", "--", "true"]);
        said.code == Some(77) && said.stderr.contains("Too many programs ask this agent at once.")
    });
    // Nobody hangs up: the agent does, on those who say nothing.
    eventually("the agent has room again", || host.run(&["status"]).code == Some(0));
    drop(idle);
}

#[test]
fn one_agent_at_a_time() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let agent = host.agent();
    // Every account may ask; who it is, the kernel says.
    assert_eq!(std::fs::metadata(host.socket()).expect("there").permissions().mode() & 0o777, 0o666);
    let said = host.run(&["agent"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("another agent uses "), "{}", said.stderr);
    let other = Host::of(&portal);
    let said = run(other.berth(&["agent"]).env("BERTH_SOCKET", host.socket()));
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("another agent answers on "), "{}", said.stderr);
    assert_eq!(host.run(&["status"]).code, Some(0));
    // Nor does it take over what a killed one has left before that one is gone.
    agent.kill();
    assert!(host.socket().exists());
    let _agent = host.agent();
    assert!(run(other.berth(&["status"]).env("BERTH_SOCKET", host.socket())).code == Some(0));
}

#[test]
fn only_sockets_are_ever_removed() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    std::fs::create_dir_all(host.socket().parent().expect("folder")).expect("made");
    std::fs::write(host.socket(), "precious").expect("written");
    let said = host.run(&["agent"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("exists and is not a socket"), "{}", said.stderr);
    assert_eq!(std::fs::read_to_string(host.socket()).expect("still there"), "precious");
    std::fs::remove_file(host.socket()).expect("removed");
    drop(UnixListener::bind(host.socket()).expect("bound"));
    let _agent = host.agent();
}

#[test]
fn it_ends_when_told_to() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let agent = host.agent();
        assert_eq!(agent.stop(signal).code(), Some(0));
        assert!(!host.socket().exists());
    }
}

#[test]
fn settings_that_cannot_be() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let said = Host::new().run(&["agent"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("this host is not enrolled.") && said.stderr.lines().count() == 1, "{}", said.stderr);
    for args in [
        &["agent", "--server", "http://berth.example.org"][..],
        &["agent", "--server", "nonsense"],
        &["agent", "--table-max-age", "12"],
        &["agent", "--report-every", "1h"],
        &["agent", "--socket", "/proc/nowhere/agent.sock"],
        &["agent", "--state-dir", "/proc/nowhere"],
    ] {
        let said = host.run(args);
        assert_eq!(said.code, Some(2), "{args:?}: {}", said.stderr);
    }
    std::fs::write(host.state().join("credential.json"), "{}").expect("written");
    let said = host.run(&["agent"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("credential.json is damaged"), "{}", said.stderr);
}

#[test]
fn damaged_bookings_are_no_reason_not_to_start() {
    let portal = Portal::start(Mood::Fine(Box::new(table(vec![]))));
    let host = Host::of(&portal);
    portal.set(Mood::Away);
    std::fs::write(host.state().join("table.json"), "{\"table\":").expect("written");
    let agent = host.agent();
    let said = host.run(&["run", "--", "true"]);
    assert!(
        said.code == Some(77) && said.first_line().contains("has not heard from the portal yet"),
        "{}",
        said.stderr
    );
    assert!(agent.log().contains("table.json is damaged"), "{}", agent.log());
}

#[test]
fn root_runs_no_agent_on_a_folder_of_another_account() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::chown(host.state(), Some(54_321), None).expect("given");
        let said = host.run(&["agent"]);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        assert!(said.stderr.contains("belongs to the account #54321"), "{}", said.stderr);
        assert!(said.stderr.contains("sudo systemctl start berth-agent, or sudo -u '#54321' berth agent"));
        std::os::unix::fs::chown(host.state(), Some(0), None).expect("given back");
    }
    let _agent = host.agent();
}
