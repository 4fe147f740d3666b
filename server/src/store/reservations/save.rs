//! Writes what has become of bookings, all of it or nothing.
//!
//! What is new goes out in one statement: most bookings are new ones, and each statement is a way to the database and
//! back while others wait for the cards. Changes come before it, so that what a booking gives up is free for itself.

use std::net::IpAddr;

use domain::id::{ReservationId, SeriesId, UserId};
use domain::reservation::series::Repeat;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use super::held::{Held, Hold, Left};
use super::keys::NewKey;
use super::people::ids;
use crate::store::StoreError;

/// A booking and what is to become of it.
#[derive(Debug, Clone)]
pub struct Change {
    /// As it is; `None`: there is none yet.
    pub before: Option<Held>,
    /// As it is to be.
    pub after: Held,
    /// Such as `reservation.create`.
    pub action: &'static str,
}

impl Change {
    /// Whether it makes any difference. What makes none is only put back where it was.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.before.as_ref().is_none_or(|before| before.version != self.after.version)
    }
}

/// Bookings that were asked for at once and repeat.
#[derive(Debug, Clone)]
pub struct NewSeries {
    /// Identity.
    pub id: SeriesId,
    /// Whose.
    pub owner: UserId,
    /// IANA zone by whose clocks they repeat.
    pub zone: String,
    /// How.
    pub repeat: Repeat,
}

/// All that one transaction writes.
#[derive(Debug, Default)]
pub struct Work {
    /// What happens to bookings.
    pub changes: Vec<Change>,
    /// The series of those that are new.
    pub series: Option<NewSeries>,
    /// The request.
    pub key: Option<NewKey>,
    /// Who does it; `None`: the portal, by a rule.
    pub actor: Option<UserId>,
    /// From where.
    pub address: Option<IpAddr>,
    /// Their rows have made room, see [`make_room`]: all of them are written.
    pub parked: bool,
}

/// Writes it, notes the change for open pages and keeps the record of it.
///
/// # Errors
/// [`StoreError`] with the constraint's name where a card is held (`reservation_card_no_overlap`) or the key is used.
pub async fn save(conn: &mut PgConnection, work: &Work, now: OffsetDateTime) -> Result<(), StoreError> {
    give_up(conn, &work.changes, work.parked).await?;
    for change in work.changes.iter().filter(|change| change.is_any()) {
        if change.before.is_some() {
            update(conn, &change.after).await?;
            if change.before.as_ref().is_some_and(|before| before.co_users != change.after.co_users) {
                forget_co_users(conn, change.after.id).await?;
            }
        }
    }
    let rows = work.changes.iter().flat_map(|change| &change.after.holds).any(|hold| hold.id.is_none());
    if rows || work.key.is_some() || work.changes.iter().any(Change::is_any) {
        add(conn, work, now).await
    } else {
        Ok(())
    }
}

/// Several bookings are about to be moved at once: none of them is in the way of another from now on, until each is
/// written where it goes.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn make_room(conn: &mut PgConnection, ids: &[ReservationId], now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query(
        "update reservation_card set released = true
         where reservation_id = any($1) and not released and during && tstzrange($2, null)",
    )
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Its owner was asked whether a booking is still wanted, and says that it is.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn still_using(conn: &mut PgConnection, id: ReservationId, now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query(
        "update card_watch set answered_at = $2
         from reservation_card held where held.hold_id = card_watch.hold_id and held.reservation_id = $1",
    )
    .bind(id.0)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes, cuts and moves the rows of cards. Where several are moved each makes room for the others first.
async fn give_up(conn: &mut PgConnection, changes: &[Change], parked: bool) -> Result<(), StoreError> {
    let mut gone: Vec<i64> = Vec::new();
    let mut changed: Vec<&Hold> = Vec::new();
    for change in changes {
        let Some(before) = &change.before else { continue };
        for old in &before.holds {
            match change.after.holds.iter().find(|new| new.id == old.id) {
                None => gone.extend(old.id),
                Some(new) if parked || new != old => changed.push(new),
                Some(_) => {}
            }
        }
    }
    if !gone.is_empty() {
        sqlx::query("delete from reservation_card where hold_id = any($1)").bind(&gone).execute(&mut *conn).await?;
    }
    if changed.is_empty() {
        return Ok(());
    }
    let rows: Vec<i64> = changed.iter().filter_map(|hold| hold.id).collect();
    let mut gpus: Vec<&str> = changed.iter().filter(|hold| !hold.released).map(|hold| hold.gpu.as_str()).collect();
    gpus.sort_unstable();
    if gpus.windows(2).any(|pair| pair[0] == pair[1]) {
        sqlx::query("update reservation_card set released = true where hold_id = any($1)")
            .bind(&rows)
            .execute(&mut *conn)
            .await?;
    }
    sqlx::query(
        "update reservation_card
         set during = tstzrange(n.starts, n.ends, '[)'), released = n.released, left_why = n.left_why
         from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bool[], $5::text[])
              as n (hold_id, starts, ends, released, left_why)
         where reservation_card.hold_id = n.hold_id",
    )
    .bind(&rows)
    .bind(changed.iter().map(|hold| hold.window.start()).collect::<Vec<_>>())
    .bind(changed.iter().map(|hold| hold.window.end()).collect::<Vec<_>>())
    .bind(changed.iter().map(|hold| hold.released).collect::<Vec<_>>())
    .bind(changed.iter().map(|hold| hold.left.map(Left::as_str)).collect::<Vec<_>>())
    .execute(conn)
    .await?;
    Ok(())
}

