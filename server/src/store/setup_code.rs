//! The one row of `setup_code`.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::StoreError;
use crate::auth::secret::SecretHash;

/// Replaces the code, unless there is an administrator; `false` then.
///
/// # Errors
/// [`StoreError`].
pub async fn replace(pool: &PgPool, hash: SecretHash, now: OffsetDateTime) -> Result<bool, StoreError> {
    let done = sqlx::query(
        r#"insert into setup_code (code_hash, made_at)
           select $1, $2 where not exists (select from "user" where role = 'administrator')
           on conflict (only_row) do update set code_hash = excluded.code_hash, made_at = excluded.made_at"#,
    )
    .bind(hash.as_slice())
    .bind(now)
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether the code would be taken. Only a look: [`consume`] decides.
///
/// # Errors
/// [`StoreError`].
pub async fn is_current(pool: &PgPool, hash: SecretHash) -> Result<bool, StoreError> {
    let (current,) = sqlx::query_as("select exists (select from setup_code where code_hash = $1)")
        .bind(hash.as_slice())
        .fetch_one(pool)
        .await?;
    Ok(current)
}

/// Takes the code inside the transaction that makes the administrator. Of many at once one gets `true`; the others
/// wait for it, and then find the row gone.
///
/// # Errors
/// [`StoreError`].
pub async fn consume(db: &mut PgConnection, hash: SecretHash) -> Result<bool, StoreError> {
    let done = sqlx::query("delete from setup_code where code_hash = $1").bind(hash.as_slice()).execute(db).await?;
    Ok(done.rows_affected() == 1)
}
