//! Bookings: taking cards, giving them back. Whoever writes here locks first, always in the same order: the person,
//! the booking, then the rows of the cards by their UUID. Measured without that order: dead-locks by the hundred.

use domain::id::{CardUuid, ReservationId, UserId};
use domain::reservation::{Bookable, Clash, Fate};
use domain::trouble::Condition;
use domain::window::Window;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, health, number, window};

/// Begins a transaction that waits no more than three seconds for any lock.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, StoreError> {
    Ok(pool.begin_with("begin; set local lock_timeout = '3s'").await?)
}

/// Locks a person's row, so that two bookings of one person come one after the other. Gives the person's zone; `None`
/// where the account is gone or disabled.
///
/// # Errors
/// [`StoreError`], with SQLSTATE 55P03 after three seconds of waiting.
pub async fn lock_person(conn: &mut PgConnection, person: UserId) -> Result<Option<String>, StoreError> {
    let zone =
        sqlx::query_scalar(r#"select zone from "user" where user_id = $1 and disabled_at is null for no key update"#)
            .bind(person.0)
            .fetch_optional(conn)
            .await?;
    Ok(zone)
}

/// What a key has been used for.
#[derive(Debug)]
pub struct KeyUse {
    /// The booking made with it.
    pub reservation: ReservationId,
    /// SHA-256 of what was asked for.
    pub request_hash: Vec<u8>,
}

/// Looks up an idempotency key of a person.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn key_use(conn: &mut PgConnection, person: UserId, key: Uuid) -> Result<Option<KeyUse>, StoreError> {
    let row: Option<(Uuid, Vec<u8>)> = sqlx::query_as(
        "select (outcome->'booked'->>0)::uuid, request_hash from request_key where user_id = $1 and key = $2",
    )
    .bind(person.0)
    .bind(key)
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|(id, request_hash)| KeyUse { reservation: ReservationId(id), request_hash }))
}

/// A card as far as it matters whether it can be booked.
#[derive(Debug, sqlx::FromRow)]
pub struct LockedCard {
    /// Identity.
    pub card_uuid: String,
    /// Name of its host.
    pub host_name: String,
    /// Index as last reported.
    pub card_index: i32,
    /// Of a MIG instance: its number on the card.
    pub instance: Option<i32>,
    /// Cut into MIG instances.
    pub mig_on: bool,
    /// As `domain::card::CardHealth` is stored.
    pub health: String,
    /// Its host still reports it.
    pub present: bool,
    /// Its host is retired.
    pub retired: bool,
    /// When its host's last report was received.
    pub last_report_at: Option<OffsetDateTime>,
    /// Why an administrator keeps it from being booked.
    pub not_bookable: Option<String>,
}

impl LockedCard {
    /// As far as it decides about bookings.
    #[must_use]
    pub fn condition(&self) -> Condition {
        Condition {
            retired: self.retired,
            last_report: self.last_report_at,
            present: self.present,
            mig_on: self.mig_on,
            health: health(&self.health),
            not_bookable: self.not_bookable.is_some(),
        }
    }
}

/// Locks the rows of cards, and of everything else that is part of the same physical cards, in one order.
///
/// # Errors
/// [`StoreError`], with SQLSTATE 55P03 after three seconds of waiting.
pub async fn lock_cards(conn: &mut PgConnection, cards: &[CardUuid]) -> Result<Vec<LockedCard>, StoreError> {
    let rows: Vec<LockedCard> = sqlx::query_as(
        "select card.card_uuid, host.name as host_name, card.card_index, card.instance, card.mig_on, card.health,
                card.present, host.retired_at is not null as retired, host.last_report_at, card.not_bookable
         from card join host using (host_id)
         where card.gpu in (select gpu from card where card_uuid = any($1))
         order by card.card_uuid
         for no key update of card",
    )
    .bind(texts(cards))
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().filter(|row| cards.iter().any(|card| card.as_str() == row.card_uuid)).collect())
}

/// A booking about to be written.
#[derive(Debug)]
pub struct NewRow<'a> {
    /// Identity.
    pub id: ReservationId,
    /// Holder.
    pub owner: UserId,
    /// Cards, time, purpose.
    pub ask: &'a Bookable,
    /// Key of the request.
    pub key: Uuid,
    /// SHA-256 of the request.
    pub request_hash: &'a [u8],
    /// The clock.
    pub now: OffsetDateTime,
}

