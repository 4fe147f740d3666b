//! Booked cards that cannot be used, and equal ones that can.

use domain::card::CardNumber;
use domain::id::{CardUuid, ReservationId, UserId};
use domain::notice::NamedCard;
use domain::trouble::{Condition, Trouble};
use domain::window::Window;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, health, number, window};

/// A card that somebody has booked, now or later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookedCard {
    /// The booking.
    pub reservation: ReservationId,
    /// Its owner.
    pub owner: UserId,
    /// When the card is booked.
    pub window: Window,
    /// Which.
    pub card: NamedCard,
    /// What keeps it from being used now.
    pub trouble: Option<Trouble>,
    /// What its owner was told last, while it lasts.
    pub told: Option<Trouble>,
    /// When.
    pub told_at: Option<OffsetDateTime>,
    /// Number of the hold.
    pub hold: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    hold_id: i64,
    reservation_id: Uuid,
    user_id: Uuid,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    card_uuid: String,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
    mig_on: bool,
    health: String,
    present: bool,
    not_bookable: bool,
    retired: bool,
    last_report_at: Option<OffsetDateTime>,
    trouble: Option<Json<serde_json::Value>>,
    trouble_at: Option<OffsetDateTime>,
}

impl Row {
    fn read(self, now: OffsetDateTime) -> Result<BookedCard, StoreError> {
        let condition = Condition {
            retired: self.retired,
            last_report: self.last_report_at,
            present: self.present,
            mig_on: self.mig_on,
            health: health(&self.health),
            not_bookable: self.not_bookable,
        };
        Ok(BookedCard {
            hold: self.hold_id,
            reservation: ReservationId(self.reservation_id),
            owner: UserId(self.user_id),
            window: window(self.starts, self.ends)?,
            card: NamedCard {
                uuid: card_uuid(self.card_uuid)?,
                host: self.host_name,
                number: number(self.card_index, self.instance),
            },
            trouble: condition.trouble(now),
            told: self.trouble.and_then(|Json(told)| serde_json::from_value(told).ok()),
            told_at: self.trouble_at,
        })
    }
}

/// Every card of every booking that is not over, as far as it is in trouble or was when its owner was told last.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn booked(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Vec<BookedCard>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        "select held.hold_id, booking.reservation_id, booking.user_id, lower(held.during) as starts,
                upper(held.during) as ends, card.card_uuid, host.name as host_name, card.card_index, card.instance,
                card.mig_on, card.health, card.present, card.not_bookable is not null as not_bookable,
                host.retired_at is not null as retired, host.last_report_at, watch.trouble, watch.trouble_at
         from reservation_card held
         join reservation booking on booking.reservation_id = held.reservation_id
         join card on card.card_uuid = held.card_uuid
         join host on host.host_id = card.host_id
         left join card_watch watch on watch.hold_id = held.hold_id
         where held.during && tstzrange($1, null) and not held.released and booking.fate is null
           and (watch.trouble is not null or host.retired_at is not null or host.last_report_at < $2
                or not card.present or card.mig_on or card.health <> 'ok' or card.not_bookable is not null)
         order by held.hold_id",
    )
    .bind(now)
    .bind(now - domain::host::GONE_AFTER)
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(|row| row.read(now)).collect()
}

/// Notes what owners are told of their cards; `None`: the trouble is over.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn note(
    conn: &mut PgConnection,
    cards: &[(&BookedCard, Option<Trouble>)],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    if cards.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into card_watch (hold_id, trouble, trouble_at)
         select n.hold_id, n.trouble, $3 from unnest($1::bigint[], $2::jsonb[]) as n (hold_id, trouble)
         order by n.hold_id
         on conflict (hold_id) do update
         set trouble = excluded.trouble,
             trouble_at = case when excluded.trouble is null then card_watch.trouble_at else excluded.trouble_at end",
    )
    .bind(cards.iter().map(|(card, _)| card.hold).collect::<Vec<_>>())
    .bind(cards.iter().map(|(_, trouble)| trouble.map(|trouble| serde_json::json!(trouble))).collect::<Vec<_>>())
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Cards that are equal to one, can be used and are nobody's in a time: those of its host first, at most so many. Cards of
/// the booking itself are not among them.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn equal_and_free(
    conn: &mut PgConnection,
    card: &CardUuid,
    wanted: &Window,
    now: OffsetDateTime,
    most: i64,
) -> Result<Vec<NamedCard>, StoreError> {
    let rows: Vec<(String, String, i32, Option<i32>)> = sqlx::query_as(
        "select other.card_uuid, host.name, other.card_index, other.instance
         from card one
         join card other on other.card_uuid <> one.card_uuid and other.name = one.name
              and (other.instance is null) = (one.instance is null)
              -- A part is equal to one of the same size only.
              and (one.instance is null or coalesce(other.memory_mib, 0) >= coalesce(one.memory_mib, 0))
              and (one.instance is not null or other.memory_mib is not distinct from one.memory_mib)
         join host on host.host_id = other.host_id
         where one.card_uuid = $1
           and other.present and not other.mig_on and other.health in ('ok', 'asleep') and other.not_bookable is null
           and other.shares is null and host.retired_at is null and host.last_report_at > $4
           and not exists (select from reservation_card held
                           where held.gpu = other.gpu and held.slices && other.slices and not held.released
                             and held.during && tstzrange($2, $3, '[)'))
           and not exists (select from maintenance
                           left join maintenance_target target using (maintenance_id)
                           where maintenance.called_off_at is null and maintenance.during && tstzrange($2, $3, '[)')
                             and (maintenance.everywhere or target.host_id = other.host_id
                                  or target.card_uuid in (other.card_uuid, other.gpu)))
         order by other.host_id <> one.host_id, host.name, other.card_index, other.instance nulls first
         limit $5",
    )
    .bind(card.as_str())
    .bind(wanted.start().max(now))
    .bind(wanted.end())
    .bind(now - domain::host::SILENT_AFTER * 10)
    .bind(most)
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|(uuid, host, index, instance)| {
            let number: CardNumber = number(index, instance);
            Ok(NamedCard { uuid: card_uuid(uuid)?, host, number })
        })
        .collect()
}
