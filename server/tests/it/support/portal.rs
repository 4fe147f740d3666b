//! A portal of its own for each test, and those who use it.

use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use server::config::{Cli, Config};
use server::run::{StartError, listen, run_at};
use server::service::{Services, SiteFacts, hosts, setup};
use sqlx::PgPool;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::actor::{Actor, Agent};
use super::clock::TestClock;
use super::cluster;

/// Longest wait for anything in a test.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running portal with a database of its own.
pub struct TestApp {
    /// Where it listens, such as `http://127.0.0.1:41231`.
    pub url: String,
    /// Its database, as in `DATABASE_URL`.
    pub database_url: String,
    /// A look into its database past the portal.
    pub pool: PgPool,
    /// Its clock.
    pub clock: TestClock,
    shutdown: CancellationToken,
    admin_made: OnceCell<()>,
    task: Option<JoinHandle<Result<(), StartError>>>,
}

impl TestApp {
    /// Starts one with the usual settings.
    pub async fn spawn() -> Self {
        Self::spawn_with(&[]).await
    }

    /// Starts one with more flags.
    pub async fn spawn_with(flags: &[&str]) -> Self {
        let database = cluster::fresh().await;
        Self::spawn_on(database.url, database.pool, TestClock::at_morning(), flags).await
    }

    /// Starts another one on the same database, with the same clock.
    pub async fn spawn_beside(&self, flags: &[&str]) -> Self {
        let beside = Self::spawn_on(self.database_url.clone(), self.pool.clone(), self.clock.clone(), flags).await;
        // The administrator is made once.
        drop(self.admin().await);
        let _ = beside.admin_made.set(());
        beside
    }

    async fn spawn_on(database_url: String, pool: PgPool, clock: TestClock, flags: &[&str]) -> Self {
        let config = config(&[&[format!("--database-url={database_url}").as_str()], flags].concat());
        let listener = listen(config.listen).await.expect("a free port");
        let url = format!("http://127.0.0.1:{}", listener.local_addr().expect("bound").port());
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(run_at(config, listener, shutdown.clone(), Arc::new(clock.clone())));
        let app = Self { url, database_url, pool, clock, shutdown, admin_made: OnceCell::new(), task: Some(task) };
        let anonymous = app.anonymous();
        until("the portal is ready", async || anonymous.get("/healthz").await.status() == 200).await;
        app
    }

    /// Somebody with a browser who is not signed in.
    pub fn anonymous(&self) -> Actor {
        Actor::new(&self.url)
    }

    /// The administrator, signed in. The first call makes it, with the set-up code.
    pub async fn admin(&self) -> Actor {
        self.admin_from(&self.url).await;
        let actor = self.anonymous();
        sign_in(&actor, "root-admin").await;
        actor
    }

    /// Makes the administrator from a page at `origin`, if there is none.
    pub async fn admin_from(&self, origin: &str) {
        let made = self.admin_made.get_or_init(|| async {
            let code = setup::ensure_code(&self.services()).await.expect("a code").expect("no administrator yet");
            let mut fields = account("root-admin");
            fields.push(("code", code.as_str()));
            let ask = self.anonymous().request(reqwest::Method::POST, "/api/page/set_up");
            let ask = ask.header("origin", origin).header("accept", "application/json").form(&fields);
            let answer = ask.send().await.expect("an answer");
            assert_eq!(answer.status(), 200, "{}", answer.text().await.expect("text"));
        });
        made.await;
    }

    /// A member called `name`, signed in; made at the first call.
    pub async fn member(&self, name: &str) -> Actor {
        drop(self.admin().await);
        let actor = self.anonymous();
        let answer = actor.submit("sign_up", &account(name)).await;
        if answer.status() != 200 {
            sign_in(&actor, name).await;
        }
        actor
    }

    /// The agent of the host `name`, enrolled.
    pub async fn agent(&self, name: &str) -> Agent {
        let code = hosts::enrol_code(&self.services(), name).await.expect("a code").code;
        Agent::enrol(self.anonymous(), code).await
    }

    /// The rules behind the portal, for what tests arrange past it.
    pub fn services(&self) -> Services {
        let site = SiteFacts::at(&self.url);
        Services::new(self.pool.clone(), Arc::new(self.clock.clone()), site)
    }

    /// Asks the portal to stop, and waits until it has.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        if let Some(task) = self.task.take() {
            task.await.expect("no panic").expect("a clean end");
        }
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

/// Settings as the program would read them, on any free port.
pub fn config(flags: &[&str]) -> Config {
    let args = [&["berth-server", "--listen=127.0.0.1:0", "--data-dir=/nonexistent/berth"], flags].concat();
    Cli::try_parse_from(args).expect("flags").settings.check().expect("settings")
}

/// Waits until `condition` holds.
pub async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !condition().await {
        assert!(tokio::time::Instant::now() < deadline, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The password of everybody in tests.
pub const PASSWORD: &str = "mercury-falcon-quay";

/// The fields of a new account.
pub fn account(name: &str) -> Vec<(&'static str, &str)> {
    vec![("name", name), ("display_name", name), ("password", PASSWORD), ("zone", "Europe/Berlin")]
}

/// Signs somebody in.
pub async fn sign_in(actor: &Actor, name: &str) {
    let answer = actor.submit("sign_in", &[("name", name), ("password", PASSWORD)]).await;
    assert_eq!(answer.status(), 200, "{}", answer.text().await.expect("text"));
}
