//! What people are told. A notice is written in the transaction of the deed that it tells of.

use std::collections::{BTreeMap, HashMap};

use domain::id::{CardUuid, HostId, ReservationId, UserId};
use domain::notice::{Body, NamedCard, Notice, Told, Which};
use domain::window::Window;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, number, window};

/// A notice about to be written.
#[derive(Clone, Debug)]
pub struct NewNotice {
    /// Who is told.
    pub user: UserId,
    /// What.
    pub body: Body,
    /// The booking that it is about.
    pub reservation: Option<ReservationId>,
    /// Names the occasion: the same person is told of the same occasion once. `None`: told each time.
    pub once: Option<String>,
}

/// Tells people, in the caller's transaction, and has open pages look again. Gives how many were told; what has been
/// said before is not said again.
///
/// # Errors
/// [`StoreError`] where the database refuses.
pub async fn write(conn: &mut PgConnection, notices: &[NewNotice], now: OffsetDateTime) -> Result<u64, StoreError> {
    if notices.is_empty() {
        return Ok(0);
    }
    let told: i64 = sqlx::query_scalar(
        "with told as (
             insert into notice (user_id, made_at, body, reservation_id, once)
             select user_id, $5, body, reservation_id, once
             from unnest($1::uuid[], $2::jsonb[], $3::uuid[], $4::text[]) with ordinality
                  as n (user_id, body, reservation_id, once, place)
             order by place
             on conflict do nothing
             returning 1
         ), noted as (
             insert into change (made_at) select $5 where exists (select from told)
         )
         select count(*) from told",
    )
    .bind(notices.iter().map(|notice| notice.user.0).collect::<Vec<_>>())
    .bind(notices.iter().map(|notice| Json(&notice.body)).collect::<Vec<_>>())
    .bind(notices.iter().map(|notice| notice.reservation.map(|id| id.0)).collect::<Vec<_>>())
    .bind(notices.iter().map(|notice| notice.once.as_deref()).collect::<Vec<_>>())
    .bind(now)
    .fetch_one(conn)
    .await?;
    Ok(u64::try_from(told).unwrap_or_default())
}

#[derive(sqlx::FromRow)]
struct Row {
    notice_id: i64,
    user_id: Uuid,
    made_at: OffsetDateTime,
    read_at: Option<OffsetDateTime>,
    reservation_id: Option<Uuid>,
    body: serde_json::Value,
    open: bool,
}

impl Row {
    /// What a newer server has written and this one cannot say is left out.
    fn read(self, cards: &HashMap<Uuid, Vec<NamedCard>>) -> Option<(UserId, Told)> {
        let body = match serde_json::from_value(self.body) {
            Ok(body) => body,
            Err(error) => {
                tracing::warn!(notice = self.notice_id, cause = %error, "a notice cannot be read");
                return None;
            }
        };
        let notice = Notice {
            id: self.notice_id,
            at: self.made_at,
            read_at: self.read_at,
            reservation: self.reservation_id.map(ReservationId),
            body,
        };
        let cards = self.reservation_id.and_then(|id| cards.get(&id)).cloned().unwrap_or_default();
        Some((UserId(self.user_id), Told { notice, cards, open: self.open }))
    }
}

/// The newest notices of each of these people, newest first, at most so many of each.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn list(
    conn: &mut PgConnection,
    people: &[UserId],
    unread_only: bool,
    most: u32,
    now: OffsetDateTime,
) -> Result<Vec<(UserId, Told)>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        "select n.notice_id, n.user_id, n.made_at, n.read_at, n.reservation_id, n.body,
                coalesce(booking.user_id = n.user_id and booking.fate is null and upper(booking.during) > $4
                         and (booking.awaits_until is null or booking.awaits_until > $4), false) as open
         from unnest($1::uuid[]) as reader (user_id)
         cross join lateral (
             select * from notice
             where notice.user_id = reader.user_id and (notice.read_at is null or not $2)
             order by notice_id desc limit $3
         ) n
         left join reservation booking on booking.reservation_id = n.reservation_id
         order by n.notice_id desc",
    )
    .bind(people.iter().map(|person| person.0).collect::<Vec<_>>())
    .bind(unread_only)
    .bind(i64::from(most))
    .bind(now)
    .fetch_all(&mut *conn)
    .await?;
    let bookings: Vec<Uuid> = rows.iter().filter_map(|row| row.reservation_id).collect();
    let cards = cards_of(conn, &bookings).await?;
    Ok(rows.into_iter().filter_map(|row| row.read(&cards)).collect())
}

