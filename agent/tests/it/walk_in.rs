//! `berth run --gpus N` without a booking: one is made for the job, and ends with it whatever becomes of the job, of the
//! agent and of the portal.

use domain::wire::host_v1::{BOOK_PATH, CHANGE_PATH};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::support::eventually;
use crate::support::host::Host;
use crate::support::portal::{Mood, Portal};
use crate::support::program::{Job, Said};
use crate::support::scene::{me, table, uuid};

const HOLD: [&str; 4] = ["--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; read end"];

/// A host whose agent has heard from the portal that nothing is booked.
fn portal() -> Portal {
    Portal::fine(table(vec![]))
}

fn knows_bookings(host: &Host) {
    eventually("the agent has a table", || host.run(&["run", "--", "true"]).stderr.contains("You have no card on"));
}

fn job(host: &Host, options: &[&str]) -> Job {
    Job::start(host.berth(&[&["run"], options, &HOLD].concat()))
}

/// The keys that were booked with.
fn booked(portal: &Portal) -> Vec<Value> {
    portal.sent_to(BOOK_PATH).into_iter().map(|request| request.body["key"].clone()).collect()
}

fn has_ended(portal: &Portal, booking: &Value) -> bool {
    let end = json!({ "os_user": me(), "booking": booking, "act": "end" });
    portal.sent_to(CHANGE_PATH).iter().any(|request| request.body == end)
}

#[test]
fn cards_are_booked_for_a_job_and_given_back_when_it_ends() {
    let portal = portal();
    let host = Host::of(&portal);
    let _agent = host.agent();
    knows_bookings(&host);
    let job = job(&host, &["--gpus", "2", "--for", "90 min"]);
    assert_eq!(job.said, format!("{},{}", uuid(0), uuid(1)));
    let asked = portal.sent_to(BOOK_PATH).remove(0).body;
    let expected = (json!(me()), json!(2), json!(90), json!([]), Value::Null);
    let got = (&asked["os_user"], &asked["count"], &asked["minutes"], &asked["cards"], &asked["start"]);
    assert_eq!(got, (&expected.0, &expected.1, &expected.2, &expected.3, &expected.4));
    // Another one does not get the same cards: those are not to be taken.
    let second = Job::start(host.berth(&[&["run", "--gpus", "1"][..], &HOLD].concat()));
    let asked = portal.sent_to(BOOK_PATH).remove(1).body;
    assert_eq!((&asked["avoid"], &asked["minutes"]), (&json!([uuid(0), uuid(1)]), &json!(240)));
    let keys = booked(&portal);
    assert!(keys[0] != keys[1] && portal.sent_to(CHANGE_PATH).is_empty(), "both run");
    assert_eq!(job.end(), Some(1));
    eventually("the first is given back", || has_ended(&portal, &json!({ "id": keys[0] })));
    assert!(!has_ended(&portal, &json!({ "id": keys[1] })), "the second runs still");
    // Killed as hard as can be.
    kill(Pid::from_raw(i32::try_from(second.child.id()).expect("pid")), Signal::SIGKILL).expect("alive");
    second.end();
    eventually("the second is given back", || has_ended(&portal, &json!({ "id": keys[1] })));
}

#[test]
fn a_booking_outlives_its_agent_and_not_its_job() {
    let portal = portal();
    let host = Host::of(&portal);
    let agent = host.agent();
    knows_bookings(&host);
    let (stays, goes) = (job(&host, &["--gpus", "1"]), job(&host, &["--gpus", "1"]));
    let keys = booked(&portal);
    agent.kill();
    goes.end();
    let _agent = host.agent();
    eventually("what ended meanwhile is given back", || has_ended(&portal, &json!({ "id": keys[1] })));
    assert!(!has_ended(&portal, &json!({ "id": keys[0] })));
    stays.end();
    eventually("the other one too", || has_ended(&portal, &json!({ "id": keys[0] })));
}

#[test]
fn after_a_power_cut_nothing_stays_booked() {
    let portal = portal();
    let host = Host::of(&portal);
    let agent = host.agent();
    knows_bookings(&host);
    let job = job(&host, &["--gpus", "1"]);
    let keys = booked(&portal);
    agent.kill();
    // As it would lie there after another boot: the same process id may be anybody's by now.
    let file = host.state().join("leases.json");
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&file).expect("kept")).expect("json");
    kept["boot_id"] = json!("an earlier boot");
    std::fs::write(&file, kept.to_string()).expect("written");
    let _agent = host.agent();
    eventually("it is given back", || has_ended(&portal, &json!({ "id": keys[0] })));
    job.end();
}

fn refused(host: &Host) -> Said {
    let said = host.run(&["run", "--gpus", "1", "--", "echo", "started"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""), "{}", said.stderr);
    said
}

#[test]
fn without_the_portal_nothing_is_booked_and_nothing_starts() {
    let portal = portal();
    let host = Host::of(&portal);
    let _agent = host.agent();
    knows_bookings(&host);
    portal.set(Mood::Refuses(409, "reservation.no_shares", "Not booked. No card is free."));
    assert_eq!(refused(&host).first_line(), "berth: not started. Not booked. No card is free.");
    portal.set(Mood::Away);
    let said = refused(&host);
    assert!(said.first_line().contains("Cards can be booked only while the portal answers"), "{}", said.stderr);
    // It may have booked before it hung up: once it answers, that is ended. What it has refused is not.
    portal.give(table(vec![]));
    eventually("it is asked to end it", || !portal.sent_to(CHANGE_PATH).is_empty());
    let changes: Vec<Value> = portal.sent_to(CHANGE_PATH).into_iter().map(|request| request.body).collect();
    assert!(changes.iter().all(|change| change["booking"]["key"].is_string() && change["act"] == "end"), "{changes:?}");
    let keys: std::collections::BTreeSet<String> = changes.iter().map(|change| change["booking"].to_string()).collect();
    assert_eq!(keys.len(), 1);
}

#[test]
fn what_is_asked_for_wrongly_books_nothing() {
    let portal = portal();
    let host = Host::of(&portal);
    let _agent = host.agent();
    knows_bookings(&host);
    for (args, code) in [
        (&["run", "--for", "2h", "--", "true"][..], 2),
        (&["run", "--gpus", "1", "--for", "soon", "--", "true"], 2),
        (&["run", "--gpus", "1", "--cards", "0", "--", "true"], 2),
        (&["run", "--gpus", "1", "--reservation", "ffff", "--", "true"], 77),
    ] {
        assert_eq!(host.run(args).code, Some(code), "{args:?}");
    }
    assert!(booked(&portal).is_empty());
}
