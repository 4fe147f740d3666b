//! The beginning of every transaction that takes locks.

use sqlx::{PgPool, Postgres, Transaction};

use super::StoreError;

/// Begins a transaction that waits no more than three seconds for any lock.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, StoreError> {
    Ok(pool.begin_with("begin; set local lock_timeout = '3s'").await?)
}
