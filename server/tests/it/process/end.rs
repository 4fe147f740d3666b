//! How the portal ends: running requests are finished, open streams are closed, nothing secret is in its log.

use futures::StreamExt;
use nix::sys::signal::Signal;

use crate::support::cluster::Temporary;
use crate::support::portal::PASSWORD;
use crate::support::program::{Program, command, private};
use crate::support::until;

#[tokio::test]
async fn open_streams_end_and_nothing_is_cut_off() {
    let folder = Temporary::with_cluster().await;
    let program = Program::portal(&folder).await;
    let admin = program.admin().await;
    let events = admin.get("/events").await;
    assert_eq!(events.status(), 200);
    let mut stream = events.bytes_stream();
    assert!(stream.next().await.is_some_and(|chunk| chunk.is_ok()), "the stream is alive");

    program.signal(Signal::SIGTERM);
    while let Some(chunk) = stream.next().await {
        assert!(chunk.is_ok(), "ended, not cut off");
    }
    let ended = program.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.said);
    assert!(!ended.said.contains("cut off"), "{}", ended.said);
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let folder = Temporary::with_cluster().await;
    let program = Program::portal(&folder).await;
    program.signal(Signal::SIGINT);
    until("it has heard the first", async || program.said().contains("a second signal")).await;
    program.signal(Signal::SIGINT);
    let ended = program.end();
    // It may have been done with everything before the second one came.
    assert!([Some(130), Some(0)].contains(&ended.status.code()), "{}", ended.said);
}

#[tokio::test]
async fn the_log_holds_no_secrets() {
    let folder = Temporary::with_cluster().await;
    let flags = private(&folder);
    let mut flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    flags.push("--log=debug");
    let program = Program::start(&mut command(&flags));
    program.ready().await;
    let admin = program.admin().await;
    let wrong = [("name", "root-admin"), ("password", "not-the-password")];
    assert_eq!(program.anonymous().submit("sign_in", &wrong).await.status(), 401);
    let again = program.anonymous();
    let answer = again.submit("sign_in", &[("name", "root-admin"), ("password", PASSWORD)]).await;
    let cookie = answer.headers()["set-cookie"].to_str().expect("text").to_owned();
    let session = cookie.split(['=', ';']).nth(1).expect("a value").to_owned();
    let code: serde_json::Value = admin.submit("new_code", &[("host", "h1")]).await.json().await.expect("a code");
    let code = code[0].as_str().expect("a code").to_owned();
    let agent = crate::support::actor::Agent::enrol(program.anonymous(), code.clone()).await;
    let credential = agent.enrolled.credential.clone();

    program.signal(Signal::SIGTERM);
    let said = program.end().said;
    assert!(said.lines().filter(|line| line.contains("\"answered\"")).count() > 3, "requests are logged: {said}");
    let log: String = said.lines().filter(|line| line.starts_with('{')).collect();
    for secret in [PASSWORD, "not-the-password", &session, &code, &credential, "/setup#code"] {
        assert!(!log.contains(secret), "`{secret}` is in the log");
    }
}
