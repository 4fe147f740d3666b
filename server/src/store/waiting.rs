//! Those who wait for cards.

use domain::finder::Want;
use domain::id::{ReservationId, UserId, WaitId};
use domain::user::Role;
use domain::wire::calendar::WaitMode;
use domain::wire::page::Viewer;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::StoreError;

/// Whoever has used the least in this time is served first.
const COUNTED: Duration = Duration::days(14);

/// Somebody who waits.
#[derive(Clone, Debug)]
pub struct Waiter {
    /// Identity of the place in the queue.
    pub id: WaitId,
    /// Who.
    pub who: Viewer,
    /// The person's zone.
    pub zone: String,
    /// Since when.
    pub since: OffsetDateTime,
    /// For what.
    pub want: Want,
    /// What for.
    pub purpose: String,
    /// Told, or booked for.
    pub mode: WaitMode,
    /// Until when.
    pub until: OffsetDateTime,
}

/// The word that is stored.
fn word(mode: WaitMode) -> &'static str {
    match mode {
        WaitMode::Tell => "tell",
        WaitMode::Book => "book",
    }
}

/// A place in the queue about to be taken.
#[derive(Debug)]
pub struct NewWait<'a> {
    /// Identity.
    pub id: WaitId,
    /// Who.
    pub who: UserId,
    /// For what.
    pub want: &'a Want,
    /// What for.
    pub purpose: &'a str,
    /// Told, or booked for.
    pub mode: WaitMode,
    /// Until when.
    pub until: OffsetDateTime,
}

/// Takes a place in the queue, unless the person has so many already; gives whether it was taken.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn insert(
    conn: &mut PgConnection,
    wait: &NewWait<'_>,
    most: i64,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    // Two at once must not both be the last.
    sqlx::query(r#"select 1 from "user" where user_id = $1 for no key update"#)
        .bind(wait.who.0)
        .execute(&mut *conn)
        .await?;
    let taken = sqlx::query(
        "with taken as (
             insert into waiting (wait_id, user_id, made_at, want, purpose, mode, until)
             select $1, $2, $3, $4, $5, $6, $7
             where (select count(*) from waiting where user_id = $2 and done_at is null and until > $3) < $8
             returning 1
         )
         insert into change (made_at) select $3 from taken",
    )
    .bind(wait.id.0)
    .bind(wait.who.0)
    .bind(now)
    .bind(Json(wait.want))
    .bind(wait.purpose)
    .bind(word(wait.mode))
    .bind(wait.until)
    .bind(most)
    .execute(conn)
    .await?;
    Ok(taken.rows_affected() > 0)
}

/// Gives a place up; only one's own. Gives whether there was one.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn stop(pool: &PgPool, who: UserId, id: WaitId, now: OffsetDateTime) -> Result<bool, StoreError> {
    let stopped = sqlx::query(
        "with stopped as (
             update waiting set done_at = $3, outcome = 'stopped'
             where wait_id = $1 and user_id = $2 and done_at is null
             returning 1
         )
         insert into change (made_at) select $3 from stopped",
    )
    .bind(id.0)
    .bind(who.0)
    .bind(now)
    .execute(pool)
    .await?;
    Ok(stopped.rows_affected() > 0)
}

#[derive(sqlx::FromRow)]
struct Row {
    wait_id: Uuid,
    made_at: OffsetDateTime,
    want: serde_json::Value,
    purpose: String,
    mode: String,
    until: OffsetDateTime,
    user_id: Uuid,
    name: String,
    display_name: String,
    role: String,
    zone: String,
}

impl Row {
    /// What a newer server has written and this one cannot read is left to that one.
    fn read(self) -> Option<Waiter> {
        Some(Waiter {
            id: WaitId(self.wait_id),
            who: Viewer {
                id: UserId(self.user_id),
                name: self.name,
                display_name: self.display_name,
                role: Role::parse(&self.role)?,
            },
            zone: self.zone,
            since: self.made_at,
            want: serde_json::from_value(self.want).ok()?,
            purpose: self.purpose,
            mode: if self.mode == "book" { WaitMode::Book } else { WaitMode::Tell },
            until: self.until,
        })
    }
}

/// Everybody who waits, in the order in which they are served: whoever had the fewest GPU-hours in the last 14 days, then
/// who came first. A share, or an instance, counts as the part of a card that it is.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn in_order(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Vec<Waiter>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        r#"with open as (
               select * from waiting where done_at is null and until > $1
           ), used as (
               select booking.user_id,
                      sum(extract(epoch from least(upper(held.during), $1) - greatest(lower(held.during), $2))
                          * case when upper_inf(held.slices) then 1.0
                                 when card.instance is not null then (upper(held.slices) - lower(held.slices)) / 8.0
                                 else 1.0 / greatest(coalesce(card.shares, 1), 1) end) as seconds
               from reservation_card held
               join reservation booking using (reservation_id)
               join card using (card_uuid)
               where booking.user_id in (select user_id from open)
                 and not held.released and held.during && tstzrange($2, $1, '[)')
                 and booking.awaits is null
               group by booking.user_id
           )
           select open.wait_id, open.made_at, open.want, open.purpose, open.mode, open.until, person.user_id, person.name,
                  person.display_name, person.role, person.zone
           from open
           join "user" person using (user_id)
           left join used using (user_id)
           where person.disabled_at is null
           order by coalesce(used.seconds, 0), open.made_at, open.wait_id"#,
    )
    .bind(now)
    .bind(now - COUNTED)
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().filter_map(Row::read).collect())
}

/// Closes places whose time is over; gives whose they were and until when.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn give_up(
    conn: &mut PgConnection,
    now: OffsetDateTime,
) -> Result<Vec<(WaitId, UserId, OffsetDateTime)>, StoreError> {
    let rows: Vec<(Uuid, Uuid, OffsetDateTime)> = sqlx::query_as(
        "update waiting set done_at = $1, outcome = 'over' where done_at is null and until <= $1
         returning wait_id, user_id, until",
    )
    .bind(now)
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|(id, who, until)| (WaitId(id), UserId(who), until)).collect())
}

/// Somebody has been served. Gives whether the place was still open.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn served(
    conn: &mut PgConnection,
    id: WaitId,
    outcome: &'static str,
    reservation: ReservationId,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let served = sqlx::query(
        "update waiting set done_at = $4, outcome = $2, reservation_id = $3 where wait_id = $1 and done_at is null",
    )
    .bind(id.0)
    .bind(outcome)
    .bind(reservation.0)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(served.rows_affected() > 0)
}

/// The booking that was made for a place in the queue by a server that did not get to say so: the place's identity is the
/// booking's key.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn made_for(conn: &mut PgConnection, who: UserId, id: WaitId) -> Result<Option<ReservationId>, StoreError> {
    let made: Option<Uuid> = sqlx::query_scalar(
        "select reservation_id from reservation
         where reservation_id in (select (jsonb_array_elements_text(outcome -> 'booked'))::uuid
                                  from request_key where user_id = $1 and key = $2)",
    )
    .bind(who.0)
    .bind(id.0)
    .fetch_optional(conn)
    .await?;
    Ok(made.map(ReservationId))
}