async fn update(conn: &mut PgConnection, held: &Held) -> Result<(), StoreError> {
    let fate = held.fate.as_ref();
    sqlx::query(
        "update reservation
         set user_id = $2, booked_by = $3, purpose = $4, during = tstzrange($5, $6, '[)'), zone = $7, version = $8,
             awaits = $9, awaits_until = $10, approved_by = $11, fate = $12, fate_at = $13, fate_by = $14,
             fate_why = $15, ended_at = $16
         where reservation_id = $1",
    )
    .bind(held.id.0)
    .bind(held.owner.0)
    .bind(held.booked_by.map(|by| by.0))
    .bind(&held.purpose)
    .bind(held.window.start())
    .bind(held.window.end())
    .bind(&held.zone)
    .bind(held.version)
    .bind(held.awaits.map(|(awaits, _)| awaits.as_str()))
    .bind(held.awaits.map(|(_, until)| until))
    .bind(held.approved_by.map(|by| by.0))
    .bind(fate.map(|end| end.fate.as_str()))
    .bind(fate.map(|end| end.at))
    .bind(fate.and_then(|end| end.by).map(|by| by.0))
    .bind(fate.and_then(|end| end.why.as_deref()))
    .bind(held.ended_at)
    .execute(conn)
    .await?;
    Ok(())
}

async fn forget_co_users(conn: &mut PgConnection, id: ReservationId) -> Result<(), StoreError> {
    sqlx::query("delete from reservation_person where reservation_id = $1").bind(id.0).execute(conn).await?;
    Ok(())
}

