//! What has been seen of booked cards: whether they are used, and what keeps them from being used.

use domain::id::{CardUuid, GroupId, ReservationId, RuleId, UserId};
use domain::idle::Watch;
use domain::notice::NamedCard;
use domain::rules::{Limit, Rule};
use domain::window::Window;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, number, window};

/// A card that somebody has booked now, and what has been seen of it.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Number of the hold.
    pub hold: i64,
    /// The booking.
    pub reservation: ReservationId,
    /// Its time.
    pub window: Window,
    /// Its owner.
    pub owner: UserId,
    /// Owner's display name.
    pub holder: String,
    /// The owner, and who may launch on it as well.
    pub people: Vec<UserId>,
    /// The owner's groups.
    pub groups: Vec<GroupId>,
    /// Which card.
    pub card: NamedCard,
    /// Labels of the card and of its host.
    pub labels: Vec<String>,
    /// What has been seen.
    pub watch: Watch,
}

#[derive(sqlx::FromRow)]
struct WatchedRow {
    hold_id: i64,
    reservation_id: Uuid,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    user_id: Uuid,
    display_name: String,
    co_users: Vec<Uuid>,
    groups: Vec<Uuid>,
    card_uuid: String,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
    labels: Vec<String>,
    held_from: OffsetDateTime,
    held_until: OffsetDateTime,
    first_used_at: Option<OffsetDateTime>,
    last_used_at: Option<OffsetDateTime>,
    idle_since: Option<OffsetDateTime>,
    seen_at: Option<OffsetDateTime>,
    asked_at: Option<OffsetDateTime>,
    answered_at: Option<OffsetDateTime>,
    release_at: Option<OffsetDateTime>,
}

impl WatchedRow {
    fn read(self) -> Result<Watched, StoreError> {
        let mut people = vec![UserId(self.user_id)];
        people.extend(self.co_users.into_iter().map(UserId));
        Ok(Watched {
            hold: self.hold_id,
            reservation: ReservationId(self.reservation_id),
            window: window(self.starts, self.ends)?,
            owner: UserId(self.user_id),
            holder: self.display_name,
            people,
            groups: self.groups.into_iter().map(GroupId).collect(),
            card: NamedCard {
                uuid: card_uuid(self.card_uuid)?,
                host: self.host_name,
                number: number(self.card_index, self.instance),
            },
            labels: self.labels,
            watch: Watch {
                from: self.held_from,
                until: self.held_until,
                first_used: self.first_used_at,
                last_used: self.last_used_at,
                idle_since: self.idle_since,
                seen: self.seen_at,
                asked: self.asked_at,
                answered: self.answered_at,
                release_at: self.release_at,
            },
        })
    }
}

/// Every card that is booked now by a booking that counts.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn running(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Vec<Watched>, StoreError> {
    let rows: Vec<WatchedRow> = sqlx::query_as(
        r#"select held.hold_id, booking.reservation_id, lower(booking.during) as starts, upper(booking.during) as ends,
                  booking.user_id, person.display_name, card.card_uuid, host.name as host_name, card.card_index,
                  card.instance, lower(held.during) as held_from, upper(held.during) as held_until,
                  array(select user_id from reservation_person where reservation_id = booking.reservation_id) as co_users,
                  array(select group_id from group_member where group_member.user_id = booking.user_id) as groups,
                  array(select label from card_label where card_label.card_uuid = card.card_uuid
                        union select label from host_label where host_label.host_id = card.host_id) as labels,
                  watch.first_used_at, watch.last_used_at, watch.idle_since, watch.seen_at, watch.asked_at,
                  watch.answered_at, watch.release_at
           from reservation_card held
           join reservation booking on booking.reservation_id = held.reservation_id
           join "user" person on person.user_id = booking.user_id
           join card on card.card_uuid = held.card_uuid
           join host on host.host_id = card.host_id
           left join card_watch watch on watch.hold_id = held.hold_id
           where held.during @> $1::timestamptz and not held.released and booking.fate is null and booking.awaits is null
           order by held.hold_id"#,
    )
    .bind(now)
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(WatchedRow::read).collect()
}