#[derive(sqlx::FromRow)]
struct CardRow {
    reservation_id: Uuid,
    card_uuid: String,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
}

/// The cards that bookings have, or had last, by host and number, as they are called now.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn cards_of(conn: &mut PgConnection, bookings: &[Uuid]) -> Result<HashMap<Uuid, Vec<NamedCard>>, StoreError> {
    let mut cards: HashMap<Uuid, Vec<NamedCard>> = HashMap::new();
    if bookings.is_empty() {
        return Ok(cards);
    }
    let rows: Vec<CardRow> = sqlx::query_as(
        "select distinct held.reservation_id, card.card_uuid, host.name as host_name, card.card_index, card.instance
         from reservation_card held
         join card using (card_uuid)
         join host using (host_id)
         where held.reservation_id = any($1) and held.left_why is distinct from 'edited'
         order by host.name, card.card_index, card.instance nulls first, card.card_uuid",
    )
    .bind(bookings)
    .fetch_all(conn)
    .await?;
    for CardRow { reservation_id, card_uuid: uuid, host_name, card_index, instance } in rows {
        let card = NamedCard { uuid: card_uuid(uuid)?, host: host_name, number: number(card_index, instance) };
        cards.entry(reservation_id).or_default().push(card);
    }
    Ok(cards)
}

/// The cards and the time of a booking as it is now; `None` where it is over or there is none.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn booking(
    conn: &mut PgConnection,
    id: ReservationId,
) -> Result<Option<(Vec<NamedCard>, Window)>, StoreError> {
    let time: Option<(OffsetDateTime, OffsetDateTime)> = sqlx::query_as(
        "select lower(during), upper(during) from reservation where reservation_id = $1 and fate is null",
    )
    .bind(id.0)
    .fetch_optional(&mut *conn)
    .await?;
    let Some((starts, ends)) = time else { return Ok(None) };
    let cards = cards_of(conn, &[id.0]).await?.remove(&id.0).unwrap_or_default();
    Ok(Some((cards, window(starts, ends)?)))
}

/// Whose a booking is that is neither over nor waits for anybody's answer, and when it is.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn holder(
    conn: &mut PgConnection,
    id: ReservationId,
    now: OffsetDateTime,
) -> Result<Option<(UserId, Window)>, StoreError> {
    let row: Option<(Uuid, OffsetDateTime, OffsetDateTime)> = sqlx::query_as(
        "select user_id, lower(during), upper(during) from reservation
         where reservation_id = $1 and fate is null and awaits is null and upper(during) > $2",
    )
    .bind(id.0)
    .bind(now)
    .fetch_optional(conn)
    .await?;
    row.map(|(user, starts, ends)| Ok((UserId(user), window(starts, ends)?))).transpose()
}

/// What a booking holds to its end: its cards, and of those that are open for shares how many.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn held_to_the_end(
    conn: &mut PgConnection,
    id: ReservationId,
) -> Result<(Vec<CardUuid>, BTreeMap<CardUuid, u32>), StoreError> {
    let rows: Vec<(String, i64)> = sqlx::query_as(
        "select held.card_uuid, count(*) filter (where not upper_inf(held.slices) and card.instance is null)
         from reservation_card held
         join reservation booking using (reservation_id)
         join card using (card_uuid)
         where held.reservation_id = $1 and held.left_why is null and not held.released
           and upper(held.during) = upper(booking.during)
         group by held.card_uuid order by held.card_uuid",
    )
    .bind(id.0)
    .fetch_all(conn)
    .await?;
    let (mut cards, mut shares) = (Vec::new(), BTreeMap::new());
    for (uuid, count) in rows {
        let card = card_uuid(uuid)?;
        if count > 0 {
            shares.insert(card.clone(), u32::try_from(count).unwrap_or(u32::MAX));
        }
        cards.push(card);
    }
    Ok((cards, shares))
}

