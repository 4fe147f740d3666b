//! Rows of `user`.

use domain::id::UserId;
use domain::user::{Role, Username};
use domain::wire::page::Person;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;

/// Two people of one name.
pub const NAME_KEY: &str = "user_name_key";

/// Somebody who joins.
pub struct NewUser<'a> {
    /// Identity.
    pub id: UserId,
    /// Sign-in name.
    pub name: &'a Username,
    /// Display name.
    pub display_name: &'a str,
    /// Of the password.
    pub password_hash: &'a str,
    /// Role.
    pub role: Role,
    /// Colour, in degrees.
    pub hue: i16,
    /// IANA zone.
    pub zone: &'a str,
    /// Now.
    pub created_at: OffsetDateTime,
}

/// Inserts.
///
/// # Errors
/// [`StoreError`], with [`NAME_KEY`] where the name is taken.
pub async fn insert(db: impl PgExecutor<'_>, new: NewUser<'_>) -> Result<(), StoreError> {
    sqlx::query(
        r#"insert into "user" (user_id, name, display_name, password_hash, role, hue, zone, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)"#,
    )
    .bind(new.id.0)
    .bind(new.name.as_str())
    .bind(new.display_name)
    .bind(new.password_hash)
    .bind(new.role.as_str())
    .bind(new.hue)
    .bind(new.zone)
    .bind(new.created_at)
    .execute(db)
    .await?;
    Ok(())
}

/// What a sign-in is checked against. Never leaves the server, so it has no `Serialize` and no `Debug`.
pub struct Credentials {
    /// Identity.
    pub id: UserId,
    /// Of the password.
    pub password_hash: String,
    /// May no longer sign in.
    pub disabled: bool,
}

/// Looks a name up.
///
/// # Errors
/// [`StoreError`].
pub async fn credentials(pool: &PgPool, name: &Username) -> Result<Option<Credentials>, StoreError> {
    let row: Option<(Uuid, String, bool)> =
        sqlx::query_as(r#"select user_id, password_hash, disabled_at is not null from "user" where name = $1"#)
            .bind(name.as_str())
            .fetch_optional(pool)
            .await?;
    Ok(row.map(|(id, password_hash, disabled)| Credentials { id: UserId(id), password_hash, disabled }))
}

/// Replaces a hash, unless somebody else did meanwhile.
///
/// # Errors
/// [`StoreError`].
pub async fn replace_hash(pool: &PgPool, id: UserId, old: &str, new: &str) -> Result<(), StoreError> {
    sqlx::query(r#"update "user" set password_hash = $3 where user_id = $1 and password_hash = $2"#)
        .bind(id.0)
        .bind(old)
        .bind(new)
        .execute(pool)
        .await?;
    Ok(())
}

/// Sets the hash of a new password.
///
/// # Errors
/// [`StoreError`].
pub async fn set_hash(db: impl PgExecutor<'_>, id: UserId, hash: &str) -> Result<(), StoreError> {
    sqlx::query(r#"update "user" set password_hash = $2 where user_id = $1"#).bind(id.0).bind(hash).execute(db).await?;
    Ok(())
}

/// Sets a zone.
///
/// # Errors
/// [`StoreError`].
pub async fn set_zone(pool: &PgPool, id: UserId, zone: &str) -> Result<(), StoreError> {
    sqlx::query(r#"update "user" set zone = $2 where user_id = $1"#).bind(id.0).bind(zone).execute(pool).await?;
    Ok(())
}

/// How many people have each hue.
///
/// # Errors
/// [`StoreError`].
pub async fn hues(db: impl PgExecutor<'_>) -> Result<Vec<(i16, i64)>, StoreError> {
    Ok(sqlx::query_as(r#"select hue, count(*) from "user" group by hue"#).fetch_all(db).await?)
}

/// Which administrators a portal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Administrators {
    /// Any at all.
    pub any: bool,
    /// One who is no demonstration, and so stays when that is removed.
    pub lasting: bool,
}

/// Looks for administrators.
///
/// # Errors
/// [`StoreError`].
pub async fn administrators(db: impl PgExecutor<'_>) -> Result<Administrators, StoreError> {
    let (any, lasting) = sqlx::query_as(
        r#"select count(*) > 0,
                  count(*) filter (where not exists (select from setting
                                                     where name = 'demo' and value -> 'people' ? user_id::text)) > 0
           from "user" where role = 'administrator'"#,
    )
    .fetch_one(db)
    .await?;
    Ok(Administrators { any, lasting })
}

#[derive(sqlx::FromRow)]
struct PersonRow {
    user_id: Uuid,
    name: String,
    display_name: String,
    role: String,
}

impl PersonRow {
    fn into_person(self) -> Person {
        let Self { user_id, name, display_name, role } = self;
        // The check constraint admits no other word; should it ever, less is safer than more.
        Person { id: UserId(user_id), name, display_name, role: Role::parse(&role).unwrap_or(Role::Member) }
    }
}

/// Everybody who may sign in, in order of the display name.
///
/// # Errors
/// [`StoreError`].
pub async fn people(pool: &PgPool) -> Result<Vec<Person>, StoreError> {
    let rows: Vec<PersonRow> = sqlx::query_as(
        r#"select user_id, name, display_name, role from "user" where disabled_at is null
           order by lower(display_name), name"#,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(PersonRow::into_person).collect())
}
