//! What administrators decide about cards: whether they may be booked, and whether they are open for shares. And who has
//! booked them.

use domain::card::short_model;
use domain::id::{CardUuid, HostId, ReservationId, UserId};
use domain::notice::NamedCard;
use domain::trouble::Trouble;
use domain::upkeep::{CaredCard, CaredHost, Hit, Shares};
use domain::window::Window;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, number, window};
use super::reservations::texts;

#[derive(sqlx::FromRow)]
struct CaredRow {
    host_id: Uuid,
    host_name: String,
    card_uuid: String,
    card_index: i32,
    instance: Option<i32>,
    name: String,
    memory_mib: Option<i64>,
    mig_on: bool,
    not_bookable: Option<String>,
    shares: Option<i32>,
    share_memory_mib: Option<i64>,
    booked: i64,
}

/// Every host that is not retired, with the cards that it reports.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn hosts(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<CaredHost>, StoreError> {
    let rows: Vec<CaredRow> = sqlx::query_as(
        "select host.host_id, host.name as host_name, card.card_uuid, card.card_index, card.instance, card.name,
                card.memory_mib, card.mig_on, card.not_bookable, card.shares, card.share_memory_mib,
                (select count(distinct held.reservation_id) from reservation_card held
                 where held.gpu = card.gpu and held.slices && card.slices and held.during && tstzrange($1, null)
                   and not held.released) as booked
         from host join card using (host_id)
         where host.retired_at is null and card.present
         order by host.name, card.card_index, card.instance nulls first, card.card_uuid",
    )
    .bind(now)
    .fetch_all(pool)
    .await?;
    let mut hosts: Vec<CaredHost> = Vec::new();
    for row in rows {
        let shares = shares(row.shares, row.share_memory_mib);
        let card = CaredCard {
            uuid: card_uuid(row.card_uuid)?,
            number: number(row.card_index, row.instance),
            model: short_model(&row.name).to_owned(),
            memory_mib: row.memory_mib.and_then(|mib| u64::try_from(mib).ok()),
            cut: row.mig_on,
            not_bookable: row.not_bookable,
            shares,
            booked: u32::try_from(row.booked).unwrap_or(u32::MAX),
        };
        match hosts.last_mut() {
            Some(host) if host.id.0 == row.host_id => host.cards.push(card),
            _ => hosts.push(CaredHost { id: HostId(row.host_id), name: row.host_name, cards: vec![card] }),
        }
    }
    Ok(hosts)
}

fn shares(count: Option<i32>, memory_mib: Option<i64>) -> Option<Shares> {
    let count = u32::try_from(count?).ok()?;
    Some(Shares { count, memory_mib: memory_mib.and_then(|mib| u64::try_from(mib).ok()).unwrap_or_default() })
}

/// Why nobody may book them: cards that administrators keep from being booked.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn kept_back(pool: &PgPool) -> Result<Vec<(CardUuid, String)>, StoreError> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("select card_uuid, not_bookable from card where not_bookable is not null")
            .fetch_all(pool)
            .await?;
    rows.into_iter().map(|(card, reason)| Ok((card_uuid(card)?, reason))).collect()
}

/// A card as an administrator's act finds it. Its row is locked by then.
#[derive(Clone, Debug)]
pub struct Kept {
    /// How it is called.
    pub card: NamedCard,
    /// Memory, where known.
    pub memory_mib: Option<u64>,
    /// Cut into MIG instances, or one of them.
    pub cut: bool,
    /// Why nobody may book it.
    pub not_bookable: Option<String>,
    /// Open for shares.
    pub shares: Option<Shares>,
}

#[derive(sqlx::FromRow)]
struct KeptRow {
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
    memory_mib: Option<i64>,
    mig_on: bool,
    not_bookable: Option<String>,
    shares: Option<i32>,
    share_memory_mib: Option<i64>,
}

/// Reads a card.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn one(conn: &mut PgConnection, card: &CardUuid) -> Result<Option<Kept>, StoreError> {
    let row: Option<KeptRow> = sqlx::query_as(
        "select host.name as host_name, card.card_index, card.instance, card.memory_mib, card.mig_on,
                card.not_bookable, card.shares, card.share_memory_mib
         from card join host using (host_id) where card.card_uuid = $1",
    )
    .bind(card.as_str())
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Kept {
        memory_mib: row.memory_mib.and_then(|mib| u64::try_from(mib).ok()),
        cut: row.mig_on || row.instance.is_some(),
        not_bookable: row.not_bookable,
        shares: shares(row.shares, row.share_memory_mib),
        card: NamedCard { uuid: card.clone(), number: number(row.card_index, row.instance), host: row.host_name },
    }))
}

/// Says why nobody may book a card; `None`: everybody may.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn set_not_bookable(
    conn: &mut PgConnection,
    card: &CardUuid,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    sqlx::query("update card set not_bookable = $2 where card_uuid = $1")
        .bind(card.as_str())
        .bind(reason)
        .execute(conn)
        .await?;
    Ok(())
}

/// Notes that those who have a card booked were told that nobody may book it: whoever watches over booked cards need not
/// tell them again.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn note_told(conn: &mut PgConnection, card: &CardUuid, now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query(
        "insert into card_watch (hold_id, trouble, trouble_at)
         select held.hold_id, $3, $2
         from reservation_card held join card on card.gpu = held.gpu and card.slices && held.slices
         where card.card_uuid = $1 and held.card_uuid = card.card_uuid and not held.released
           and held.during && tstzrange($2, null)
         order by held.hold_id
         on conflict (hold_id) do update set trouble = excluded.trouble, trouble_at = excluded.trouble_at",
    )
    .bind(card.as_str())
    .bind(now)
    .bind(Json(Trouble::NotBookable))
    .execute(conn)
    .await?;
    Ok(())
}

