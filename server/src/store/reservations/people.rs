//! Whose bookings are about to change: their rows are locked first, so that two deeds for one person come one after the
//! other. What is counted for a person would otherwise be counted by both before either has written.

use domain::id::UserId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;

/// Somebody whose row is locked.
#[derive(Debug, Clone)]
pub struct LockedPerson {
    /// Identity.
    pub id: UserId,
    /// Display name.
    pub name: String,
    /// IANA zone.
    pub zone: String,
    /// The account is disabled.
    pub disabled: bool,
}

/// Locks the rows of people in the order of their ids. Those who are not there are missing in the answer.
///
/// # Errors
/// [`StoreError`], with SQLSTATE 55P03 after three seconds of waiting.
pub async fn lock_people(conn: &mut PgConnection, people: &[UserId]) -> Result<Vec<LockedPerson>, StoreError> {
    let rows: Vec<(Uuid, String, String, bool)> = sqlx::query_as(
        r#"select user_id, display_name, zone, disabled_at is not null
           from "user" where user_id = any($1) order by user_id for no key update"#,
    )
    .bind(ids(people))
    .fetch_all(conn)
    .await?;
    let person = |(id, name, zone, disabled)| LockedPerson { id: UserId(id), name, zone, disabled };
    Ok(rows.into_iter().map(person).collect())
}

/// Those of these people who have an account that is not disabled.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn known(conn: &mut PgConnection, people: &[UserId]) -> Result<Vec<UserId>, StoreError> {
    let rows: Vec<Uuid> =
        sqlx::query_scalar(r#"select user_id from "user" where user_id = any($1) and disabled_at is null"#)
            .bind(ids(people))
            .fetch_all(conn)
            .await?;
    Ok(rows.into_iter().map(UserId).collect())
}

/// Whether somebody manages a group that the other one is in.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn manages(conn: &mut PgConnection, manager: UserId, person: UserId) -> Result<bool, StoreError> {
    let manages = sqlx::query_scalar(
        "select exists (
             select from group_member own join group_member theirs using (group_id)
             where own.user_id = $1 and own.manager and theirs.user_id = $2)",
    )
    .bind(manager.0)
    .bind(person.0)
    .fetch_one(conn)
    .await?;
    Ok(manages)
}

/// Who may approve what somebody books: managers of the person's groups, or where there is none, administrators.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn approvers(conn: &mut PgConnection, person: UserId) -> Result<Vec<UserId>, StoreError> {
    let rows: Vec<Uuid> = sqlx::query_scalar(
        r#"with managers as (
               select distinct own.user_id
               from group_member own
               join group_member theirs using (group_id)
               join "user" person on person.user_id = own.user_id and person.disabled_at is null
               where theirs.user_id = $1 and own.manager and own.user_id <> $1
           )
           select user_id from managers
           union
           select user_id from "user"
           where role = 'administrator' and disabled_at is null and not exists (select from managers)
           order by user_id"#,
    )
    .bind(person.0)
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(UserId).collect())
}

pub(super) fn ids(people: &[UserId]) -> Vec<Uuid> {
    people.iter().map(|person| person.0).collect()
}