/// Writes a booking with all its cards, and notes the change.
///
/// # Errors
/// [`StoreError`] with the constraint's name where a card is held (`reservation_card_no_overlap`) or the key is used.
pub async fn insert(conn: &mut PgConnection, row: &NewRow<'_>) -> Result<(), StoreError> {
    sqlx::query(
        "with made as (
             insert into reservation (reservation_id, user_id, purpose, during, created_at)
             values ($1, $2, $3, tstzrange($4, $5, '[)'), $6)
         ), keyed as (
             insert into request_key (user_id, key, request_hash, outcome, made_at)
             values ($2, $7, $8, jsonb_build_object('booked', jsonb_build_array($1)), $6)
         ), noted as (
             insert into change (made_at) values ($6)
         )
         insert into reservation_card (reservation_id, card_uuid, gpu, slices, during, card_index)
         select $1, card_uuid, gpu, slices, tstzrange($4, $5, '[)'), card_index
         from card where card_uuid = any($9) order by card_uuid",
    )
    .bind(row.id.0)
    .bind(row.owner.0)
    .bind(&row.ask.purpose)
    .bind(row.ask.window.start())
    .bind(row.ask.window.end())
    .bind(row.now)
    .bind(row.key)
    .bind(row.request_hash)
    .bind(texts(&row.ask.cards))
    .execute(conn)
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct ClashRow {
    reservation_id: Uuid,
    card_uuid: String,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
    user_id: Uuid,
    display_name: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
}

/// Who holds which of these cards within a window, by host, card and time.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn clashes(
    pool: &PgPool,
    asker: UserId,
    cards: &[CardUuid],
    wanted: &Window,
) -> Result<Vec<Clash>, StoreError> {
    let rows: Vec<ClashRow> = sqlx::query_as(
        r#"select held.reservation_id, card.card_uuid, host.name as host_name, card.card_index, card.instance,
                  person.user_id, person.display_name, lower(held.during) as starts, upper(held.during) as ends
           from card
           join host using (host_id)
           join reservation_card held on held.gpu = card.gpu and held.slices && card.slices
                and held.during && tstzrange($2, $3, '[)') and not held.released
           join reservation using (reservation_id)
           join "user" person using (user_id)
           where card.card_uuid = any($1)
           order by host.name, card.card_index, card.instance nulls first, card.card_uuid, lower(held.during)"#,
    )
    .bind(texts(cards))
    .bind(wanted.start())
    .bind(wanted.end())
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Clash {
                reservation: ReservationId(row.reservation_id),
                card: card_uuid(row.card_uuid)?,
                host: row.host_name,
                number: number(row.card_index, row.instance),
                own: row.user_id == asker.0,
                holder: row.display_name,
                window: window(row.starts, row.ends)?,
            })
        })
        .collect()
}

/// A booking whose row is locked.
#[derive(Debug)]
pub struct Held {
    /// Holder.
    pub owner: UserId,
    /// When.
    pub window: Window,
    /// What became of it.
    pub fate: Option<Fate>,
}

/// Locks a booking and then its cards.
///
/// # Errors
/// [`StoreError`], with SQLSTATE 55P03 after three seconds of waiting.
pub async fn lock(conn: &mut PgConnection, id: ReservationId) -> Result<Option<Held>, StoreError> {
    let row: Option<(Uuid, OffsetDateTime, OffsetDateTime, Option<String>)> = sqlx::query_as(
        "select user_id, lower(during), upper(during), fate
         from reservation where reservation_id = $1 for no key update",
    )
    .bind(id.0)
    .fetch_optional(&mut *conn)
    .await?;
    let Some((owner, starts, ends, fate)) = row else { return Ok(None) };
    sqlx::query(
        "select 1 from card
         where gpu in (select gpu from reservation_card where reservation_id = $1)
         order by card_uuid for no key update",
    )
    .bind(id.0)
    .execute(conn)
    .await?;
    Ok(Some(Held { owner: UserId(owner), window: window(starts, ends)?, fate: fate.as_deref().and_then(Fate::parse) }))
}

/// Calls a booking off: it stays on record and holds nothing.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn cancel(conn: &mut PgConnection, id: ReservationId, now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query(
        "with called_off as (update reservation set fate = 'cancelled', fate_at = $2 where reservation_id = $1),
              noted as (insert into change (made_at) values ($2))
         update reservation_card set released = true where reservation_id = $1",
    )
    .bind(id.0)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends a booking at an instant that lies after its start; what was used stays on record.
///
/// # Errors
/// [`StoreError`], with a constraint's name where the end is not after the start.
pub async fn end(
    conn: &mut PgConnection,
    id: ReservationId,
    end: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    sqlx::query(
        "with ended as (
             update reservation set during = tstzrange(lower(during), $2, '[)'), ended_at = $3
             where reservation_id = $1
         ), noted as (
             insert into change (made_at) values ($3)
         )
         update reservation_card set during = tstzrange(lower(during), $2, '[)') where reservation_id = $1",
    )
    .bind(id.0)
    .bind(end)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) fn texts(cards: &[CardUuid]) -> Vec<&str> {
    cards.iter().map(CardUuid::as_str).collect()
}
