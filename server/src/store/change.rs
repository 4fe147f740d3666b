//! The log by which replicas learn that bookings, hosts or cards have changed.

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
