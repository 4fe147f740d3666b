//! What the calendar shows: every question is asked once for the whole stretch of time, however many bookings lie in it.

use domain::card::CardNumber;
use domain::id::{CardUuid, HostId, MaintenanceId, ReservationId, UserId};
use domain::reservation::{Awaits, Fate};
use domain::topology::Topology;
use domain::window::Window;
use domain::wire::calendar::{CalendarAsk, Closure};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, number, window};

/// A host.
#[derive(Debug, sqlx::FromRow)]
pub struct HostRow {
    /// Identity.
    pub host_id: Uuid,
    /// Name.
    pub name: String,
    /// Its agent's name for what its links are; another name, other links.
    pub inventory_id: Option<String>,
    /// Labels, in order.
    pub labels: Vec<String>,
}

/// Hosts that are not retired, by name.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn hosts(pool: &PgPool) -> Result<Vec<HostRow>, StoreError> {
    Ok(sqlx::query_as(
        "select host_id, name, inventory_id,
                array(select label from host_label where host_label.host_id = host.host_id order by label) as labels
         from host where retired_at is null order by name",
    )
    .fetch_all(pool)
    .await?)
}

/// How the cards of these hosts are linked. What this version cannot read is left out.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn topologies(pool: &PgPool, hosts: &[HostId]) -> Result<Vec<(HostId, Topology)>, StoreError> {
    let rows: Vec<(Uuid, serde_json::Value)> = sqlx::query_as(
        "select host_id, inventory->'topology' from host
         where host_id = any($1) and inventory->'topology' is not null",
    )
    .bind(hosts.iter().map(|host| host.0).collect::<Vec<_>>())
    .fetch_all(pool)
    .await?;
    let read = |(host, body)| Some((HostId(host), serde_json::from_value(body).ok()?));
    Ok(rows.into_iter().filter_map(read).collect())
}

/// A card.
#[derive(Debug)]
pub struct CardRow {
    /// Identity.
    pub uuid: CardUuid,
    /// Its host.
    pub host: HostId,
    /// Number on it.
    pub number: CardNumber,
    /// As NVML names it.
    pub name: String,
    /// Memory.
    pub memory_mib: Option<u64>,
    /// Labels, in order.
    pub labels: Vec<String>,
    /// Open for so many shares.
    pub shares: Option<u32>,
    /// What each of them is asked to stay within.
    pub share_memory_mib: Option<u64>,
    /// Why nobody may book it.
    pub not_bookable: Option<String>,
}

#[derive(sqlx::FromRow)]
struct CardColumns {
    card_uuid: String,
    host_id: Uuid,
    card_index: i32,
    instance: Option<i32>,
    name: String,
    memory_mib: Option<i64>,
    labels: Vec<String>,
    shares: Option<i32>,
    share_memory_mib: Option<i64>,
    not_bookable: Option<String>,
}

/// Cards that can be booked, and those that were held in the span; by host, then number.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn cards(pool: &PgPool, span: &CalendarAsk) -> Result<Vec<CardRow>, StoreError> {
    let rows: Vec<CardColumns> = sqlx::query_as(
        "select card_uuid, host_id, card_index, instance, card.name, memory_mib, shares, share_memory_mib, not_bookable,
                array(select label from card_label where card_label.card_uuid = card.card_uuid order by label) as labels
         from card join host using (host_id)
         where host.retired_at is null and ((present and not mig_on) or exists (
             select from reservation_card held
             where held.card_uuid = card.card_uuid and held.during && tstzrange($1, $2) and not held.released))
         order by host_id, card_index, instance nulls first",
    )
    .bind(span.from)
    .bind(span.to)
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(CardRow {
                uuid: card_uuid(row.card_uuid)?,
                host: HostId(row.host_id),
                number: number(row.card_index, row.instance),
                name: row.name,
                memory_mib: row.memory_mib.and_then(|mib| u64::try_from(mib).ok()),
                labels: row.labels,
                shares: row.shares.and_then(|shares| u32::try_from(shares).ok()),
                share_memory_mib: row.share_memory_mib.and_then(|mib| u64::try_from(mib).ok()),
                not_bookable: row.not_bookable,
            })
        })
        .collect()
}

/// A booking without its cards.
#[derive(Debug)]
pub struct Head {
    /// Identity.
    pub id: ReservationId,
    /// Version.
    pub version: i32,
    /// Holder.
    pub owner: UserId,
    /// Display name of the holder.
    pub holder: String,
    /// Colour of the holder, in degrees.
    pub hue: u16,
    /// What for.
    pub purpose: String,
    /// When.
    pub window: Window,
    /// What it waits for.
    pub awaits: Option<Awaits>,
    /// What became of it.
    pub fate: Option<Fate>,
    /// One of several.
    pub repeats: bool,
    /// The viewer is a co-user.
    pub co_user: bool,
    /// The viewer manages a group of its owner's.
    pub managed: bool,
}