/// New bookings, new rows of cards, the request, the record.
async fn add(conn: &mut PgConnection, work: &Work, now: OffsetDateTime) -> Result<(), StoreError> {
    let made: Vec<&Held> = work.changes.iter().filter(|c| c.before.is_none()).map(|c| &c.after).collect();
    let (mut holds, mut people) = (Vec::new(), Vec::new());
    for Change { before, after, .. } in &work.changes {
        holds.extend(after.holds.iter().filter(|hold| hold.id.is_none()).map(|hold| (after.id.0, hold)));
        if before.as_ref().is_none_or(|before| before.co_users != after.co_users) {
            people.extend(after.co_users.iter().map(|person| (after.id.0, *person)));
        }
    }
    let deeds: Vec<&Change> = work.changes.iter().filter(|change| change.is_any()).collect();
    let (person_of, person): (Vec<Uuid>, Vec<UserId>) = people.into_iter().unzip();
    let series = work.series.as_ref();
    let key = work.key.as_ref();
    sqlx::query(ADD)
        .bind(now)
        .bind(work.actor.map(|actor| actor.0))
        .bind(series.map(|series| series.id.0))
        .bind(series.map(|series| series.owner.0))
        .bind(series.map(|series| series.zone.as_str()))
        .bind(series.map(|series| Json(series.repeat)))
        .bind(key.map(|key| key.person.0))
        .bind(key.map(|key| key.key))
        .bind(key.map(|key| key.request_hash.as_slice()))
        .bind(key.map(|key| &key.outcome))
        .bind(made.iter().map(|held| held.id.0).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.owner.0).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.booked_by.map(|by| by.0)).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.purpose.as_str()).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.window.start()).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.window.end()).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.zone.as_str()).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.awaits.map(|(awaits, _)| awaits.as_str())).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.awaits.map(|(_, until)| until)).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.approved_by.map(|by| by.0)).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.series.map(|(series, _)| series.0)).collect::<Vec<_>>())
        .bind(made.iter().map(|held| held.series.map(|(_, day)| day)).collect::<Vec<_>>())
        .bind(person_of)
        .bind(ids(&person))
        .bind(holds.iter().map(|(id, _)| *id).collect::<Vec<_>>())
        .bind(holds.iter().map(|(_, hold)| hold.card.as_str()).collect::<Vec<_>>())
        .bind(holds.iter().map(|(_, hold)| hold.gpu.as_str()).collect::<Vec<_>>())
        .bind(holds.iter().map(|(_, hold)| hold.slices.from).collect::<Vec<_>>())
        .bind(holds.iter().map(|(_, hold)| hold.slices.until).collect::<Vec<_>>())
        .bind(holds.iter().map(|(_, hold)| hold.window.start()).collect::<Vec<_>>())
        .bind(holds.iter().map(|(_, hold)| hold.window.end()).collect::<Vec<_>>())
        .bind(holds.iter().map(|(_, hold)| hold.index).collect::<Vec<_>>())
        .bind(deeds.iter().map(|change| change.action).collect::<Vec<_>>())
        .bind(deeds.iter().map(|change| change.after.id.0).collect::<Vec<_>>())
        .bind(deeds.iter().map(|change| change.before.as_ref().map(Held::record)).collect::<Vec<_>>())
        .bind(deeds.iter().map(|change| change.after.record()).collect::<Vec<_>>())
        .bind(work.address.map(|address| address.to_string()))
        .execute(conn)
        .await?;
    Ok(())
}

const ADD: &str = r#"
    with a_series as (
        insert into series (series_id, user_id, zone, repeat, made_at)
        select $3, $4, $5, $6, $1 where $3::uuid is not null
    ), a_key as (
        insert into request_key (user_id, key, request_hash, outcome, made_at)
        select $7, $8, $9, $10, $1 where $8::uuid is not null
    ), made as (
        insert into reservation (reservation_id, user_id, booked_by, purpose, during, zone, awaits, awaits_until,
                                 approved_by, series_id, series_day, created_at)
        select id, owner, booked_by, purpose, tstzrange(starts, ends, '[)'), zone, awaits, awaits_until, approved_by,
               series_id, series_day, $1
        from unnest($11::uuid[], $12::uuid[], $13::uuid[], $14::text[], $15::timestamptz[], $16::timestamptz[],
                    $17::text[], $18::text[], $19::timestamptz[], $20::uuid[], $21::uuid[], $22::date[])
             as n (id, owner, booked_by, purpose, starts, ends, zone, awaits, awaits_until, approved_by, series_id,
                   series_day)
    ), named as (
        insert into reservation_person (reservation_id, user_id) select * from unnest($23::uuid[], $24::uuid[])
    ), noted as (
        insert into change (made_at) values ($1)
    ), recorded as (
        insert into audit (at, actor, action, reservation_id, subject, before, after, address)
        select $1, $2, action, id, coalesce((select name from "user" where user_id = (after->>'owner')::uuid), ''),
               before, after, $37
        from unnest($33::text[], $34::uuid[], $35::jsonb[], $36::jsonb[]) as n (action, id, before, after)
    )
    insert into reservation_card (reservation_id, card_uuid, gpu, slices, during, card_index)
    select id, card_uuid, gpu, int4range(slice_from, slice_until), tstzrange(starts, ends, '[)'), card_index
    from unnest($25::uuid[], $26::text[], $27::text[], $28::int[], $29::int[], $30::timestamptz[], $31::timestamptz[],
                $32::int[])
         as n (id, card_uuid, gpu, slice_from, slice_until, starts, ends, card_index)
    order by card_uuid, slice_from"#;
