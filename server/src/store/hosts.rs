//! Hosts as administrators see them, their enrolment and their credentials. What hosts report is another module's.

use domain::id::HostId;
use domain::wire::page::AdminHost;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{StoreError, change};
use crate::auth::AgentHost;
use crate::auth::secret::SecretHash;

/// Gives a host a new enrolment code; makes the host where there is none of that name.
///
/// # Errors
/// [`StoreError`].
pub async fn set_enrol_code(
    pool: &PgPool,
    name: &str,
    code: SecretHash,
    now: OffsetDateTime,
    expires: OffsetDateTime,
) -> Result<Option<HostId>, StoreError> {
    let row: Option<(Uuid,)> = sqlx::query_as(
        "insert into host (host_id, name, created_at, enrol_code_hash, enrol_expires) values ($1, $2, $3, $4, $5)
         on conflict (name) do update set enrol_code_hash = $4, enrol_expires = $5 where host.retired_at is null
         returning host_id",
    )
    .bind(Uuid::now_v7())
    .bind(name)
    .bind(now)
    .bind(code.as_slice())
    .bind(expires)
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|(id,)| HostId(id)))
}

/// Exchanges a code for a credential, once. An older credential of the host stops working.
///
/// # Errors
/// [`StoreError`].
pub async fn enrol(
    pool: &PgPool,
    code: SecretHash,
    credential: SecretHash,
    agent_version: &str,
    now: OffsetDateTime,
) -> Result<Option<AgentHost>, StoreError> {
    let row: Option<(Uuid, String)> = sqlx::query_as(
        "update host set credential_hash = $2, agent_version = $3, enrol_code_hash = null, enrol_expires = null,
                next_credential_hash = null, rotation_asked_at = null
         where enrol_code_hash = $1 and enrol_expires > $4
         returning host_id, name",
    )
    .bind(code.as_slice())
    .bind(credential.as_slice())
    .bind(agent_version)
    .bind(now)
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|(id, name)| AgentHost { id: HostId(id), name }))
}

/// Retires a host at an instant, or takes it back; `false` where there is no such host.
///
/// # Errors
/// [`StoreError`].
pub async fn set_retired(
    pool: &PgPool,
    host: HostId,
    at: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let mut tx = pool.begin().await?;
    // Whoever is retired already stays so since then.
    let done = sqlx::query(
        "update host set retired_at = case when $2 is null then null else coalesce(retired_at, $2) end
         where host_id = $1",
    )
    .bind(host.0)
    .bind(at)
    .execute(&mut *tx)
    .await?;
    change::note(&mut tx, now).await?;
    tx.commit().await?;
    Ok(done.rows_affected() == 1)
}

/// What a credential is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// It is this host's.
    Host {
        /// Which.
        host: AgentHost,
        /// An administrator wants it to renew its credential.
        rotate: bool,
    },
    /// An administrator has taken it away.
    Revoked,
    /// An administrator has retired the host.
    Retired,
}

/// Who holds a credential. The next one of a host takes the place of the one in use by being asked for here.
///
/// # Errors
/// [`StoreError`].
pub async fn by_credential(pool: &PgPool, credential: SecretHash) -> Result<Option<Holder>, StoreError> {
    let row: Option<(Uuid, String, bool, bool, String)> = sqlx::query_as(
        "select host_id, name, rotation_asked_at is not null, retired_at is not null,
                case when credential_hash = $1 then 'used' when next_credential_hash = $1 then 'next'
                     else 'revoked' end
         from host where credential_hash = $1 or next_credential_hash = $1 or revoked_hash = $1
         limit 1",
    )
    .bind(credential.as_slice())
    .fetch_optional(pool)
    .await?;
    let Some((id, name, asked, retired, kind)) = row else { return Ok(None) };
    if kind == "revoked" {
        return Ok(Some(Holder::Revoked));
    }
    if retired {
        return Ok(Some(Holder::Retired));
    }
    let is_next = kind == "next";
    if is_next {
        promote(pool, credential).await?;
    }
    Ok(Some(Holder::Host { host: AgentHost { id: HostId(id), name }, rotate: asked && !is_next }))
}

/// The next credential is in use from now on; the one before is nobody's. Nothing happens where another request of the
/// same host was quicker.
async fn promote(pool: &PgPool, next: SecretHash) -> Result<(), StoreError> {
    sqlx::query(
        "update host set credential_hash = next_credential_hash, next_credential_hash = null, rotation_asked_at = null
         where next_credential_hash = $1",
    )
    .bind(next.as_slice())
    .execute(pool)
    .await?;
    Ok(())
}

/// Lays the next credential of a host beside the one in use; one that lay there unused is gone. `false` where the host
/// has none in use.
///
/// # Errors
/// [`StoreError`].
pub async fn set_next_credential(pool: &PgPool, host: HostId, next: SecretHash) -> Result<bool, StoreError> {
    let done =
        sqlx::query("update host set next_credential_hash = $2 where host_id = $1 and credential_hash is not null")
            .bind(host.0)
            .bind(next.as_slice())
            .execute(pool)
            .await?;
    Ok(done.rows_affected() == 1)
}

/// Notes that a host is to renew its credential; `false` where there is no such host or it has none.
///
/// # Errors
/// [`StoreError`].
pub async fn ask_rotation(pool: &PgPool, host: HostId, now: OffsetDateTime) -> Result<bool, StoreError> {
    let done = sqlx::query("update host set rotation_asked_at = $2 where host_id = $1 and credential_hash is not null")
        .bind(host.0)
        .bind(now)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Takes every credential and any open code away; `false` where there is no such host.
///
/// # Errors
/// [`StoreError`].
pub async fn revoke(pool: &PgPool, host: HostId) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "update host set revoked_hash = coalesce(credential_hash, revoked_hash), credential_hash = null,
                next_credential_hash = null, rotation_asked_at = null, enrol_code_hash = null, enrol_expires = null
         where host_id = $1",
    )
    .bind(host.0)
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

#[derive(sqlx::FromRow)]
struct AdminHostRow {
    host_id: Uuid,
    name: String,
    last_report_at: Option<OffsetDateTime>,
    agent_version: Option<String>,
    cards: i64,
    enrolled: bool,
    rotating: bool,
    retired: bool,
}

/// Every host, in order of the name.
///
/// # Errors
/// [`StoreError`].
pub async fn for_administrators(pool: &PgPool) -> Result<Vec<AdminHost>, StoreError> {
    let rows: Vec<AdminHostRow> = sqlx::query_as(
        "select h.host_id, h.name, h.last_report_at, h.agent_version, h.credential_hash is not null as enrolled,
                h.rotation_asked_at is not null as rotating,
                h.retired_at is not null as retired,
                (select count(*) from card c where c.host_id = h.host_id and c.present) as cards
         from host h order by h.name",
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|AdminHostRow { host_id, name, last_report_at, agent_version, cards, enrolled, rotating, retired }| {
            AdminHost {
                id: HostId(host_id),
                name,
                last_report: last_report_at,
                agent_version,
                cards: u32::try_from(cards).unwrap_or(u32::MAX),
                enrolled,
                rotating,
                beat_ms: 0,
                retired,
            }
        })
        .collect())
}
