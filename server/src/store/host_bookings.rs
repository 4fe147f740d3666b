//! Bookings as a host may touch them.

use domain::id::{CardUuid, HostId, ReservationId, UserId};
use domain::window::Window;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, window};

/// A booking with what decides whether a host may touch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnHost {
    /// Whose it is.
    pub owner: UserId,
    /// Its version.
    pub version: i32,
    /// From the start of its first card to the end of its last.
    pub window: Window,
    /// Its cards.
    pub cards: Vec<CardUuid>,
    /// All of them are on the host.
    pub wholly: bool,
    /// It waits for an answer.
    pub awaits: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    user_id: Uuid,
    version: i32,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    cards: Vec<String>,
    wholly: bool,
    awaits: bool,
}

/// A booking as it is for a host; `None` where there is none, or where it holds nothing any more.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn of(
    conn: &mut PgConnection,
    host: HostId,
    reservation: ReservationId,
) -> Result<Option<OnHost>, StoreError> {
    let row: Option<Row> = sqlx::query_as(
        "select booked.user_id, booked.version, min(lower(held.during)) as starts, max(upper(held.during)) as ends,
                array_agg(distinct held.card_uuid) as cards, bool_and(card.host_id = $2) as wholly,
                booked.awaits is not null as awaits
         from reservation booked
         join reservation_card held using (reservation_id)
         join card using (card_uuid)
         where booked.reservation_id = $1 and not held.released
         group by booked.reservation_id",
    )
    .bind(reservation.0)
    .bind(host.0)
    .fetch_optional(conn)
    .await?;
    row.map(|row| {
        Ok(OnHost {
            owner: UserId(row.user_id),
            version: row.version,
            window: window(row.starts, row.ends)?,
            cards: row.cards.into_iter().map(card_uuid).collect::<Result<_, _>>()?,
            wholly: row.wholly,
            awaits: row.awaits,
        })
    })
    .transpose()
}

/// Whether these cards are all on the host.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn has_cards(conn: &mut PgConnection, host: HostId, cards: &[CardUuid]) -> Result<bool, StoreError> {
    let uuids: Vec<&str> = cards.iter().map(CardUuid::as_str).collect();
    let there: bool = sqlx::query_scalar(
        "select not exists (select from unnest($2::text[]) as asked (card_uuid)
                            where not exists (select from card where card.card_uuid = asked.card_uuid and host_id = $1))",
    )
    .bind(host.0)
    .bind(uuids)
    .fetch_one(conn)
    .await?;
    Ok(there)
}

/// The booking that somebody's request of this key has made.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn made_by(conn: &mut PgConnection, who: UserId, key: Uuid) -> Result<Option<ReservationId>, StoreError> {
    let made: Option<Uuid> = sqlx::query_scalar(
        "select reservation_id from reservation
         where reservation_id in (select (jsonb_array_elements_text(outcome -> 'booked'))::uuid
                                  from request_key where user_id = $1 and key = $2)",
    )
    .bind(who.0)
    .bind(key)
    .fetch_optional(conn)
    .await?;
    Ok(made.map(ReservationId))
}
