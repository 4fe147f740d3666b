//! Reaching Postgres: the pool, the tables, and whether it answers.

use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, PgPool};
use tokio::sync::watch::Sender;

use crate::config::Secret;
use crate::error::chain;
use crate::store::StoreError;

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// Most connections to the database at once.
const CONNECTIONS: u32 = 16;
/// Longest wait for one of them.
const ACQUIRE: Duration = Duration::from_secs(3);
/// A connection that has been idle for longer is asked whether it lives before it is used.
const TRUSTED: Duration = Duration::from_millis(300);
/// How often it is asked whether it is there.
const PROBE: Duration = Duration::from_secs(1);
/// How often while it is not.
const PROBE_DOWN: Duration = Duration::from_millis(200);
/// Longest time for the answer.
const PROBE_PATIENCE: Duration = Duration::from_secs(2);

/// Whether the database answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not answered yet, or its tables are being made.
    Starting,
    /// It answers.
    Up,
    /// It answered once, and does not now.
    Down,
}

/// The database cannot be used, however long one waits.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// Not an address.
    #[error("DATABASE_URL cannot be read: expected something like `postgres://berth:secret@db/berth`")]
    Address,
    /// Tables of a later version.
    #[error(
        "the database was written by a newer version of Berth (it has migration {0}): start that version, or restore \
         a backup made before the upgrade"
    )]
    Newer(i64),
    /// Somebody changed a migration.
    #[error("the database's tables were made by a different build of Berth (migration {0} differs): start that build")]
    Different(i64),
    /// Refused by the server.
    #[error("Postgres refuses to work with us: {0}. Check the name, password and database in DATABASE_URL")]
    Refused(String),
    /// A migration does not go through.
    #[error("the database's tables cannot be made or upgraded: {0}")]
    Migration(String),
}

/// How to connect to the server at `url`.
///
/// # Errors
/// [`Unusable::Address`], without the address: it holds a password.
pub fn options(url: &Secret) -> Result<PgConnectOptions, Unusable> {
    url.reveal().parse().map_err(|_| Unusable::Address)
}

/// Connections that are made when they are needed. One that has been used a moment ago is not asked whether it lives: that
/// would be a way to the database and back before each thing that is done.
pub fn pool(options: PgConnectOptions) -> PgPool {
    PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE)
        .test_before_acquire(false)
        .before_acquire(|connection, known| {
            Box::pin(async move {
                if known.idle_for > TRUSTED {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(quiet(options))
}

/// No statement text in the log.
fn quiet(options: PgConnectOptions) -> PgConnectOptions {
    options.application_name("berth-server").disable_statement_logging()
}

/// Waits until the database answers, then brings its tables up to date. Replicas that start together take turns.
///
/// # Errors
/// [`Unusable`] where waiting longer cannot help.
pub async fn migrate(pool: &PgPool) -> Result<(), Unusable> {
    let mut wait = Duration::from_millis(100);
    loop {
        let error = match MIGRATIONS.run(pool).await {
            Ok(()) => return Ok(()),
            Err(MigrateError::VersionMissing(version)) => return Err(Unusable::Newer(version)),
            Err(MigrateError::VersionMismatch(version)) => return Err(Unusable::Different(version)),
            Err(MigrateError::Execute(error)) => StoreError::from(error),
            Err(error) => return Err(Unusable::Migration(chain(&error))),
        };
        match error.sqlstate().as_deref() {
            // Wrong password, no such role, no such database, no right to connect.
            Some("28000" | "28P01" | "3D000" | "42501") => return Err(Unusable::Refused(chain(&error))),
            _ if error.is_outage() => {
                tracing::warn!(cause = chain(&error), retry_ms = wait.as_millis(), "database does not answer");
            }
            _ => return Err(Unusable::Migration(chain(&error))),
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(Duration::from_secs(5));
    }
}

/// Keeps `state` true, with a connection of its own so that a busy pool is not mistaken for a dead server.
/// Ends when nobody looks any more.
pub async fn watch(options: PgConnectOptions, state: Sender<State>) {
    let options = quiet(options);
    let mut connection = None;
    while !state.is_closed() {
        let asked = tokio::time::timeout(PROBE_PATIENCE, async {
            let mut held = match connection.take() {
                Some(held) => held,
                None => options.connect().await?,
            };
            held.ping().await?;
            Ok::<_, sqlx::Error>(held)
        });
        let now = match asked.await {
            Ok(Ok(held)) => {
                connection = Some(held);
                State::Up
            }
            Ok(Err(_)) | Err(_) => State::Down,
        };
        let before = state.send_replace(now);
        match (before, now) {
            (State::Up, State::Down) => tracing::error!("database does not answer"),
            (State::Down, State::Up) => tracing::info!("database answers again"),
            _ => {}
        }
        tokio::time::sleep(if now == State::Up { PROBE } else { PROBE_DOWN }).await;
    }
}
