//! Rows of `host_account`: whose an account of an operating system is.

use domain::id::{HostId, UserId};
use domain::wire::page::AccountRow;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;

/// The same mapping twice, on one host.
pub const KEY: &str = "host_account_key";
/// The same mapping twice, on all hosts.
pub const EVERYWHERE_KEY: &str = "host_account_everywhere_key";
/// No such host.
pub const HOST_EXISTS: &str = "host_account_host_exists";
/// No such person.
pub const USER_EXISTS: &str = "host_account_user_exists";

/// Maps an account.
///
/// # Errors
/// [`StoreError`] with one of the constraints above.
pub async fn insert(
    pool: &PgPool,
    host: Option<HostId>,
    os_user: &str,
    person: UserId,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into host_account (host_account_id, host_id, os_user, user_id, proven, made_at)
         values ($1, $2, $3, $4, false, $5)",
    )
    .bind(Uuid::now_v7())
    .bind(host.map(|host| host.0))
    .bind(os_user)
    .bind(person.0)
    .bind(now)
    .execute(pool)
    .await?;
    Ok(())
}

/// Maps an account that was proven; one that an administrator had set becomes proven.
///
/// # Errors
/// [`StoreError`].
pub async fn prove(
    db: impl PgExecutor<'_>,
    host: HostId,
    os_user: &str,
    person: UserId,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into host_account (host_account_id, host_id, os_user, user_id, proven, made_at)
         values ($1, $2, $3, $4, true, $5)
         on conflict on constraint host_account_key do update set proven = true",
    )
    .bind(Uuid::now_v7())
    .bind(host.0)
    .bind(os_user)
    .bind(person.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Takes a mapping back; `false` where there is none.
///
/// # Errors
/// [`StoreError`].
pub async fn delete(pool: &PgPool, host: Option<HostId>, os_user: &str, person: UserId) -> Result<bool, StoreError> {
    let done =
        sqlx::query("delete from host_account where host_id is not distinct from $1 and os_user = $2 and user_id = $3")
            .bind(host.map(|host| host.0))
            .bind(os_user)
            .bind(person.0)
            .execute(pool)
            .await?;
    Ok(done.rows_affected() > 0)
}

#[derive(sqlx::FromRow)]
struct Row {
    host_id: Option<Uuid>,
    host_name: Option<String>,
    os_user: String,
    user_id: Uuid,
    display_name: String,
    proven: bool,
}

/// Mapped accounts, of one person or of all, in order of host and account; those for all hosts come first.
///
/// # Errors
/// [`StoreError`].
pub async fn list(pool: &PgPool, person: Option<UserId>) -> Result<Vec<AccountRow>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        r#"select a.host_id, h.name as host_name, a.os_user, a.user_id, u.display_name, a.proven
           from host_account a join "user" u using (user_id) left join host h using (host_id)
           where $1::uuid is null or a.user_id = $1
           order by h.name nulls first, a.os_user, lower(u.display_name)"#,
    )
    .bind(person.map(|person| person.0))
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|Row { host_id, host_name, os_user, user_id, display_name, proven }| AccountRow {
            host: host_id.map(HostId),
            host_name,
            os_user,
            person: UserId(user_id),
            person_name: display_name,
            proven,
        })
        .collect())
}
