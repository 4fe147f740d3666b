//! All hosts and cards: what is booked from the database, what they do from memory.

use std::collections::HashMap;
use std::sync::Arc;

use domain::error::ApiError;
use domain::id::CardUuid;
use domain::upkeep::Closed;
use domain::wire::live_v1::{BookingBrief, Fleet, HostView};
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::clock::Clock;
use crate::live::Live;
use crate::store::{StoreError, booking_list, card_care, maintenance};

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
    close(pool, &mut hosts, now).await?;
    Ok(Fleet { seq, now, hosts })
}

/// Notes on the cards of some hosts when they are not to be had.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn close(pool: &PgPool, hosts: &mut [HostView], now: OffsetDateTime) -> Result<(), StoreError> {
    let mut closed: HashMap<CardUuid, Closed> = HashMap::new();
    for (card, brief) in maintenance::briefs(pool, now).await? {
        closed.entry(card).or_default().maintenance.push(brief);
    }
    for (card, reason) in card_care::kept_back(pool).await? {
        closed.entry(card).or_default().not_bookable = Some(reason);
    }
    for card in hosts.iter_mut().flat_map(|host| &mut host.cards) {
        card.closed = closed.remove(&card.facts.uuid).unwrap_or_default();
    }
    Ok(())
}
