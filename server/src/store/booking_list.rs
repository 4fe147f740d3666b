//! Bookings as pages show them.

use domain::id::{CardUuid, HostId, ReservationId, SeriesId, UserId};
use domain::reservation::{Awaits, Fate};
use domain::trouble::Condition;
use domain::window::Window;
use domain::wire::live_v1::BookingBrief;
use domain::wire::page::BookedCard;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, health, number, window};
use super::reports::memory;

/// Most bookings shown on one card.
pub const BRIEFS_MAX: i64 = 4;
/// Most past bookings shown.
pub const PAST_MAX: i64 = 50;

#[derive(sqlx::FromRow)]
struct BriefRow {
    card_uuid: String,
    reservation_id: Uuid,
    user_id: Uuid,
    display_name: String,
    hue: i16,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    co_users: Vec<Uuid>,
    waits: bool,
}

/// What is booked on every card, now and next, by card and start.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn briefs(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<(CardUuid, BookingBrief)>, StoreError> {
    let rows: Vec<BriefRow> = sqlx::query_as(
        r#"select card.card_uuid, next.reservation_id, person.user_id, person.display_name, person.hue,
                  next.starts, next.ends, booked.awaits is not null as waits,
                  array(select named.user_id from reservation_person named
                        where named.reservation_id = next.reservation_id order by 1) as co_users
           from card
           cross join lateral (
               -- Of one card a booking may hold several shares.
               select held.reservation_id, min(lower(held.during)) as starts, max(upper(held.during)) as ends
               from reservation_card held
               where held.gpu = card.gpu and held.slices && card.slices and held.during && tstzrange($1, null)
                 and not held.released
                 -- Of a card that is cut up, only what was booked as a whole: its instances show the rest.
                 and (not card.mig_on or held.card_uuid = card.card_uuid)
               group by held.reservation_id
               order by starts, held.reservation_id limit $2
           ) next
           join reservation booked using (reservation_id)
           join "user" person using (user_id)
           order by card.card_uuid, starts"#,
    )
    .bind(now)
    .bind(BRIEFS_MAX)
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let brief = BookingBrief {
                id: ReservationId(row.reservation_id),
                owner: UserId(row.user_id),
                holder: row.display_name,
                hue: u16::try_from(row.hue).unwrap_or_default(),
                window: window(row.starts, row.ends)?,
                co_users: row.co_users.into_iter().map(UserId).collect(),
                waits: row.waits,
            };
            Ok((card_uuid(row.card_uuid)?, brief))
        })
        .collect()
}

/// A booking without its cards.
#[derive(Debug)]
pub struct Head {
    /// Identity.
    pub id: ReservationId,
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
    /// What it waits for before it counts.
    pub awaits: Option<Awaits>,
    /// Until when it waits.
    pub awaits_until: Option<OffsetDateTime>,
    /// What became of it.
    pub fate: Option<Fate>,
    /// Why.
    pub fate_why: Option<String>,
    /// Counts up with every edit.
    pub version: i32,
    /// The repeats that it is one of.
    pub series: Option<SeriesId>,
    /// Display name of whoever made it, where that is not its owner.
    pub booked_by: Option<String>,
}

#[derive(sqlx::FromRow)]
struct HeadRow {
    reservation_id: Uuid,
    user_id: Uuid,
    display_name: String,
    hue: i16,
    purpose: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    awaits: Option<String>,
    awaits_until: Option<OffsetDateTime>,
    fate: Option<String>,
    fate_why: Option<String>,
    version: i32,
    series_id: Option<Uuid>,
    booked_by: Option<String>,
}

impl TryFrom<HeadRow> for Head {
    type Error = StoreError;

    fn try_from(row: HeadRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: ReservationId(row.reservation_id),
            owner: UserId(row.user_id),
            holder: row.display_name,
            hue: u16::try_from(row.hue).unwrap_or_default(),
            purpose: row.purpose,
            window: window(row.starts, row.ends)?,
            awaits: row.awaits.as_deref().and_then(Awaits::parse),
            awaits_until: row.awaits_until,
            fate: row.fate.as_deref().and_then(Fate::parse),
            fate_why: row.fate_why,
            version: row.version,
            series: row.series_id.map(SeriesId),
            booked_by: row.booked_by,
        })
    }
}

/// Everything of [`HeadRow`], of the bookings that the rest chooses.
macro_rules! heads {
    ($rest:literal) => {
        concat!(
            r#"select booked.reservation_id, person.user_id, person.display_name, person.hue, booked.purpose,
                      lower(booked.during) as starts, upper(booked.during) as ends, booked.awaits, booked.awaits_until,
                      booked.fate, booked.fate_why, booked.version, booked.series_id, maker.display_name as booked_by
               from reservation booked
               join "user" person on person.user_id = booked.user_id
               left join "user" maker on maker.user_id = booked.booked_by "#,
            $rest
        )
    };
}

/// Everybody's bookings that are active or to come, in order of their start.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn current(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<Head>, StoreError> {
    let rows: Vec<HeadRow> = sqlx::query_as(heads!(
        "where booked.during && tstzrange($1, null) and booked.fate is null
         order by starts, ends, booked.reservation_id"
    ))
    .bind(now)
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Head::try_from).collect()
}

