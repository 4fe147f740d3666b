//! The record of minutes with everything real: the agent, the portal and Postgres, of which the first two are killed at
//! random moments.

use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use agent::cli::Cli;
use clap::Parser;
use nix::sys::signal::Signal;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::time::Instant;

use crate::support::cluster::{self, Temporary};
use crate::support::people::enrolled;
use crate::support::program::{Program, command};
use crate::support::until;

/// Says to this program that it is to be the agent of the host whose files are in this folder.
const BE_AGENT: &str = "BERTH_TEST_BE_AGENT";

/// Not a test by itself: what the test below starts and kills. It ends at once where nobody has asked for an agent.
#[test]
fn the_agent_of_the_test_below() {
    let Some(folder) = std::env::var_os(BE_AGENT) else { return };
    let folder = Path::new(&folder);
    let library = std::env::current_exe().expect("a path").with_file_name("libnvml_sim.so");
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agent/nvml-sim/profiles/dgx-h100.toml");
    std::fs::copy(library, folder.join("libnvml_sim.so")).expect("the simulated library");
    std::fs::copy(profile, folder.join("profile.toml")).expect("its profile");
    let at = |name: &str| folder.join(name).display().to_string();
    let arguments = [
        "berth",
        "agent",
        "--minute=1s",
        "--report-every=100ms",
        &format!("--state-dir={}", at("state")),
        &format!("--socket={}", at("run/agent.sock")),
        &format!("--nvml-library={}", at("libnvml_sim.so")),
    ];
    let _ = Cli::try_parse_from(arguments).expect("flags of the agent").run();
}

fn agent(folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.args(["--exact", "process::record::the_agent_of_the_test_below", "--nocapture"]);
    command.env(BE_AGENT, folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the agent")
}

fn kill(mut agent: Child) {
    agent.kill().expect("alive");
    agent.wait().expect("ended");
}

async fn portal(port: u16, database: &str) -> Program {
    let flags = [format!("--listen=127.0.0.1:{port}"), format!("--database-url={database}"), "--minute=1".to_owned()];
    let program = Program::start(&mut command(&flags.iter().map(String::as_str).collect::<Vec<_>>()));
    program.ready().await;
    program
}

/// Below a bound.
fn random(below: u64) -> u64 {
    u64::from(uuid::Uuid::new_v4().as_bytes()[0]) * below / 256
}

#[derive(sqlx::FromRow)]
struct Row {
    minute: OffsetDateTime,
    cards: i64,
    shortest: i32,
    longest: i32,
    parts: i64,
}

async fn record(pool: &PgPool) -> Vec<Row> {
    sqlx::query_as(
        "select minute, count(*) as cards, min(watched_ms) as shortest, max(watched_ms) as longest,
                (select count(*) from host_minute h where h.minute = m.minute) as parts
         from card_minute m group by minute order by minute",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

#[tokio::test]
async fn killing_the_agent_or_the_portal_at_any_moment_leaves_no_hole_and_nothing_twice() {
    let (database, folder) = (cluster::fresh().await, Temporary::new("record"));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut serving = portal(port, &database.url).await;
    let (host, credential) = enrolled(&database.pool, "dgx").await;
    let enrolment = serde_json::json!({ "server": format!("http://127.0.0.1:{port}"), "host": host.id,
                                        "host_name": host.name, "credential": credential });
    std::fs::create_dir(folder.join("state")).unwrap();
    std::fs::write(folder.join("state/credential.json"), enrolment.to_string()).unwrap();
    std::fs::set_permissions(folder.join("state/credential.json"), Permissions::from_mode(0o600)).unwrap();
    let mut watching = agent(&folder);
    until("the record begins", async || !record(&database.pool).await.is_empty()).await;

    let end = Instant::now() + Duration::from_secs(15);
    while Instant::now() < end {
        // The moments are the test; nothing is waited for.
        tokio::time::sleep(Duration::from_millis(random(1_200))).await;
        if random(3) == 0 {
            serving.signal(Signal::SIGKILL);
            serving.end();
            tokio::time::sleep(Duration::from_millis(random(800))).await;
            serving = portal(port, &database.url).await;
        } else {
            kill(watching);
            watching = agent(&folder);
        }
    }
    let now = OffsetDateTime::now_utc();
    until("all of it has arrived", async || record(&database.pool).await.last().is_some_and(|row| row.minute > now))
        .await;
    kill(watching);

    let record = record(&database.pool).await;
    let [first, rest @ ..] = &record[..] else { panic!("nothing was recorded") };
    assert!(rest.len() > 10);
    for (n, row) in (1..).zip(rest) {
        assert_eq!(row.minute, first.minute + time::Duration::seconds(n), "a minute is missing");
        assert_eq!((row.cards, row.shortest, row.longest, row.parts), (8, 1000, 1000, 1), "{}", row.minute);
    }
    let (accounts, longest): (i64, Option<i32>) =
        sqlx::query_as("select count(*), max(present_ms) from card_minute_account")
            .fetch_one(&database.pool)
            .await
            .unwrap();
    assert!(accounts == 0 || longest <= Some(1000));
}
