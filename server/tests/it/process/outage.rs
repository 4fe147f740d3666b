//! Postgres goes away under load and comes back: nothing acknowledged is lost, and everybody is told what is going on.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use server::embedded::{Folder, options};
use sqlx::{Connection, PgConnection};

use crate::support::cluster::Temporary;
use crate::support::program::{Program, command};
use crate::support::{TestApp, cluster, until};

#[tokio::test]
async fn nothing_acknowledged_is_lost_when_postgres_dies_under_load() {
    let folder = Temporary::with_cluster().await;
    let program = Program::portal(&folder).await;
    let admin = Arc::new(program.admin().await);
    let stop = Arc::new(AtomicBool::new(false));
    let written = Arc::new(AtomicUsize::new(0));

    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (admin, stop, written) = (admin.clone(), stop.clone(), written.clone());
            tokio::spawn(async move {
                let mut acknowledged = Vec::new();
                for n in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let name = format!("h{writer}-{n}");
                    let answer = admin.submit("new_code", &[("host", name.as_str())]).await;
                    match answer.status().as_u16() {
                        200 => {
                            acknowledged.push(name);
                            written.fetch_add(1, Ordering::SeqCst);
                        }
                        503 => {
                            assert!(answer.headers().contains_key("retry-after"));
                            let body: serde_json::Value = answer.json().await.expect("JSON");
                            assert_eq!(body["Api"]["code"], "server.unavailable");
                        }
                        other => panic!("{other}: {}", answer.text().await.expect("text")),
                    }
                }
                acknowledged
            })
        })
        .collect();

    for signal in [Signal::SIGKILL, Signal::SIGQUIT, Signal::SIGINT] {
        let so_far = written.load(Ordering::SeqCst);
        until("writes go on", async || written.load(Ordering::SeqCst) > so_far + 10).await;
        let pid = postmaster(&folder).expect("Postgres runs");
        // Whether somebody is refused meanwhile is a matter of luck: who asks between two statements is only kept waiting.
        kill(pid, signal).expect("it runs");
        until("another one runs", async || postmaster(&folder).is_some_and(|next| next != pid)).await;
    }
    let so_far = written.load(Ordering::SeqCst);
    until("writes go on", async || written.load(Ordering::SeqCst) > so_far + 10).await;
    stop.store(true, Ordering::SeqCst);

    let mut acknowledged = BTreeSet::new();
    for writer in writers {
        acknowledged.extend(writer.await.expect("no panic"));
    }
    let mut database = PgConnection::connect_with(&options(&Folder::at(&folder))).await.expect("a connection");
    let there: Vec<String> =
        sqlx::query_scalar("select name from host").fetch_all(&mut database).await.expect("the hosts");
    let there: BTreeSet<String> = there.into_iter().collect();
    let lost: Vec<_> = acknowledged.difference(&there).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    assert!(acknowledged.len() > 40);
    assert_eq!(admin.get("/").await.status(), 200, "nobody was signed out");
}

#[tokio::test]
async fn while_the_database_is_away_pages_say_so_and_health_too() {
    let folder = Temporary::new("late");
    let database = cluster::fresh().await;
    let url = database.url.replace(&database.socket_dir, &folder.join("socket").display().to_string());
    let program = Program::start(&mut command(&["--listen=127.0.0.1:0", &format!("--database-url={url}")]));
    until("it listens", async || program.address().is_some()).await;

    // It is not there yet: the portal waits, and says so.
    let anonymous = program.anonymous();
    let health = anonymous.get("/healthz").await;
    assert_eq!(health.status(), 503);
    let health: serde_json::Value = health.json().await.expect("JSON");
    assert_eq!(
        (health["status"].as_str(), health["database"].as_str()),
        (Some("starting"), Some("does not answer yet"))
    );
    let page = anonymous.get("/").await;
    assert_eq!(page.status(), 503);
    assert!(page.headers()["content-type"].to_str().expect("text").starts_with("text/html"));
    assert!(page.text().await.expect("a page").contains("database does not answer"));
    let api =
        anonymous.request(reqwest::Method::POST, "/api/v1/agent/enrol").body("{}").send().await.expect("an answer");
    assert_eq!(
        (api.status().as_u16(), &api.headers()["content-type"]),
        (503, &"application/problem+json".parse().expect("a header"))
    );

    // Now it comes.
    std::os::unix::fs::symlink(&database.socket_dir, folder.join("socket")).expect("a link");
    program.ready().await;
    let admin = program.admin().await;
    assert_eq!(admin.get("/").await.status(), 200);

    // And goes, and comes again.
    std::fs::remove_file(folder.join("socket")).expect("a link");
    sqlx::query("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
        .execute(&database.pool)
        .await
        .expect("cut");
    until("health says so", async || anonymous.get("/healthz").await.status() == 503).await;
    let page = admin.get("/").await;
    assert_eq!(page.status(), 503);
    assert!(page.text().await.expect("a page").contains("database does not answer"));
    std::os::unix::fs::symlink(&database.socket_dir, folder.join("socket")).expect("a link");
    program.ready().await;
    assert_eq!(admin.get("/").await.status(), 200, "still signed in");
}

#[tokio::test]
async fn a_database_that_cannot_be_used_is_refused_with_the_reason() {
    let app = TestApp::spawn().await;
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                 values (9999, 'later', true, '', 0)";
    sqlx::query(newer).execute(&app.pool).await.expect("a row");
    let url = app.database_url.clone();
    app.stop().await;
    let start = |url: &str| {
        crate::support::program::run(&mut command(&["--listen=127.0.0.1:0", &format!("--database-url={url}")]))
    };
    start(&url).refused(1, &["written by a newer version of Berth", "9999"]);

    let name = url.split("///").nth(1).and_then(|rest| rest.split('?').next()).expect("a name").to_owned();
    start(&url.replace(&name, "no_such_database")).refused(1, &["no_such_database", "DATABASE_URL"]);
}

fn postmaster(folder: &std::path::Path) -> Option<Pid> {
    let written = std::fs::read_to_string(folder.join("postgres/postmaster.pid")).ok()?;
    written.lines().next()?.trim().parse().ok().map(Pid::from_raw)
}
