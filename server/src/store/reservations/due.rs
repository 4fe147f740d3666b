//! Bookings that hold cards and wait for an answer that has not come in time.

use domain::id::ReservationId;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::store::StoreError;

/// Those whose time is up, the longest first, at most a hundred. Without locks: who acts on it looks again.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn overdue(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<ReservationId>, StoreError> {
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "select reservation_id from reservation
         where awaits is not null and fate is null and awaits_until <= $1
         order by awaits_until, reservation_id limit 100",
    )
    .bind(now)
    .fetch_all(pool)
    .await?;
    Ok(ids.into_iter().map(ReservationId).collect())
}
