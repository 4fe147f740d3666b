//! What hosts report: the last report of each, and the rows of their cards. One transaction takes in any number of hosts.

use std::collections::HashSet;

use domain::card::{CardFacts, MigPart};
use domain::id::HostId;
use domain::inventory::Inventory;
use domain::reading::{Missing, Reading};
use domain::wire::agent_v1::{CardReport, NvmlState, Report};
use sqlx::postgres::types::PgInterval;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, health_word};

/// A card stays with the host that reported it until that host has been silent for this long.
pub const CARD_HELD: Duration = Duration::minutes(5);

/// A report older than the one before it is a straggler only this long; after that a clock was set back.
pub const STRAGGLER: Duration = Duration::seconds(10);

/// A card that the database knows and the host's last report does not have.
#[derive(Clone, Debug)]
pub struct GoneCard {
    /// What it was.
    pub facts: CardFacts,
    /// Since when it is gone.
    pub since: OffsetDateTime,
}

/// A host in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownHost {
    /// Identity.
    pub id: HostId,
    /// Name.
    pub name: String,
    /// When its last report was received.
    pub last_report: Option<OffsetDateTime>,
}

/// A report in the database.
#[derive(Debug)]
pub struct StoredReport {
    /// Whose.
    pub host: HostId,
    /// When it was received.
    pub at: OffsetDateTime,
    /// What it said.
    pub report: Report,
}

/// A report on its way into the database. Each host at most once per call.
#[derive(Debug)]
pub struct Received {
    /// Whose.
    pub host: HostId,
    /// When it was received.
    pub at: OffsetDateTime,
    /// What it says, checked; without the inventory.
    pub report: Report,
    /// The inventory that came with it.
    pub inventory: Option<Box<Inventory>>,
}

impl Received {
    /// Takes the inventory over from an older report, where it is the one that this report names too.
    pub fn take_inventory(&mut self, older: &mut Self) {
        if self.inventory.is_none() && self.report.inventory_id == older.report.inventory_id {
            self.inventory = older.inventory.take();
        }
    }
}

/// Keeps the last report of each host. Gives the hosts whose report was news: neither a repeat of the one that is here
/// nor one that was overtaken by it. An agent that was restarted may count from the beginning, but samples later; and
/// an older report counts as overtaken only for [`STRAGGLER`], after that a clock was set back.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn keep(conn: &mut PgConnection, reports: &[Received]) -> Result<Vec<HostId>, StoreError> {
    let boot_ids: Vec<&str> = reports.iter().map(|received| received.report.boot_id.as_str()).collect();
    let versions: Vec<&str> = reports.iter().map(|received| received.report.agent_version.as_str()).collect();
    let seqs: Vec<i64> = reports.iter().map(|r| i64::try_from(r.report.seq).unwrap_or(i64::MAX)).collect();
    let sampled: Vec<OffsetDateTime> = reports.iter().map(|received| received.report.sampled_at).collect();
    let ahead = |received: &Received| {
        let ahead = received.report.sent_at.map(|sent| (sent - received.at).whole_milliseconds());
        ahead.and_then(|ms| i64::try_from(ms).ok())
    };
    let bodies: Vec<Json<&Report>> = reports.iter().map(|received| Json(&received.report)).collect();
    let news: Vec<Uuid> = sqlx::query_scalar(
        "with locked as (
             select host_id from host where host_id = any($1) order by host_id for no key update
         )
         update host set last_report_at = n.at, last_boot_id = n.boot_id, last_seq = n.seq,
                         agent_version = n.agent_version, last_report = n.report, clock_ahead_ms = n.ahead
         from unnest($1, $2::timestamptz[], $3::text[], $4::bigint[], $5::text[], $6::jsonb[], $7::timestamptz[],
                     $8::bigint[])
              as n (host_id, at, boot_id, seq, agent_version, report, sampled_at, ahead)
         join locked using (host_id)
         where host.host_id = n.host_id
           and not (host.last_boot_id is not distinct from n.boot_id and n.seq <= host.last_seq
                    and n.sampled_at <= (host.last_report ->> 'sampled_at')::timestamptz
                    and n.at - host.last_report_at < $9)
         returning host.host_id",
    )
    .bind(ids(reports))
    .bind(reports.iter().map(|received| received.at).collect::<Vec<_>>())
    .bind(boot_ids)
    .bind(seqs)
    .bind(versions)
    .bind(bodies)
    .bind(sampled)
    .bind(reports.iter().map(ahead).collect::<Vec<_>>())
    .bind(PgInterval { months: 0, days: 0, microseconds: i64::try_from(STRAGGLER.whole_microseconds()).unwrap_or(0) })
    .fetch_all(conn)
    .await?;
    Ok(news.into_iter().map(HostId).collect())
}

