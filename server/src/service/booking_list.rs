//! Bookings as pages show them: everybody who is signed in may see all of them.

use std::collections::HashMap;
use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::id::{HostId, ReservationId};
use domain::reservation::state;
use domain::text::en;
use domain::wire::page::{BookedCard, Booking, BookingPage, Bookings, Viewer};
use sqlx::PgPool;
use time::OffsetDateTime;

use super::reservations::may_change;
use crate::clock::Clock;
use crate::store::booking_list::{self as store, Head};
use crate::store::moved_cards;

/// Reads bookings.
#[derive(Clone)]
pub struct BookingList {
    pool: PgPool,
    clock: Arc<dyn Clock>,
}

impl BookingList {
    /// Over a database.
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>) -> Self {
        Self { pool, clock }
    }

    /// The lists of a viewer.
    ///
    /// # Errors
    /// `server.unavailable`.
    pub async fn all(&self, viewer: &Viewer) -> Result<Bookings, ApiError> {
        let now = self.clock.now();
        let mut heads = store::current(&self.pool, now).await?;
        let past = store::past(&self.pool, viewer.id, now).await?;
        let current = heads.len();
        heads.extend(past);
        let mut bookings = self.complete(viewer, heads, now).await?;
        let past = bookings.split_off(current);
        let (mine, others) = bookings.into_iter().partition(|booking| booking.owner == viewer.id);
        Ok(Bookings { mine, others, past })
    }

    /// One booking's page.
    ///
    /// # Errors
    /// `not_found`, `server.unavailable`.
    pub async fn one(&self, viewer: &Viewer, id: ReservationId) -> Result<BookingPage, ApiError> {
        let unknown = || ApiError::new(ErrorCode::NotFound, en().reservation.unknown);
        let now = self.clock.now();
        let head = store::one(&self.pool, id).await?.ok_or_else(unknown)?;
        let booking = self.complete(viewer, vec![head], now).await?.pop().ok_or_else(unknown)?;
        let mut hosts: Vec<HostId> = booking.cards.iter().map(|card| card.host).collect();
        hosts.sort();
        hosts.dedup();
        let accounts = store::accounts_on(&self.pool, viewer.id, &hosts).await?;
        let wanted_next = if booking.state.is_open() { store::wanted_next(&self.pool, id).await? } else { Vec::new() };
        let moved = moved_cards::of_booking(&self.pool, id).await?;
        Ok(BookingPage { booking, accounts, wanted_next, moved })
    }

    async fn complete(&self, viewer: &Viewer, heads: Vec<Head>, now: OffsetDateTime) -> Result<Vec<Booking>, ApiError> {
        let ids: Vec<ReservationId> = heads.iter().map(|head| head.id).collect();
        let mut cards: HashMap<ReservationId, Vec<BookedCard>> = HashMap::new();
        for (id, card) in store::cards(&self.pool, &ids, now).await? {
            cards.entry(id).or_default().push(card);
        }
        Ok(heads
            .into_iter()
            .map(|head| {
                let Head { id, owner, holder, hue, purpose, window, fate } = head;
                let state = state(&window, None, fate, now);
                let may_change = state.is_open() && may_change(viewer, owner);
                let cards = cards.remove(&id).unwrap_or_default();
                Booking { id, owner, holder, hue, purpose, cards, window, state, may_change }
            })
            .collect())
    }
}