#[derive(sqlx::FromRow)]
struct HeadColumns {
    reservation_id: Uuid,
    version: i32,
    user_id: Uuid,
    display_name: String,
    hue: i16,
    purpose: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    awaits: Option<String>,
    fate: Option<String>,
    repeats: bool,
    co_user: bool,
    managed: bool,
}

/// Bookings that lie in the span, as one viewer sees them, in order of their start. Those that were called off hold
/// nothing and are left out.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn heads(pool: &PgPool, span: &CalendarAsk, viewer: UserId) -> Result<Vec<Head>, StoreError> {
    let rows: Vec<HeadColumns> = sqlx::query_as(
        r#"select r.reservation_id, r.version, r.user_id, person.display_name, person.hue, r.purpose,
                  lower(r.during) as starts, upper(r.during) as ends, r.awaits, r.fate,
                  r.series_id is not null as repeats,
                  exists (select from reservation_person co
                          where co.reservation_id = r.reservation_id and co.user_id = $3) as co_user,
                  r.awaits is not null and exists (
                      select from group_member of_owner join group_member own using (group_id)
                      where of_owner.user_id = r.user_id and own.user_id = $3 and own.manager) as managed
           from reservation r join "user" person using (user_id)
           where r.during && tstzrange($1, $2) and (r.fate is null or r.fate in ('released', 'missed'))
           order by lower(r.during), r.reservation_id"#,
    )
    .bind(span.from)
    .bind(span.to)
    .bind(viewer.0)
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Head {
                id: ReservationId(row.reservation_id),
                version: row.version,
                owner: UserId(row.user_id),
                holder: row.display_name,
                hue: u16::try_from(row.hue).unwrap_or_default(),
                purpose: row.purpose,
                window: window(row.starts, row.ends)?,
                awaits: row.awaits.as_deref().and_then(Awaits::parse),
                fate: row.fate.as_deref().and_then(Fate::parse),
                repeats: row.repeats,
                co_user: row.co_user,
                managed: row.managed,
            })
        })
        .collect()
}

/// A card, or shares of it, held by a booking for a while.
#[derive(Debug)]
pub struct HoldRow {
    /// The booking.
    pub reservation: ReservationId,
    /// The card.
    pub card: CardUuid,
    /// When.
    pub window: Window,
    /// So many shares; `None`: all of it.
    pub shares: Option<u32>,
}

/// What is held in the span, by host and card.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn holds(pool: &PgPool, span: &CalendarAsk) -> Result<Vec<HoldRow>, StoreError> {
    let rows: Vec<(Uuid, String, OffsetDateTime, OffsetDateTime, bool, i64)> = sqlx::query_as(
        // Each share of a card is a row of its own, over a part of what the whole card is.
        "select held.reservation_id, held.card_uuid, lower(held.during), upper(held.during),
                held.slices <> card.slices as part, count(*)
         from reservation_card held join card using (card_uuid) join host using (host_id)
         where held.during && tstzrange($1, $2) and not held.released
         group by held.reservation_id, held.card_uuid, held.during, part, host.name, card.card_index, card.instance
         order by host.name, card.card_index, card.instance nulls first, lower(held.during)",
    )
    .bind(span.from)
    .bind(span.to)
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|(id, card, starts, ends, part, count)| {
            Ok(HoldRow {
                reservation: ReservationId(id),
                card: card_uuid(card)?,
                window: window(starts, ends)?,
                shares: part.then(|| u32::try_from(count).unwrap_or(u32::MAX)),
            })
        })
        .collect()
}

/// Maintenance in the span that was not called off, in order of its start.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn maintenance(pool: &PgPool, span: &CalendarAsk) -> Result<Vec<Closure>, StoreError> {
    let rows: Vec<(Uuid, String, OffsetDateTime, OffsetDateTime, Vec<String>)> = sqlx::query_as(
        "select plan.maintenance_id, plan.reason, lower(plan.during), upper(plan.during),
                array(select card.card_uuid from card
                      where plan.everywhere or exists (
                          select from maintenance_target target
                          where target.maintenance_id = plan.maintenance_id
                            and (target.host_id = card.host_id or target.card_uuid in (card.card_uuid, card.gpu))))
         from maintenance plan
         where plan.during && tstzrange($1, $2) and plan.called_off_at is null
         order by lower(plan.during), plan.maintenance_id",
    )
    .bind(span.from)
    .bind(span.to)
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|(id, reason, starts, ends, cards)| {
            Ok(Closure {
                maintenance: Some(MaintenanceId(id)),
                reason,
                window: Some(window(starts, ends)?),
                cards: cards.into_iter().map(card_uuid).collect::<Result<_, _>>()?,
            })
        })
        .collect()
}

/// Names of a person's groups, in order.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn groups(pool: &PgPool, person: UserId) -> Result<Vec<String>, StoreError> {
    Ok(sqlx::query_scalar(
        "select name from person_group join group_member using (group_id) where user_id = $1 order by name",
    )
    .bind(person.0)
    .fetch_all(pool)
    .await?)
}
