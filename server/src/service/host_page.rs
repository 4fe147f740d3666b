//! A host's own page: what it does from memory, what is booked and what has changed from the database.

use std::collections::HashMap;
use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::id::CardUuid;
use domain::text::en;
use domain::wire::live_v1::BookingBrief;
use domain::wire::page::HostPage;
use sqlx::PgPool;

use super::fleet;
use crate::clock::Clock;
use crate::live::Live;
use crate::store::{booking_list, inventory, moved_cards};

/// The page of the host of this name.
///
/// # Errors
/// `not_found`, `server.unavailable`.
pub async fn host_page(pool: &PgPool, clock: &Arc<dyn Clock>, live: &Live, name: &str) -> Result<HostPage, ApiError> {
    let now = clock.now();
    let names = live.hosts(now).1.into_iter().map(|host| host.name).collect();
    let known = live.host(name, now);
    let (mut host, mut told) = known.ok_or_else(|| ApiError::new(ErrorCode::NotFound, en().host.unknown))?;
    let mut briefs: HashMap<CardUuid, Vec<BookingBrief>> = HashMap::new();
    for (card, brief) in booking_list::briefs(pool, now).await? {
        briefs.entry(card).or_default().push(brief);
    }
    for card in &mut host.cards {
        card.bookings = briefs.remove(&card.facts.uuid).unwrap_or_default();
    }
    fleet::close(pool, std::slice::from_mut(&mut host), now).await?;
    told.inventory = inventory::of_host(pool, host.id).await?.map(|known| known.inventory);
    let moved = moved_cards::of_host(pool, host.id, now).await?;
    Ok(HostPage { now, names, host, told, moved })
}
