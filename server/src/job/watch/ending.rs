//! Says that a booking ends soon, unless the same person holds on.

use domain::notice::Body;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::store::notices::NewNotice;
use crate::store::{StoreError, ending, notices};

/// So long before the end.
const BEFORE: Duration = Duration::minutes(15);

pub(super) async fn look(conn: &mut PgConnection, now: OffsetDateTime) -> Result<u64, StoreError> {
    let soon = ending::soon(conn, now, now + BEFORE).await?;
    let news: Vec<NewNotice> = soon
        .into_iter()
        .map(|ending| NewNotice {
            user: ending.owner,
            reservation: Some(ending.id),
            // With the end: one that was moved is told again.
            once: Some(format!("ending:{}:{}", ending.id, ending.window.end().unix_timestamp())),
            body: Body::Ending { cards: ending.cards, window: ending.window },
        })
        .collect();
    notices::write(conn, &news, now).await
}