/// Brings the rows of cards in line with what was reported: only rows that differ are touched. Tells whether any did.
///
/// A card that another host has reported lately stays with that host.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn update_cards(conn: &mut PgConnection, reports: &[&Received]) -> Result<bool, StoreError> {
    let mut seen = HashSet::new();
    let cards: Vec<(&Received, &CardReport)> = reports
        .iter()
        .flat_map(|&received| received.report.cards.iter().map(move |card| (received, card)))
        .filter(|(_, card)| is_a_card(&card.facts) && seen.insert(&card.facts.uuid))
        .collect();
    let facts = |f: fn(&CardFacts) -> &str| cards.iter().map(|(_, card)| f(&card.facts)).collect::<Vec<_>>();
    let parts =
        |f: fn(&MigPart) -> i32| cards.iter().map(|(_, card)| card.facts.part.as_ref().map(f)).collect::<Vec<_>>();
    let uuids = facts(|facts| facts.uuid.as_str());
    let hosts: Vec<Uuid> = cards.iter().map(|(received, _)| received.host.0).collect();
    let held_since = reports.iter().map(|received| received.at).min().map(|at| at - CARD_HELD);

    let written = sqlx::query(
        "insert into card (card_uuid, host_id, gpu, slices, card_index, instance, mig_on, minor, name, pci_bus_id,
                           memory_mib, health, first_seen, last_seen)
         select n.card_uuid, n.host_id, n.gpu, int4range(coalesce(n.slice, 0), n.slice + 1), n.card_index, n.instance,
                n.mig_on, n.minor, n.name, n.pci_bus_id, n.memory_mib, n.health, n.at, n.at
         from unnest($1::text[], $2::uuid[], $3::int[], $4::int[], $5::text[], $6::text[], $7::bigint[], $8::text[],
                     $9::timestamptz[], $11::text[], $12::int[], $13::int[], $14::bool[])
              as n (card_uuid, host_id, card_index, minor, name, pci_bus_id, memory_mib, health, at, gpu, slice,
                    instance, mig_on)
         left join card on card.card_uuid = n.card_uuid
         -- A part of a card that another host has would hold that host's calendar.
         where not exists (select from card whole where whole.card_uuid = n.gpu and whole.host_id <> n.host_id
                                                    and n.slice is not null)
           and (card.card_uuid is null
            or (card.host_id, card.card_index, card.name, card.health, card.present, card.instance, card.mig_on)
               is distinct from (n.host_id, n.card_index, n.name, n.health, true, n.instance, n.mig_on)
            or (card.gpu, card.slices) is distinct from (n.gpu, int4range(coalesce(n.slice, 0), n.slice + 1))
            or (card.minor, card.pci_bus_id, card.memory_mib)
               is distinct from (coalesce(n.minor, card.minor), coalesce(n.pci_bus_id, card.pci_bus_id),
                                 coalesce(n.memory_mib, card.memory_mib)))
         order by n.card_uuid
         on conflict (card_uuid) do update
         set previous_index = case when card.host_id = excluded.host_id and card.card_index <> excluded.card_index
                                   then card.card_index else card.previous_index end,
             index_changed_at = case when card.host_id = excluded.host_id and card.card_index <> excluded.card_index
                                     then excluded.last_seen else card.index_changed_at end,
             host_id = excluded.host_id, gpu = excluded.gpu, slices = excluded.slices,
             card_index = excluded.card_index, instance = excluded.instance, mig_on = excluded.mig_on,
             name = excluded.name,
             health = excluded.health, present = true, last_seen = excluded.last_seen,
             -- A sick card may no longer say what it is.
             minor = coalesce(excluded.minor, card.minor),
             pci_bus_id = coalesce(excluded.pci_bus_id, card.pci_bus_id),
             memory_mib = coalesce(excluded.memory_mib, card.memory_mib)
         where card.host_id = excluded.host_id or not card.present
            or not exists (select from host where host.host_id = card.host_id and host.last_report_at > $10)",
    )
    .bind(&uuids)
    .bind(&hosts)
    .bind(cards.iter().map(|(_, card)| int(card.facts.index)).collect::<Vec<_>>())
    .bind(cards.iter().map(|(_, card)| card.facts.minor.map(int)).collect::<Vec<_>>())
    .bind(facts(|facts| &facts.name))
    .bind(cards.iter().map(|(_, card)| card.facts.pci_bus_id.as_deref()).collect::<Vec<_>>())
    .bind(cards.iter().map(|(_, card)| card.facts.memory_total_mib.get().map(big)).collect::<Vec<_>>())
    .bind(cards.iter().map(|(_, card)| health_word(card.health)).collect::<Vec<_>>())
    .bind(cards.iter().map(|(received, _)| received.at).collect::<Vec<_>>())
    .bind(held_since)
    .bind(facts(|facts| facts.part.as_ref().map_or(facts.uuid.as_str(), |part| part.parent.as_str())))
    .bind(parts(|part| int(part.slice())))
    .bind(parts(|part| int(part.instance)))
    .bind(cards.iter().map(|(_, card)| card.facts.mig_on).collect::<Vec<_>>())
    .execute(&mut *conn)
    .await?;

    // Only a host whose NVML answers can say that a card is not there.
    let telling: Vec<&Received> =
        reports.iter().copied().filter(|received| received.report.nvml == NvmlState::Ok).collect();
    let vanished = sqlx::query(
        "with vanished as (
             select card.card_uuid, told.at
             from unnest($1::uuid[], $2::timestamptz[]) as told (host_id, at)
             join card on card.host_id = told.host_id
             where card.present
               and not exists (select from unnest($3::text[], $4::uuid[]) as n (card_uuid, host_id)
                               where n.card_uuid = card.card_uuid and n.host_id = card.host_id)
             order by card.card_uuid
             for no key update of card
         )
         update card set present = false, last_seen = vanished.at
         from vanished where card.card_uuid = vanished.card_uuid",
    )
    .bind(telling.iter().map(|received| received.host.0).collect::<Vec<_>>())
    .bind(telling.iter().map(|received| received.at).collect::<Vec<_>>())
    .bind(&uuids)
    .bind(&hosts)
    .execute(conn)
    .await?;
    Ok(written.rows_affected() + vanished.rows_affected() > 0)
}

