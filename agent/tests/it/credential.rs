//! The host's credential: who may read it, how it is renewed, and that it is never given up.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::support::eventually;
use crate::support::host::Host;
use crate::support::portal::{Mood, Portal};
use crate::support::scene::table;

const ROTATE: &str = "/api/v1/agent/rotate";

fn file(host: &Host) -> std::path::PathBuf {
    host.state().join("credential.json")
}

fn kept(host: &Host) -> Value {
    serde_json::from_slice(&fs::read(file(host)).expect("read")).expect("json")
}

/// What the last report came with.
fn shown(portal: &Portal) -> String {
    portal.reports().last().and_then(|report| report.authorization.clone()).unwrap_or_default()
}

#[test]
fn it_is_renewed_by_hand_without_a_moment_in_which_none_works() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let agent = host.agent();
    eventually("the first is in use", || shown(&portal) == "Bearer bh_credential-1");
    let said = host.run(&["agent", "rotate"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    assert!(said.stdout.starts_with("The credential is renewed."), "{}", said.stdout);
    eventually("the next is in use", || shown(&portal) == "Bearer bh_renewed-1");

    let asked = portal.sent_to(ROTATE);
    assert_eq!((asked.len(), asked[0].authorization.as_deref()), (1, Some("Bearer bh_credential-1")));
    assert_eq!(
        (&kept(&host)["credential"], &kept(&host)["previous"]),
        (&"bh_renewed-1".into(), &"bh_credential-1".into())
    );
    assert_eq!(fs::metadata(file(&host)).expect("there").permissions().mode() & 0o777, 0o600);
    assert!(!agent.log().contains("bh_") && !said.stdout.contains("bh_"), "{}", agent.log());
}

#[test]
fn it_is_renewed_once_when_the_portal_asks() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let agent = host.agent();
    portal.set(Mood::Asks(Box::new(table(vec![]))));
    eventually("the next is in use", || shown(&portal) == "Bearer bh_renewed-1");
    let before = portal.reports().len();
    eventually("more reports", || portal.reports().len() > before + 3);
    assert_eq!(portal.sent_to(ROTATE).len(), 1);
    assert!(agent.log().contains("has renewed its credential"), "{}", agent.log());
}

#[test]
fn it_is_renewed_after_thirty_days() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let agent = host.agent();
    eventually("reports", || portal.reports().len() > 2);
    assert!(portal.sent_to(ROTATE).is_empty());
    agent.stop(Signal::SIGTERM);

    let mut content = kept(&host);
    let days_ago = |days| {
        let then = time::OffsetDateTime::now_utc() - time::Duration::days(days);
        then.format(&time::format_description::well_known::Rfc3339).expect("text")
    };
    content["since"] = days_ago(29).into();
    fs::write(file(&host), content.to_string()).expect("written");
    let before = portal.reports().len();
    let agent = host.agent();
    eventually("reports", || portal.reports().len() > before + 2);
    assert!(portal.sent_to(ROTATE).is_empty());
    // Also without a restart.
    content["since"] = days_ago(31).into();
    content["credential"] = "bh_by-hand".into();
    fs::write(file(&host), content.to_string()).expect("written");
    eventually("the next is in use", || shown(&portal) == "Bearer bh_renewed-1");
    assert!(agent.log().contains("the host has got another credential"), "{}", agent.log());
}

#[test]
fn a_portal_that_cannot_renew_it_takes_nothing_away() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    portal.set(Mood::Older(Box::new(table(vec![]))));
    let said = host.run(&["agent", "rotate"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("the credential in use goes on working"), "{}", said.stderr);
    let mut content = kept(&host);
    content.as_object_mut().expect("object").remove("since");
    fs::write(file(&host), content.to_string()).expect("written");
    let agent = host.agent();
    eventually("reports", || portal.reports().len() > 5);
    assert_eq!((portal.sent_to(ROTATE).len(), shown(&portal).as_str()), (2, "Bearer bh_credential-1"));
    assert_eq!(agent.log().matches("cannot be renewed").count(), 1, "{}", agent.log());
}

#[test]
fn one_that_others_may_read_is_not_used() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    fs::set_permissions(file(&host), fs::Permissions::from_mode(0o644)).expect("set");
    for args in [&["agent"][..], &["agent", "rotate"]] {
        let said = host.run(args);
        assert_ne!(said.code, Some(0));
        assert!(said.stderr.contains("may be read by other accounts (mode 0644)"), "{}", said.stderr);
        assert!(said.stderr.contains("chmod 600"), "{}", said.stderr);
    }
    assert!(portal.sent_to(ROTATE).is_empty() && portal.reports().is_empty());
}

#[test]
fn a_revoked_host_keeps_it_and_asks_seldom() {
    let portal = Portal::fine(table(vec![]));
    let host = Host::of(&portal);
    let agent = host.agent();
    eventually("reports", || portal.reports().len() > 2);
    let before = kept(&host);
    portal.set(Mood::Refuses(401, "agent.revoked", "An administrator has revoked it."));
    eventually("it says so", || agent.log().contains("An administrator has revoked it."));
    assert_eq!(kept(&host), before);
    assert_eq!(host.run(&["status"]).code, Some(0), "it goes on guarding");
    assert!(agent.log().contains("enrol it anew"), "{}", agent.log());
}
