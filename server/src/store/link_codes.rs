//! Rows of `link_code`: one open code for each person at most.

use domain::id::UserId;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use crate::auth::secret::SecretHash;

/// Gives a person a new code; older ones stop working.
///
/// # Errors
/// [`StoreError`].
pub async fn replace(
    pool: &PgPool,
    person: UserId,
    code: SecretHash,
    expires_at: OffsetDateTime,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into link_code (user_id, code_hash, expires_at) values ($1, $2, $3)
         on conflict (user_id) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at",
    )
    .bind(person.0)
    .bind(code.as_slice())
    .bind(expires_at)
    .execute(pool)
    .await?;
    Ok(())
}

/// Takes a code; whose it was, with the display name. Of many at once one gets it.
///
/// # Errors
/// [`StoreError`].
pub async fn consume(
    db: &mut PgConnection,
    code: SecretHash,
    now: OffsetDateTime,
) -> Result<Option<(UserId, String)>, StoreError> {
    let row: Option<(Uuid, String)> = sqlx::query_as(
        r#"delete from link_code c using "user" u
           where c.code_hash = $1 and c.expires_at > $2 and u.user_id = c.user_id and u.disabled_at is null
           returning u.user_id, u.display_name"#,
    )
    .bind(code.as_slice())
    .bind(now)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(id, name)| (UserId(id), name)))
}

/// Deletes what has expired; gives how many.
///
/// # Errors
/// [`StoreError`].
pub async fn delete_expired(pool: &PgPool, now: OffsetDateTime) -> Result<u64, StoreError> {
    let done = sqlx::query("delete from link_code where expires_at <= $1").bind(now).execute(pool).await?;
    Ok(done.rows_affected())
}