fn ids(reports: &[Received]) -> Vec<Uuid> {
    reports.iter().map(|received| received.host.0).collect()
}

fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn big(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Every host that is not retired.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn hosts(pool: &PgPool) -> Result<Vec<KnownHost>, StoreError> {
    let rows: Vec<(Uuid, String, Option<OffsetDateTime>)> =
        sqlx::query_as("select host_id, name, last_report_at from host where retired_at is null")
            .fetch_all(pool)
            .await?;
    Ok(rows.into_iter().map(|(id, name, last_report)| KnownHost { id: HostId(id), name, last_report }).collect())
}

/// The last reports of some hosts. One that this version cannot read is left out: the host's next report replaces it.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn last(pool: &PgPool, hosts: &[HostId]) -> Result<Vec<StoredReport>, StoreError> {
    let rows: Vec<(Uuid, OffsetDateTime, serde_json::Value)> = sqlx::query_as(
        "select host_id, last_report_at, last_report from host
         where host_id = any($1) and last_report_at is not null and last_report is not null",
    )
    .bind(hosts.iter().map(|host| host.0).collect::<Vec<_>>())
    .fetch_all(pool)
    .await?;
    let read = |(host, at, body)| match serde_json::from_value(body) {
        Ok(report) => Some(StoredReport { host: HostId(host), at, report }),
        Err(error) => {
            tracing::warn!(host = %host, cause = %error, "a stored report cannot be read");
            None
        }
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// An instance without its place on a card has no place in the calendar either.
fn is_a_card(facts: &CardFacts) -> bool {
    facts.uuid.is_mig() == facts.part.is_some()
}

#[derive(sqlx::FromRow)]
struct GoneRow {
    card_uuid: String,
    host_id: Uuid,
    gpu: String,
    slice: i32,
    card_index: i32,
    instance: Option<i32>,
    minor: Option<i32>,
    name: String,
    pci_bus_id: Option<String>,
    memory_mib: Option<i64>,
    last_seen: OffsetDateTime,
}

/// Cards of some hosts that these no longer report.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn gone_cards(pool: &PgPool, hosts: &[HostId]) -> Result<Vec<(HostId, GoneCard)>, StoreError> {
    let rows: Vec<GoneRow> = sqlx::query_as(
        "select card_uuid, host_id, gpu, lower(slices) as slice, card_index, instance, minor, name, pci_bus_id,
                memory_mib, last_seen
         from card where host_id = any($1) and not present
           -- An instance that is no more was given up, not lost.
           and instance is null",
    )
    .bind(hosts.iter().map(|host| host.0).collect::<Vec<_>>())
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let part = match row.instance {
                Some(instance) => Some(MigPart::at(card_uuid(row.gpu)?, unsigned(row.slice), unsigned(instance))),
                None => None,
            };
            let facts = CardFacts {
                part,
                mig_on: false,
                uuid: card_uuid(row.card_uuid)?,
                index: unsigned(row.card_index),
                minor: row.minor.map(unsigned),
                name: row.name,
                pci_bus_id: row.pci_bus_id,
                memory_total_mib: memory(row.memory_mib),
            };
            Ok((HostId(row.host_id), GoneCard { facts, since: row.last_seen }))
        })
        .collect()
}

fn unsigned(stored: i32) -> u32 {
    u32::try_from(stored).unwrap_or_default()
}

/// A stored size of memory.
pub(super) fn memory(mib: Option<i64>) -> Reading<u64> {
    mib.and_then(|mib| u64::try_from(mib).ok()).map_or(Reading::missing(Missing::Unknown), Reading::Value)
}
