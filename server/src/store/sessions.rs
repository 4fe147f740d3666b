//! Rows of `session`.

use domain::id::UserId;
use domain::user::Role;
use domain::wire::page::Viewer;
use serde_json::Value;
use sqlx::{PgExecutor, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::StoreError;
use crate::auth::secret::SecretHash;
use crate::auth::session::{IDLE, LIFETIME};

/// The end moves on once it is this much behind: use is noted at most so often.
const NOTE_EVERY: Duration = Duration::minutes(5);

/// A session that begins.
pub struct NewSession<'a> {
    /// Of its id.
    pub hash: SecretHash,
    /// Who signed in.
    pub user: Option<UserId>,
    /// What the session layer keeps.
    pub data: &'a Value,
    /// Now.
    pub created_at: OffsetDateTime,
    /// End without use.
    pub expires_at: OffsetDateTime,
}

/// Somebody with a session that lives.
pub struct SignedIn {
    /// Who.
    pub viewer: Viewer,
    /// Their zone.
    pub zone: String,
}

/// Inserts; `false` where the id exists.
///
/// # Errors
/// [`StoreError`].
pub async fn insert(pool: &PgPool, row: NewSession<'_>) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "insert into session (session_hash, user_id, data, created_at, expires_at)
         values ($1, $2, $3, $4, $5) on conflict do nothing",
    )
    .bind(row.hash.as_slice())
    .bind(row.user.map(|user| user.0))
    .bind(row.data)
    .bind(row.created_at)
    .bind(row.expires_at)
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Replaces the data of a session that exists.
///
/// # Errors
/// [`StoreError`].
pub async fn update(pool: &PgPool, hash: SecretHash, user: Option<UserId>, data: &Value) -> Result<(), StoreError> {
    sqlx::query("update session set user_id = $2, data = $3 where session_hash = $1")
        .bind(hash.as_slice())
        .bind(user.map(|user| user.0))
        .bind(data)
        .execute(pool)
        .await?;
    Ok(())
}

/// Data and end of a session that lives.
///
/// # Errors
/// [`StoreError`].
pub async fn load(
    pool: &PgPool,
    hash: SecretHash,
    now: OffsetDateTime,
) -> Result<Option<(Value, OffsetDateTime)>, StoreError> {
    let row = sqlx::query_as(
        "select data, expires_at from session
         where session_hash = $1 and expires_at > $2 and created_at > $3",
    )
    .bind(hash.as_slice())
    .bind(now)
    .bind(now - LIFETIME)
    .fetch_optional(pool)
    .await?;
    Ok(row)
}

/// Ends a session.
///
/// # Errors
/// [`StoreError`].
pub async fn delete(pool: &PgPool, hash: SecretHash) -> Result<(), StoreError> {
    sqlx::query("delete from session where session_hash = $1").bind(hash.as_slice()).execute(pool).await?;
    Ok(())
}

/// Ends every session of a person.
///
/// # Errors
/// [`StoreError`].
pub async fn delete_of(db: impl PgExecutor<'_>, user: UserId) -> Result<(), StoreError> {
    sqlx::query("delete from session where user_id = $1").bind(user.0).execute(db).await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct SignedInRow {
    user_id: Uuid,
    name: String,
    display_name: String,
    role: String,
    zone: String,
    expires_at: OffsetDateTime,
}

/// Who is signed in with this session, if it lives and the account is not disabled. Its end moves on.
///
/// # Errors
/// [`StoreError`].
pub async fn signed_in(pool: &PgPool, hash: SecretHash, now: OffsetDateTime) -> Result<Option<SignedIn>, StoreError> {
    let row: Option<SignedInRow> = sqlx::query_as(
        r#"select u.user_id, u.name, u.display_name, u.role, u.zone, s.expires_at
           from session s join "user" u using (user_id)
           where s.session_hash = $1 and s.expires_at > $2 and s.created_at > $3 and u.disabled_at is null"#,
    )
    .bind(hash.as_slice())
    .bind(now)
    .bind(now - LIFETIME)
    .fetch_optional(pool)
    .await?;
    let Some(SignedInRow { user_id, name, display_name, role, zone, expires_at }) = row else { return Ok(None) };
    if expires_at < now + IDLE - NOTE_EVERY {
        sqlx::query("update session set expires_at = $2 where session_hash = $1")
            .bind(hash.as_slice())
            .bind(now + IDLE)
            .execute(pool)
            .await?;
    }
    let Some(role) = Role::parse(&role) else { return Ok(None) };
    let viewer = Viewer { id: UserId(user_id), name, display_name, role };
    Ok(Some(SignedIn { viewer, zone }))
}

/// Deletes what has ended; gives how many.
///
/// # Errors
/// [`StoreError`].
pub async fn delete_ended(pool: &PgPool, now: OffsetDateTime) -> Result<u64, StoreError> {
    let done = sqlx::query("delete from session where expires_at <= $1 or created_at <= $2")
        .bind(now)
        .bind(now - LIFETIME)
        .execute(pool)
        .await?;
    Ok(done.rows_affected())
}
