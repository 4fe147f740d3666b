//! Bookings that end soon and are not continued.

use std::collections::BTreeMap;

use domain::id::{ReservationId, UserId};
use domain::notice::NamedCard;
use domain::window::Window;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, number, window};

/// A booking that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Which.
    pub id: ReservationId,
    /// Whose.
    pub owner: UserId,
    /// When.
    pub window: Window,
    /// Its cards that the same person does not hold on from that instant.
    pub cards: Vec<NamedCard>,
}

#[derive(sqlx::FromRow)]
struct Row {
    reservation_id: Uuid,
    user_id: Uuid,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    card_uuid: String,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
}

/// Running bookings that end after `now` and by `by`, and have cards that the same person does not hold on back to back.
/// Those that have been told of are among them.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn soon(conn: &mut PgConnection, now: OffsetDateTime, by: OffsetDateTime) -> Result<Vec<Ending>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        "select distinct booking.reservation_id, booking.user_id, lower(booking.during) as starts,
                upper(booking.during) as ends, card.card_uuid, host.name as host_name, card.card_index, card.instance
         from reservation booking
         join reservation_card held on held.reservation_id = booking.reservation_id
              and not held.released and upper(held.during) = upper(booking.during)
         join card on card.card_uuid = held.card_uuid
         join host on host.host_id = card.host_id
         where booking.during @> $1::timestamptz and upper(booking.during) <= $2
           -- One that is no longer than the warning needs none.
           and upper(booking.during) - lower(booking.during) > $2 - $1
           and booking.fate is null and booking.awaits is null
           and not exists (
               select from reservation_card next
               join reservation follows on follows.reservation_id = next.reservation_id
               where next.gpu = held.gpu and next.slices && held.slices and not next.released
                 and lower(next.during) = upper(held.during)
                 and follows.user_id = booking.user_id and follows.fate is null and follows.awaits is null)
         order by booking.reservation_id, host.name, card.card_index, card.instance nulls first, card.card_uuid",
    )
    .bind(now)
    .bind(by)
    .fetch_all(conn)
    .await?;
    let mut endings: BTreeMap<Uuid, Ending> = BTreeMap::new();
    for row in rows {
        let card = NamedCard {
            uuid: card_uuid(row.card_uuid)?,
            host: row.host_name,
            number: number(row.card_index, row.instance),
        };
        let ending = match endings.entry(row.reservation_id) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => entry.insert(Ending {
                id: ReservationId(row.reservation_id),
                owner: UserId(row.user_id),
                window: window(row.starts, row.ends)?,
                cards: Vec::new(),
            }),
        };
        ending.cards.push(card);
    }
    Ok(endings.into_values().collect())
}