/// Writes what has been seen.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn save(conn: &mut PgConnection, seen: &[Watched]) -> Result<(), StoreError> {
    if seen.is_empty() {
        return Ok(());
    }
    let times = |f: fn(&Watch) -> Option<OffsetDateTime>| seen.iter().map(|one| f(&one.watch)).collect::<Vec<_>>();
    sqlx::query(
        "insert into card_watch (hold_id, first_used_at, last_used_at, idle_since, seen_at, asked_at, answered_at,
                                 release_at)
         select n.* from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[],
                                $5::timestamptz[], $6::timestamptz[], $7::timestamptz[], $8::timestamptz[])
                         as n (hold_id, first_used, last_used, idle_since, seen, asked, answered, release_at)
         -- Edited away meanwhile.
         join reservation_card held on held.hold_id = n.hold_id
         order by n.hold_id
         on conflict (hold_id) do update
         set first_used_at = excluded.first_used_at, last_used_at = excluded.last_used_at,
             idle_since = excluded.idle_since, seen_at = excluded.seen_at, asked_at = excluded.asked_at,
             -- An answer that came while we were looking stays.
             answered_at = case when excluded.asked_at is null then null
                                else greatest(card_watch.answered_at, excluded.answered_at) end,
             release_at = excluded.release_at",
    )
    .bind(seen.iter().map(|one| one.hold).collect::<Vec<_>>())
    .bind(times(|watch| watch.first_used))
    .bind(times(|watch| watch.last_used))
    .bind(times(|watch| watch.idle_since))
    .bind(times(|watch| watch.seen))
    .bind(times(|watch| watch.asked))
    .bind(times(|watch| watch.answered))
    .bind(times(|watch| watch.release_at))
    .execute(conn)
    .await?;
    Ok(())
}

/// The owner says that a card is still wanted; of that card alone. Gives whether there was such a card.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn answered(
    conn: &mut PgConnection,
    reservation: ReservationId,
    card: &CardUuid,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let answered = sqlx::query(
        "update card_watch set answered_at = $3
         from reservation_card held
         where held.hold_id = card_watch.hold_id and held.reservation_id = $1 and held.card_uuid = $2
           and held.during @> $3 and not held.released",
    )
    .bind(reservation.0)
    .bind(card.as_str())
    .bind(now)
    .execute(conn)
    .await?;
    Ok(answered.rows_affected() > 0)
}

/// The end of the last minute after `since` in which, by the record, somebody who may launch computed on a card; also
/// where nobody knows whose the computing was. Minutes come late where a host could not reach the portal.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn used_since(
    conn: &mut PgConnection,
    card: &CardUuid,
    people: &[UserId],
    since: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, StoreError> {
    Ok(sqlx::query_scalar(
        "select max(used.minute) + interval '1 minute'
         from card
         join card_minute_account used on used.card_no = card.card_no and used.minute >= $3
         left join card_minute whole on whole.card_no = used.card_no and whole.minute = used.minute
         where card.card_uuid = $1
           and case when card.instance is not null then used.present_ms > 0
                    else coalesce(used.compute_ms, whole.busy_ms, 0) > 0 end
           and (used.os_user = '' or used.container <> ''
                or exists (select from host_account account
                           where account.os_user = used.os_user and account.user_id = any($2)
                             and (account.host_id = card.host_id or account.host_id is null))
                or not exists (select from host_account account
                               where account.os_user = used.os_user
                                 and (account.host_id = card.host_id or account.host_id is null)))",
    )
    .bind(card.as_str())
    .bind(people.iter().map(|person| person.0).collect::<Vec<_>>())
    .bind(since)
    .fetch_one(conn)
    .await?)
}

#[derive(sqlx::FromRow)]
struct RuleRow {
    rule_id: Uuid,
    name: String,
    group_id: Option<Uuid>,
    label: Option<String>,
    body: serde_json::Value,
}

impl RuleRow {
    /// One that this version cannot read gives nothing back.
    fn read(self) -> Option<Rule> {
        Some(Rule {
            id: RuleId(self.rule_id),
            name: self.name,
            group: self.group_id.map(GroupId),
            label: self.label,
            limit: serde_json::from_value::<Limit>(self.body).ok()?,
        })
    }
}

/// Rules about idle cards.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn idle_rules(conn: &mut PgConnection) -> Result<Vec<Rule>, StoreError> {
    let rows: Vec<RuleRow> = sqlx::query_as(
        "select rule_id, name, group_id, label, body from rule
         where removed_at is null and body ->> 'kind' = 'idle' order by rule_id",
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().filter_map(RuleRow::read).collect())
}
