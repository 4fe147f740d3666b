//! Groups and who is in them. Every change is in the record, in its own transaction.

use domain::id::{GroupId, UserId};
use domain::user::Role;
use domain::wire::page::Person;
use domain::wire::rules::{GroupMember, GroupRow, NamedGroup};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;

/// Two groups of one name.
pub const NAME_KEY: &str = "person_group_name_key";
/// A member who is not known.
pub const MEMBER_EXISTS: &str = "group_member_exists";

/// Every group, by name.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn names(pool: &PgPool) -> Result<Vec<NamedGroup>, StoreError> {
    let rows: Vec<(Uuid, String)> =
        sqlx::query_as("select group_id, name from person_group order by lower(name), name").fetch_all(pool).await?;
    Ok(rows.into_iter().map(|(id, name)| NamedGroup { id: GroupId(id), name }).collect())
}

/// Groups with their members and the names of their rules, by name: all of them, or those that somebody manages.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn list(pool: &PgPool, managed_by: Option<UserId>) -> Result<Vec<GroupRow>, StoreError> {
    let groups: Vec<(Uuid, String, Vec<String>)> = sqlx::query_as(
        "select group_id, name, array(
             select rule.name from rule where rule.group_id = person_group.group_id and removed_at is null
             order by rule.name)
         from person_group
         where $1::uuid is null or exists (
             select from group_member own
             where own.group_id = person_group.group_id and own.user_id = $1 and own.manager)
         order by lower(name), name",
    )
    .bind(managed_by.map(|id| id.0))
    .fetch_all(pool)
    .await?;
    let ids: Vec<Uuid> = groups.iter().map(|(id, ..)| *id).collect();
    let members: Vec<(Uuid, bool, Uuid, String, String, String)> = sqlx::query_as(
        r#"select group_id, manager, user_id, name, display_name, role
           from group_member join "user" using (user_id)
           where group_id = any($1)
           order by manager desc, lower(display_name), name"#,
    )
    .bind(&ids)
    .fetch_all(pool)
    .await?;
    let mut all: Vec<GroupRow> = groups
        .into_iter()
        .map(|(id, name, rules)| GroupRow { id: GroupId(id), name, members: Vec::new(), rules })
        .collect();
    for (group, manager, id, name, display_name, role) in members {
        let person = Person { id: UserId(id), name, display_name, role: Role::parse(&role).unwrap_or(Role::Member) };
        if let Some(row) = all.iter_mut().find(|row| row.id.0 == group) {
            row.members.push(GroupMember { person, manager });
        }
    }
    Ok(all)
}

/// Names of somebody's groups, in order, each with whether that person manages it.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn of_person(pool: &PgPool, person: UserId) -> Result<Vec<(String, bool)>, StoreError> {
    Ok(sqlx::query_as(
        "select name, manager from person_group join group_member using (group_id) where user_id = $1
         order by lower(name), name",
    )
    .bind(person.0)
    .fetch_all(pool)
    .await?)
}

/// Locks a group; gives its name, `None` where there is no such group.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn lock(conn: &mut PgConnection, group: GroupId) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar("select name from person_group where group_id = $1 for update")
        .bind(group.0)
        .fetch_optional(conn)
        .await?)
}

/// What somebody is in a group: a manager, a member (`false`), or nothing of it.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn membership(conn: &mut PgConnection, group: GroupId, person: UserId) -> Result<Option<bool>, StoreError> {
    Ok(sqlx::query_scalar("select manager from group_member where group_id = $1 and user_id = $2")
        .bind(group.0)
        .bind(person.0)
        .fetch_optional(conn)
        .await?)
}

/// Makes a group.
///
/// # Errors
/// [`StoreError`], with [`NAME_KEY`] where there is one of that name.
pub async fn insert(conn: &mut PgConnection, id: GroupId, name: &str, now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query("insert into person_group (group_id, name, made_at) values ($1, $2, $3)")
        .bind(id.0)
        .bind(name)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Gives a group another name.
///
/// # Errors
/// [`StoreError`], with [`NAME_KEY`] where there is one of that name.
pub async fn rename(conn: &mut PgConnection, id: GroupId, name: &str) -> Result<(), StoreError> {
    sqlx::query("update person_group set name = $2 where group_id = $1").bind(id.0).bind(name).execute(conn).await?;
    Ok(())
}

/// Names of the rules that are for a group and in force.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn rules(conn: &mut PgConnection, group: GroupId) -> Result<Vec<String>, StoreError> {
    Ok(sqlx::query_scalar("select name from rule where group_id = $1 and removed_at is null order by name")
        .bind(group.0)
        .fetch_all(conn)
        .await?)
}

/// Removes a group, with its members and the rules that it once had.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn delete(conn: &mut PgConnection, group: GroupId) -> Result<(), StoreError> {
    sqlx::query("delete from person_group where group_id = $1").bind(group.0).execute(conn).await?;
    Ok(())
}

/// Puts somebody into a group, or changes what they are in it.
///
/// # Errors
/// [`StoreError`], with [`MEMBER_EXISTS`] where there is no such person.
pub async fn set_member(
    conn: &mut PgConnection,
    group: GroupId,
    person: UserId,
    manager: bool,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into group_member (group_id, user_id, manager) values ($1, $2, $3)
         on conflict (group_id, user_id) do update set manager = $3",
    )
    .bind(group.0)
    .bind(person.0)
    .bind(manager)
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes somebody out of a group.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn remove_member(conn: &mut PgConnection, group: GroupId, person: UserId) -> Result<(), StoreError> {
    sqlx::query("delete from group_member where group_id = $1 and user_id = $2")
        .bind(group.0)
        .bind(person.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// A person's sign-in name, for the record.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn person_name(conn: &mut PgConnection, person: UserId) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar(r#"select name from "user" where user_id = $1"#).bind(person.0).fetch_optional(conn).await?)
}
