//! The log by which replicas learn that bookings, hosts or cards have changed, and the call that they hear at once.
//!
//! The log is the truth: it is written in the transaction of the change. The call is only quicker, and may be lost. It
//! is made after the commit, on a connection of its own: inside the transaction NOTIFY makes commits wait for each other.

use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::StoreError;

/// Equal as long as nothing has changed. Says nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Version {
    last: i64,
    rows: i64,
}

impl Version {
    /// From the last number and the number of rows.
    pub(super) fn at(last: i64, rows: i64) -> Self {
        Self { last, rows }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.last, self.rows)
    }
}

/// Notes a change inside its own transaction: of anything that calendar or finder show, labels and inventories among it.
///
/// # Errors
/// [`StoreError`] where the database refuses.
pub async fn note(conn: &mut PgConnection, now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query("insert into change (made_at) values ($1)").bind(now).execute(conn).await?;
    Ok(())
}

/// Where the log stands. Two transactions can commit in another order than they took their numbers in, so the number
/// of rows counts as well as the last one.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn version(pool: &PgPool) -> Result<Version, StoreError> {
    let (last, rows) =
        sqlx::query_as("select coalesce(max(change_id), 0), count(*) from change").fetch_one(pool).await?;
    Ok(Version { last, rows })
}

/// Forgets what every replica has seen long ago.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn prune(pool: &PgPool, before: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query("delete from change where made_at < $1").bind(before).execute(pool).await?;
    Ok(())
}

/// The channel of [`call`] and [`listen`]; each database has its own.
const CHANNEL: &str = "berth_change";

/// Calls out to everybody who listens, the caller among them.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn call(pool: &PgPool, word: &str) -> Result<(), StoreError> {
    sqlx::query("select pg_notify($1, $2)").bind(CHANNEL).bind(word).execute(pool).await?;
    Ok(())
}

/// Hears what is called from now on. A connection that is lost is not made again by itself.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn listen(pool: &PgPool) -> Result<Ear, StoreError> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    Ok(Ear(listener))
}

/// Two connections, one to call and one to listen, that requests never wait for or are kept waiting by.
#[must_use]
pub fn line(pool: &PgPool) -> PgPool {
    let options = pool.connect_options().as_ref().clone();
    // Neither is closed for its age: while a new one is made, nothing is heard.
    PgPoolOptions::new()
        .max_connections(2)
        .max_lifetime(None)
        .idle_timeout(None)
        .acquire_timeout(LINE_PATIENCE)
        .connect_lazy_with(options)
}

/// Longest wait for a connection of [`line`].
const LINE_PATIENCE: std::time::Duration = std::time::Duration::from_secs(3);

/// Somebody who listens.
pub struct Ear(PgListener);

impl Ear {
    /// The next call; `None` when the connection is lost. May be given up at any moment without losing one.
    ///
    /// # Errors
    /// [`StoreError`] where the connection is lost in another way.
    pub async fn hear(&mut self) -> Result<Option<String>, StoreError> {
        Ok(self.0.try_recv().await?.map(|call| call.payload().to_owned()))
    }
}
