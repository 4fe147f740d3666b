//! All hosts and cards: what is booked from the database, what they do from memory.

use std::collections::HashMap;
use std::sync::Arc;

use domain::error::ApiError;
use domain::id::CardUuid;
use domain::wire::live_v1::{BookingBrief, Fleet};
use sqlx::PgPool;

use crate::clock::Clock;
use crate::live::Live;
use crate::store::booking_list;

/// The fleet as a page begins with it; the live stream goes on from its number.
///
/// # Errors
/// `server.unavailable`.
pub async fn fleet(pool: &PgPool, clock: &Arc<dyn Clock>, live: &Live) -> Result<Fleet, ApiError> {
    let now = clock.now();
    // The number first: a booking made after it was read comes with a later event, so none can fall in between.
    let (seq, mut hosts) = live.hosts(now);
    let mut briefs: HashMap<CardUuid, Vec<BookingBrief>> = HashMap::new();
    for (card, brief) in booking_list::briefs(pool, now).await? {
        briefs.entry(card).or_default().push(brief);
    }
    for card in hosts.iter_mut().flat_map(|host| &mut host.cards) {
        card.bookings = briefs.remove(&card.facts.uuid).unwrap_or_default();
    }
    Ok(Fleet { seq, now, hosts })
}
