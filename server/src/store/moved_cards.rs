//! Cards whose index is not what it was.

use domain::id::{HostId, ReservationId};
use domain::wire::page::MovedCard;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use super::StoreError;
use super::decode::card_uuid;

/// A host's page speaks of a change for this long.
const NEWS_FOR: Duration = Duration::days(7);

type Row = (String, i32, OffsetDateTime);

fn moved(rows: Vec<Row>) -> Result<Vec<MovedCard>, StoreError> {
    let read = |(card, before, at): Row| {
        Ok(MovedCard { card: card_uuid(card)?, before: u32::try_from(before).unwrap_or_default(), at })
    };
    rows.into_iter().map(read).collect()
}

/// Cards of a host whose index has changed lately, in order of the index.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn of_host(pool: &PgPool, host: HostId, now: OffsetDateTime) -> Result<Vec<MovedCard>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        "select card_uuid, previous_index, index_changed_at from card
         where host_id = $1 and present and previous_index <> card_index and index_changed_at > $2
         order by card_index, card_uuid",
    )
    .bind(host.0)
    .bind(now - NEWS_FOR)
    .fetch_all(pool)
    .await?;
    moved(rows)
}

/// Cards of a booking whose index has changed since it was made.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn of_booking(pool: &PgPool, id: ReservationId) -> Result<Vec<MovedCard>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        "select card.card_uuid, held.card_index, card.index_changed_at
         from reservation_card held join card using (card_uuid)
         where held.reservation_id = $1 and held.card_index <> card.card_index and card.index_changed_at is not null
         order by card.card_index, card.card_uuid",
    )
    .bind(id.0)
    .fetch_all(pool)
    .await?;
    moved(rows)
}
