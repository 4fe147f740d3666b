//! Tells owners that a card of theirs cannot be used, and what can be had instead. Nothing moves by itself.

use domain::notice::Body;
use domain::text::t;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::store::notices::{self, NewNotice};
use crate::store::{StoreError, troubled};

/// Most equal cards that are offered.
const OFFERED: i64 = 3;
/// A card that fails again so soon is not told of again.
const FLAPS: Duration = Duration::hours(1);

pub(super) async fn look(conn: &mut PgConnection, now: OffsetDateTime) -> Result<u64, StoreError> {
    let booked = troubled::booked(conn, now).await?;
    let (mut noted, mut news) = (Vec::new(), Vec::new());
    for one in &booked {
        if one.trouble == one.told {
            continue;
        }
        noted.push((one, one.trouble));
        let Some(trouble) = one.trouble else { continue };
        // Of a trouble that turns into another one its owner is told; of one that comes and goes, once in a while.
        let flaps = one.told.is_none() && one.told_at.is_some_and(|at| now - at < FLAPS);
        if flaps {
            continue;
        }
        let instead = troubled::equal_and_free(conn, &one.card.uuid, &one.window, now, OFFERED).await?;
        let why = (t().booking.trouble)(trouble, one.card.number, &one.card.host);
        news.push(NewNotice {
            user: one.owner,
            reservation: Some(one.reservation),
            once: None,
            body: Body::CardTroubled { card: one.card.clone(), why, instead, window: one.window },
        });
    }
    troubled::note(conn, &noted, now).await?;
    notices::write(conn, &news, now).await
}
