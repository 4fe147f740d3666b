//! What the finder searches, read in few queries: hosts, cards, who holds them from now on, and when they are closed.

use std::collections::{BTreeSet, HashMap};

use domain::card::short_model;
use domain::finder::park::{Card, Hold, Works};
use domain::id::{CardUuid, HostId, MaintenanceId, ReservationId, UserId};
use domain::inventory::Inventory;
use domain::trouble::Condition;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::change::Version;
use super::decode::{card_uuid, health, number, window};
use super::{StoreError, maintenance};

/// Where the log of changes stands, and when each host has reported last.
#[derive(Debug)]
pub struct Pulse {
    /// The log.
    pub version: Version,
    /// Hosts that have reported.
    pub last_reports: HashMap<HostId, OffsetDateTime>,
}

/// Reads what is not in the stock: one small query.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn pulse(pool: &PgPool) -> Result<Pulse, StoreError> {
    let rows: Vec<(i64, i64, Option<Uuid>, Option<OffsetDateTime>)> = sqlx::query_as(
        "select log.last, log.rows, host.host_id, host.last_report_at
         from (select coalesce(max(change_id), 0) as last, count(*) as rows from change) log
         left join host on host.last_report_at is not null",
    )
    .fetch_all(pool)
    .await?;
    let version = rows.first().map_or_else(Version::default, |row| Version::at(row.0, row.1));
    let last_reports = rows.into_iter().filter_map(|(_, _, host, at)| Some((HostId(host?), at?))).collect();
    Ok(Pulse { version, last_reports })
}

/// A host.
#[derive(Debug, sqlx::FromRow)]
pub struct HostRow {
    /// Identity.
    pub host_id: Uuid,
    /// Name.
    pub name: String,
    /// Its agent's name for its inventory.
    pub inventory_id: Option<String>,
    /// Labels.
    pub labels: Vec<String>,
}

/// Every host that is not retired.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn hosts(pool: &PgPool) -> Result<Vec<HostRow>, StoreError> {
    Ok(sqlx::query_as(
        "select host_id, name, inventory_id,
                array(select label from host_label where host_label.host_id = host.host_id) as labels
         from host where retired_at is null",
    )
    .fetch_all(pool)
    .await?)
}

/// What these hosts are, as far as this version can read it.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn inventories(pool: &PgPool, hosts: &[HostId]) -> Result<HashMap<HostId, Inventory>, StoreError> {
    let rows: Vec<(Uuid, serde_json::Value)> =
        sqlx::query_as("select host_id, inventory from host where host_id = any($1) and inventory is not null")
            .bind(hosts.iter().map(|host| host.0).collect::<Vec<_>>())
            .fetch_all(pool)
            .await?;
    let read = |(host, body)| Some((HostId(host), serde_json::from_value(body).ok()?));
    Ok(rows.into_iter().filter_map(read).collect())
}

#[derive(sqlx::FromRow)]
struct CardRow {
    card_uuid: String,
    host_id: Uuid,
    gpu: String,
    slice: i32,
    card_index: i32,
    instance: Option<i32>,
    name: String,
    memory_mib: Option<i64>,
    mig_on: bool,
    health: String,
    present: bool,
    not_bookable: Option<String>,
    shares: Option<i32>,
    share_memory_mib: Option<i64>,
    labels: Vec<String>,
}

/// Every card of a host that is not retired. What only inventories say is left open.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn cards(pool: &PgPool) -> Result<Vec<(HostId, Card)>, StoreError> {
    let rows: Vec<CardRow> = sqlx::query_as(
        "select card_uuid, host_id, gpu, lower(slices) as slice, card_index, instance, card.name, memory_mib, mig_on,
                health, present, not_bookable, shares, share_memory_mib,
                array(select label from card_label where card_label.card_uuid = card.card_uuid) as labels
         from card join host using (host_id)
         -- An instance that is no more does not come back; a card may.
         where host.retired_at is null and (present or instance is null)",
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(|row| Ok((HostId(row.host_id), card(row)?))).collect()
}

fn card(row: CardRow) -> Result<Card, StoreError> {
    let profile = row.name.rsplit_once("MIG ").filter(|_| row.instance.is_some()).map(|(_, profile)| profile);
    Ok(Card {
        uuid: card_uuid(row.card_uuid)?,
        gpu: card_uuid(row.gpu)?,
        slice: row.instance.and_then(|_| u32::try_from(row.slice).ok()),
        number: number(row.card_index, row.instance),
        model: profile.map_or_else(|| short_model(&row.name).to_owned(), |profile| format!("MIG {profile}")),
        architecture: None,
        memory_mib: row.memory_mib.and_then(|mib| u64::try_from(mib).ok()),
        speed: None,
        labels: row.labels,
        shares: row.shares.and_then(|shares| u32::try_from(shares).ok()),
        share_memory_mib: row.share_memory_mib.and_then(|mib| u64::try_from(mib).ok()),
        condition: Condition {
            retired: false,
            last_report: None,
            present: row.present,
            mig_on: row.mig_on,
            health: health(&row.health),
            not_bookable: row.not_bookable.is_some(),
        },
        not_bookable: row.not_bookable,
    })
}

/// Everything that is held after an instant.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn holds(pool: &PgPool, after: OffsetDateTime) -> Result<Vec<Hold>, StoreError> {
    let rows: Vec<(Uuid, String, i32, Option<i32>, OffsetDateTime, OffsetDateTime)> = sqlx::query_as(
        "select reservation_id, gpu, lower(slices), upper(slices), lower(during), upper(during)
         from reservation_card where not released and during && tstzrange($1, null)",
    )
    .bind(after)
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|(reservation, gpu, first, end, starts, ends)| {
            Ok(Hold {
                reservation: ReservationId(reservation),
                gpu: card_uuid(gpu)?,
                first_slice: u32::try_from(first).unwrap_or_default(),
                end_slice: end.and_then(|end| u32::try_from(end).ok()),
                window: window(starts, ends)?,
            })
        })
        .collect()
}

/// Who may launch on what is held at some time between two instants: owners and those whom they let.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn holders(
    pool: &PgPool,
    from: OffsetDateTime,
    to: OffsetDateTime,
) -> Result<HashMap<ReservationId, Vec<UserId>>, StoreError> {
    let rows: Vec<(Uuid, Vec<Uuid>)> = sqlx::query_as(
        "select reservation_id,
                user_id || array(select co.user_id from reservation_person co
                                 where co.reservation_id = reservation.reservation_id)
         from reservation where fate is null and during && tstzrange($1, $2)",
    )
    .bind(from)
    .bind(to)
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|(id, people)| (ReservationId(id), people.into_iter().map(UserId).collect())).collect())
}

/// Maintenance that runs or is to come.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn works(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<Works>, StoreError> {
    let mut by_id: HashMap<MaintenanceId, Works> = HashMap::new();
    for (card, brief) in maintenance::briefs(pool, now).await? {
        let of_it = by_id.entry(brief.id).or_insert_with(|| Works {
            id: brief.id,
            reason: brief.reason,
            window: brief.window,
            cards: BTreeSet::<CardUuid>::new(),
        });
        of_it.cards.insert(card);
    }
    let mut works: Vec<Works> = by_id.into_values().collect();
    works.sort_by_key(|works| (works.window.start(), works.id));
    Ok(works)
}
