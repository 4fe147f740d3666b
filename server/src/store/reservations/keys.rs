//! Requests that have been answered before. The same key with the same content gives the same answer, however often it
//! is sent; with other content it is an error.

use domain::id::UserId;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::store::StoreError;

/// What a key has been used for.
#[derive(Debug)]
pub struct KeyUse {
    /// SHA-256 of what was asked for.
    pub request_hash: Vec<u8>,
    /// What was answered.
    pub outcome: serde_json::Value,
}

/// A request that is answered by what is written.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Whose.
    pub person: UserId,
    /// Made up by the client.
    pub key: Uuid,
    /// SHA-256 of what was asked for.
    pub request_hash: Vec<u8>,
    /// The answer.
    pub outcome: serde_json::Value,
}

/// Looks up a key of a person, whose row is locked.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn key_use(conn: &mut PgConnection, person: UserId, key: Uuid) -> Result<Option<KeyUse>, StoreError> {
    let row: Option<(Vec<u8>, serde_json::Value)> =
        sqlx::query_as("select request_hash, outcome from request_key where user_id = $1 and key = $2")
            .bind(person.0)
            .bind(key)
            .fetch_optional(conn)
            .await?;
    Ok(row.map(|(request_hash, outcome)| KeyUse { request_hash, outcome }))
}

/// Keeps the answer to a request, where nothing else of it is written with it.
///
/// # Errors
/// [`StoreError`] with the constraint's name where the key is used.
pub async fn keep(conn: &mut PgConnection, new: &NewKey, now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query("insert into request_key (user_id, key, request_hash, outcome, made_at) values ($1, $2, $3, $4, $5)")
        .bind(new.person.0)
        .bind(new.key)
        .bind(&new.request_hash)
        .bind(&new.outcome)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Forgets requests that nobody repeats any more.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn delete_old(pool: &PgPool, before: OffsetDateTime) -> Result<u64, StoreError> {
    let gone = sqlx::query("delete from request_key where made_at < $1").bind(before).execute(pool).await?;
    Ok(gone.rows_affected())
}