/// Opens a card for shares; `None` closes it.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn set_shares(conn: &mut PgConnection, card: &CardUuid, shares: Option<Shares>) -> Result<(), StoreError> {
    sqlx::query("update card set shares = $2, share_memory_mib = $3 where card_uuid = $1")
        .bind(card.as_str())
        .bind(shares.map(|shares| i32::try_from(shares.count).unwrap_or(i32::MAX)))
        .bind(shares.map(|shares| i64::try_from(shares.memory_mib).unwrap_or(i64::MAX)))
        .execute(conn)
        .await?;
    Ok(())
}

/// Which bookings are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Among {
    /// All that are not over.
    All,
    /// Those that hold shares, beyond the first so many.
    SharesBeyond(u32),
}

#[derive(sqlx::FromRow)]
struct HitRow {
    reservation_id: Uuid,
    user_id: Uuid,
    display_name: String,
    hue: i16,
    purpose: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    card_uuid: String,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
    meets_from: OffsetDateTime,
    meets_to: OffsetDateTime,
}

/// Bookings that hold any of these cards, or a part of one, within a time, in order of that time. What is over at
/// `from` is no longer hit.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn hits(
    conn: &mut PgConnection,
    cards: &[CardUuid],
    from: OffsetDateTime,
    to: Option<OffsetDateTime>,
    among: Among,
) -> Result<Vec<Hit>, StoreError> {
    let rows: Vec<HitRow> = sqlx::query_as(
        r#"select booking.reservation_id, person.user_id, person.display_name, person.hue, booking.purpose,
                  lower(booking.during) as starts, upper(booking.during) as ends,
                  card.card_uuid, host.name as host_name, card.card_index, card.instance,
                  min(greatest(lower(held.during), $2)) as meets_from,
                  max(least(upper(held.during), coalesce($3, upper(held.during)))) as meets_to
           from reservation_card held
           join card using (card_uuid)
           join host using (host_id)
           join reservation booking using (reservation_id)
           join "user" person using (user_id)
           where held.during && tstzrange($2, $3, '[)') and not held.released
             and exists (select from card target
                         where target.card_uuid = any($1) and target.gpu = held.gpu and target.slices && held.slices)
             and ($4::int is null or (card.shares is not null and not upper_inf(held.slices)
                                      and upper(held.slices) > $4))
           group by booking.reservation_id, person.user_id, card.card_uuid, card.card_index, card.instance, host.host_id
           order by meets_from, booking.reservation_id, host.name, card.card_index, card.instance nulls first"#,
    )
    .bind(texts(cards))
    .bind(from)
    .bind(to)
    .bind(match among {
        Among::All => None,
        Among::SharesBeyond(count) => Some(i32::try_from(count).unwrap_or(i32::MAX)),
    })
    .fetch_all(conn)
    .await?;
    let mut hits: Vec<Hit> = Vec::new();
    for row in rows {
        let card = NamedCard {
            uuid: card_uuid(row.card_uuid)?,
            host: row.host_name,
            number: number(row.card_index, row.instance),
        };
        let overlap = window(row.meets_from, row.meets_to)?;
        if let Some(hit) = hits.iter_mut().find(|hit| hit.reservation.0 == row.reservation_id) {
            let (start, end) = (hit.overlap.start().min(overlap.start()), hit.overlap.end().max(overlap.end()));
            hit.overlap = window(start, end)?;
            hit.cards.push(card);
            continue;
        }
        hits.push(Hit {
            reservation: ReservationId(row.reservation_id),
            owner: UserId(row.user_id),
            person: row.display_name,
            hue: u16::try_from(row.hue).unwrap_or_default(),
            purpose: row.purpose,
            window: window(row.starts, row.ends)?,
            overlap,
            cards: vec![card],
        });
    }
    Ok(hits)
}

/// Cards of the same model that are well, may be booked and are free in a time; those of the same host first.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn equal_and_free(
    conn: &mut PgConnection,
    card: &CardUuid,
    wanted: &Window,
    most: i64,
) -> Result<Vec<NamedCard>, StoreError> {
    let rows: Vec<(String, String, i32, Option<i32>)> = sqlx::query_as(
        "select other.card_uuid, host.name, other.card_index, other.instance
         from card asked
         join card other on other.name = asked.name and other.card_uuid <> asked.card_uuid
              and other.memory_mib is not distinct from asked.memory_mib
              and other.present and not other.mig_on and other.health in ('ok', 'asleep')
              and other.not_bookable is null
         join host on host.host_id = other.host_id and host.retired_at is null
         where asked.card_uuid = $1
           and not exists (select from reservation_card held
                           where held.gpu = other.gpu and held.slices && other.slices
                             and held.during && tstzrange($2, $3, '[)') and not held.released)
           and not exists (
               select from maintenance m
               where m.called_off_at is null and m.during && tstzrange($2, $3, '[)')
                 and (m.everywhere or exists (
                      select from maintenance_target target left join card part using (card_uuid)
                      where target.maintenance_id = m.maintenance_id
                        and (target.host_id = other.host_id
                             or (part.gpu = other.gpu and part.slices && other.slices)))))
         order by other.host_id <> asked.host_id, host.name, other.card_index, other.instance nulls first
         limit $4",
    )
    .bind(card.as_str())
    .bind(wanted.start())
    .bind(wanted.end())
    .bind(most)
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|(uuid, host, index, instance)| {
            Ok(NamedCard { uuid: card_uuid(uuid)?, host, number: number(index, instance) })
        })
        .collect()
}