/// A person's bookings that are over or were cancelled, newest first.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn past(pool: &PgPool, owner: UserId, now: OffsetDateTime) -> Result<Vec<Head>, StoreError> {
    let rows: Vec<HeadRow> = sqlx::query_as(heads!(
        "where booked.user_id = $1 and (upper(booked.during) <= $2 or booked.fate is not null)
         order by starts desc, booked.reservation_id desc limit $3"
    ))
    .bind(owner.0)
    .bind(now)
    .bind(PAST_MAX)
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Head::try_from).collect()
}

/// One booking.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn one(pool: &PgPool, id: ReservationId) -> Result<Option<Head>, StoreError> {
    let row: Option<HeadRow> =
        sqlx::query_as(heads!("where booked.reservation_id = $1")).bind(id.0).fetch_optional(pool).await?;
    row.map(Head::try_from).transpose()
}

/// All of a series, in order of time.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn of_series(pool: &PgPool, id: SeriesId) -> Result<Vec<Head>, StoreError> {
    let rows: Vec<HeadRow> =
        sqlx::query_as(heads!("where booked.series_id = $1 order by starts")).bind(id.0).fetch_all(pool).await?;
    rows.into_iter().map(Head::try_from).collect()
}

#[derive(sqlx::FromRow)]
struct CardRow {
    reservation_id: Uuid,
    card_uuid: String,
    host_id: Uuid,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
    name: String,
    pci_bus_id: Option<String>,
    memory_mib: Option<i64>,
    present: bool,
    mig_on: bool,
    health: String,
    retired: bool,
    last_report_at: Option<OffsetDateTime>,
    not_bookable: bool,
    shares: i64,
    share_memory_mib: Option<i64>,
}

/// The cards of some bookings, by host name and index.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn cards(
    pool: &PgPool,
    ids: &[ReservationId],
    now: OffsetDateTime,
) -> Result<Vec<(ReservationId, BookedCard)>, StoreError> {
    let rows: Vec<CardRow> = sqlx::query_as(
        // A card may have several rows of one booking: shares, and times in which it came and went.
        "select held.reservation_id, card.card_uuid, host.host_id, host.name as host_name, card.card_index, card.instance, card.name,
                card.pci_bus_id, card.memory_mib, card.present, card.mig_on, card.health,
                host.retired_at is not null as retired, host.last_report_at,
                card.not_bookable is not null as not_bookable, card.share_memory_mib, held.shares
         from (select one.reservation_id, one.card_uuid,
                      count(*) filter (where one.slices <> card.slices
                                         and upper(one.during) = upper(booked.during)) as shares
               from reservation_card one join reservation booked using (reservation_id) join card using (card_uuid)
               where one.reservation_id = any($1) and one.left_why is distinct from 'edited'
               group by one.reservation_id, one.card_uuid) held
         join card using (card_uuid) join host using (host_id)
         order by host.name, card.card_index, card.instance nulls first, card.card_uuid",
    )
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let CardRow {
                reservation_id,
                card_uuid: uuid,
                host_id,
                host_name,
                card_index,
                instance,
                name,
                pci_bus_id,
                memory_mib,
                present,
                mig_on,
                health: word,
                retired,
                last_report_at: last_report,
                not_bookable,
                shares,
                share_memory_mib,
            } = row;
            let condition = Condition { retired, last_report, present, mig_on, health: health(&word), not_bookable };
            let card = BookedCard {
                uuid: card_uuid(uuid)?,
                host: HostId(host_id),
                host_name,
                number: number(card_index, instance),
                model: domain::card::short_model(&name).to_owned(),
                pci_bus_id,
                memory_total_mib: memory(memory_mib),
                trouble: condition.trouble(now),
                shares: u32::try_from(shares).ok().filter(|shares| *shares > 0),
                share_memory_mib: share_memory_mib.and_then(|mib| u64::try_from(mib).ok()),
            };
            Ok((ReservationId(reservation_id), card))
        })
        .collect()
}

/// Accounts of a person on some hosts, by host and name.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn accounts_on(pool: &PgPool, person: UserId, hosts: &[HostId]) -> Result<Vec<(HostId, String)>, StoreError> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "select distinct asked.host_id, account.os_user
         from unnest($2::uuid[]) as asked (host_id)
         join host_account account on account.host_id = asked.host_id or account.host_id is null
         where account.user_id = $1
         order by asked.host_id, account.os_user",
    )
    .bind(person.0)
    .bind(hosts.iter().map(|host| host.0).collect::<Vec<_>>())
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|(host, account)| (HostId(host), account)).collect())
}

/// Who wants each card of a booking next, among those who are not its owner.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn wanted_next(pool: &PgPool, id: ReservationId) -> Result<Vec<(CardUuid, Window, String)>, StoreError> {
    let rows: Vec<(String, OffsetDateTime, OffsetDateTime, String)> = sqlx::query_as(
        r#"select distinct on (mine.card_uuid) mine.card_uuid, lower(next.during), upper(next.during), person.display_name
           from reservation_card mine
           join reservation own using (reservation_id)
           join reservation_card next on next.gpu = mine.gpu and next.slices && mine.slices and not next.released
                and next.during && tstzrange(upper(mine.during), null)
           join reservation theirs on theirs.reservation_id = next.reservation_id and theirs.user_id <> own.user_id
           join "user" person on person.user_id = theirs.user_id
           where mine.reservation_id = $1 and mine.left_why is null
           order by mine.card_uuid, lower(next.during)"#,
    )
    .bind(id.0)
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(|(card, starts, ends, name)| Ok((card_uuid(card)?, window(starts, ends)?, name))).collect()
}
