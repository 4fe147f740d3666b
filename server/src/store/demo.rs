//! Demonstration data: what of it there is, and its complete removal. What it consists of is made by the services.

use domain::id::{CardUuid, GroupId, HostId, UserId};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::reservations::texts;

/// Name of the setting that says what is demonstration data.
const SETTING: &str = "demo";

/// What is demonstration data. Bookings, maintenance, rules and places in the queue are told by their people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Marks {
    /// People.
    pub people: Vec<UserId>,
    /// Groups.
    pub groups: Vec<GroupId>,
    /// Labels that hosts did not have before.
    pub host_labels: Vec<(HostId, String)>,
    /// The card that was opened for shares.
    pub shared: Option<CardUuid>,
    /// The card that was kept from being booked, and the reason given.
    pub kept_back: Option<(CardUuid, String)>,
}

/// What there is; `None` where there is none.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn marks(conn: &mut PgConnection) -> Result<Option<Marks>, StoreError> {
    let row: Option<Json<Marks>> = sqlx::query_scalar("select value from setting where name = $1 for update")
        .bind(SETTING)
        .fetch_optional(conn)
        .await?;
    Ok(row.map(|Json(marks)| marks))
}

/// Notes what is demonstration data. Of two programs that begin at once, the second waits, and then sees the first.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn note(conn: &mut PgConnection, marks: &Marks) -> Result<(), StoreError> {
    sqlx::query(
        "insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
    )
    .bind(SETTING)
    .bind(Json(marks))
    .execute(conn)
    .await?;
    Ok(())
}

/// How many bookings of others are running or to come.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn real_bookings(pool: &PgPool, demo: &[UserId], now: OffsetDateTime) -> Result<i64, StoreError> {
    let count = sqlx::query_scalar(
        "select count(*) from reservation
         where not user_id = any($1) and fate is null and during && tstzrange($2, null)",
    )
    .bind(ids(demo))
    .bind(now)
    .fetch_one(pool)
    .await?;
    Ok(count)
}

/// Whose ids a statement is given.
enum Of {
    People,
    Bookings,
    Groups,
}

/// What is removed, in order: first what points at something else.
const REMOVALS: &[(Of, &str)] = &[
    // The record is of people's deeds, and these people have never been. What real people did stays.
    (Of::People, "delete from audit where actor = any($1)"),
    (Of::Bookings, "delete from audit where reservation_id = any($1) and actor is null"),
    (Of::People, "update reservation set booked_by = null where booked_by = any($1)"),
    (Of::People, "update reservation set approved_by = null where approved_by = any($1)"),
    (Of::People, "update reservation set fate_by = null where fate_by = any($1)"),
    (Of::People, "delete from reservation_person where user_id = any($1)"),
    (Of::Bookings, "update waiting set reservation_id = null where reservation_id = any($1)"),
    (Of::Bookings, "delete from reservation_card where reservation_id = any($1)"),
    (Of::Bookings, "delete from reservation where reservation_id = any($1)"),
    // Of a series that was given to a real person, those bookings go on, each by itself.
    (
        Of::People,
        "update reservation set series_id = null, series_day = null
         where series_id in (select series_id from series where user_id = any($1))",
    ),
    (Of::People, "delete from series where user_id = any($1)"),
    (Of::People, "delete from maintenance where made_by = any($1)"),
    (Of::People, "delete from rule where made_by = any($1)"),
    (Of::Groups, "delete from person_group where group_id = any($1)"),
    (
        Of::People,
        r#"delete from sign_in_throttle where subject in (select 'name:' || name from "user" where user_id = any($1))"#,
    ),
    (Of::People, r#"delete from "user" where user_id = any($1)"#),
];

/// Removes all of it, in the caller's transaction.
///
/// # Errors
/// [`StoreError`] where the database does not answer, or where something that this program does not know points at it.
pub async fn remove(conn: &mut PgConnection, marks: &Marks) -> Result<(), StoreError> {
    let bookings: Vec<Uuid> = sqlx::query_scalar("select reservation_id from reservation where user_id = any($1)")
        .bind(ids(&marks.people))
        .fetch_all(&mut *conn)
        .await?;
    // The table refuses to change what it has. This transaction alone may: the trigger is back when it ends.
    sqlx::query("alter table audit disable trigger audit_is_append_only").execute(&mut *conn).await?;
    for (of, statement) in REMOVALS {
        let ids = match of {
            Of::People => ids(&marks.people),
            Of::Bookings => bookings.clone(),
            Of::Groups => marks.groups.iter().map(|group| group.0).collect(),
        };
        sqlx::query(*statement).bind(ids).execute(&mut *conn).await?;
    }
    sqlx::query("alter table audit enable trigger audit_is_append_only").execute(&mut *conn).await?;
    for (host, label) in &marks.host_labels {
        sqlx::query("delete from host_label where host_id = $1 and label = $2")
            .bind(host.0)
            .bind(label)
            .execute(&mut *conn)
            .await?;
    }
    // Real people may have booked shares of it meanwhile: then it stays open.
    sqlx::query(
        "update card set shares = null, share_memory_mib = null
         where card_uuid = any($1)
           and not exists (select from reservation_card held
                           where held.card_uuid = card.card_uuid and not upper_inf(held.slices) and not held.released)",
    )
    .bind(texts(marks.shared.as_slice()))
    .execute(&mut *conn)
    .await?;
    if let Some((card, reason)) = &marks.kept_back {
        sqlx::query("update card set not_bookable = null where card_uuid = $1 and not_bookable = $2")
            .bind(card.as_str())
            .bind(reason)
            .execute(&mut *conn)
            .await?;
    }
    sqlx::query("delete from setting where name = $1").bind(SETTING).execute(conn).await?;
    Ok(())
}

/// A place in the queue of somebody who is not there to take it.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn wait(
    conn: &mut PgConnection,
    who: UserId,
    want: &domain::finder::Want,
    purpose: &str,
    until: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into waiting (wait_id, user_id, made_at, want, purpose, mode, until) values ($1, $2, $3, $4, $5, 'tell', $6)",
    )
    .bind(Uuid::now_v7())
    .bind(who.0)
    .bind(now)
    .bind(Json(want))
    .bind(purpose)
    .bind(until)
    .execute(conn)
    .await?;
    Ok(())
}

fn ids(people: &[UserId]) -> Vec<Uuid> {
    people.iter().map(|person| person.0).collect()
}