/// One notice of one person.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn one(
    conn: &mut PgConnection,
    reader: UserId,
    id: i64,
    now: OffsetDateTime,
) -> Result<Option<Told>, StoreError> {
    let row: Option<Row> = sqlx::query_as(
        "select n.notice_id, n.user_id, n.made_at, n.read_at, n.reservation_id, n.body,
                coalesce(booking.user_id = n.user_id and booking.fate is null and upper(booking.during) > $3
                         and (booking.awaits_until is null or booking.awaits_until > $3), false) as open
         from notice n left join reservation booking on booking.reservation_id = n.reservation_id
         where n.user_id = $1 and n.notice_id = $2",
    )
    .bind(reader.0)
    .bind(id)
    .bind(now)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let bookings: Vec<Uuid> = row.reservation_id.into_iter().collect();
    let cards = cards_of(conn, &bookings).await?;
    Ok(row.read(&cards).map(|(_, told)| told))
}

/// How many notices somebody has not read.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn unread(pool: &PgPool, reader: UserId) -> Result<u32, StoreError> {
    let count: i64 = sqlx::query_scalar("select count(*) from notice where user_id = $1 and read_at is null")
        .bind(reader.0)
        .fetch_one(pool)
        .await?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Marks somebody's notices as read; other people's stay as they are. Gives whether any changed, which is noted: the
/// reader may have the bell open elsewhere.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn mark_read(
    conn: &mut PgConnection,
    reader: UserId,
    which: &Which,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let (ids, up_to): (&[i64], Option<i64>) = match which {
        Which::Some { ids } => (ids, None),
        Which::UpTo { id } => (&[], Some(*id)),
    };
    let marked: i64 = sqlx::query_scalar(
        "with marked as (
             update notice set read_at = $4
             where user_id = $1 and read_at is null and (notice_id = any($2) or notice_id <= $3)
             returning 1
         ), noted as (
             insert into change (made_at) select $4 where exists (select from marked)
         )
         select count(*) from marked",
    )
    .bind(reader.0)
    .bind(ids)
    .bind(up_to)
    .bind(now)
    .fetch_one(conn)
    .await?;
    Ok(marked > 0)
}

/// Unread notices of everybody whose account is known on one of these hosts, at most so many of each person.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn on_hosts(
    conn: &mut PgConnection,
    hosts: &[HostId],
    most: u32,
    now: OffsetDateTime,
) -> Result<Vec<Reader>, StoreError> {
    let rows: Vec<(Uuid, Uuid, String)> = sqlx::query_as(
        r#"select distinct asked.host_id, person.user_id, person.zone
           from unnest($1::uuid[]) as asked (host_id)
           join host_account account on account.host_id = asked.host_id or account.host_id is null
           join "user" person using (user_id)
           where person.disabled_at is null
             and exists (select from notice where notice.user_id = person.user_id and notice.read_at is null)"#,
    )
    .bind(hosts.iter().map(|host| host.0).collect::<Vec<_>>())
    .fetch_all(&mut *conn)
    .await?;
    let mut people: Vec<UserId> = rows.iter().map(|(_, person, _)| UserId(*person)).collect();
    people.sort_unstable();
    people.dedup();
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let told = list(conn, &people, true, most, now).await?;
    let of = |person: UserId| told.iter().filter(|(id, _)| *id == person).map(|(_, told)| told.clone()).collect();
    Ok(rows
        .into_iter()
        .map(|(host, person, zone)| Reader {
            host: HostId(host),
            person: UserId(person),
            zone,
            unread: of(UserId(person)),
        })
        .collect())
}

/// Somebody who may read notices on a host.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The host.
    pub host: HostId,
    /// Who.
    pub person: UserId,
    /// Whose clocks.
    pub zone: String,
    /// Newest first.
    pub unread: Vec<Told>,
}

/// Deletes what has been read long ago.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn delete_old(pool: &PgPool, read_before: OffsetDateTime) -> Result<u64, StoreError> {
    let deleted = sqlx::query("delete from notice where read_at < $1").bind(read_before).execute(pool).await?;
    Ok(deleted.rows_affected())
}
