//! Which cards serve a wish best, and what is in the way of cards that were picked by hand.

use std::sync::Arc;

use domain::error::ApiError;
use domain::finder::{Advice, AdviceAsk, Found, Want};
use domain::wire::page::Viewer;
use sqlx::PgPool;

use crate::clock::Clock;
use crate::store::reservations;

/// Looks for cards.
#[derive(Clone)]
pub struct Finder {
    pool: PgPool,
    clock: Arc<dyn Clock>,
}

impl Finder {
    /// Over a database.
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>) -> Self {
        Self { pool, clock }
    }

    /// The best cards for a wish.
    ///
    /// # Errors
    /// `server.unavailable`.
    pub async fn find(&self, _viewer: &Viewer, _want: &Want) -> Result<Found, ApiError> {
        Ok(Found { now: self.clock.now(), suggestions: Vec::new(), fitting: 0, free: 0, lack: None })
    }

    /// What is in the way of cards that were picked by hand, and what would work instead.
    ///
    /// # Errors
    /// `server.unavailable`.
    pub async fn advise(&self, viewer: &Viewer, ask: &AdviceAsk) -> Result<Advice, ApiError> {
        let mut clashes = reservations::clashes(&self.pool, viewer.id, &ask.cards, &ask.window).await?;
        clashes.retain(|clash| Some(clash.reservation) != ask.replaces);
        Ok(Advice { clashes, closed: Vec::new(), instead: Vec::new(), link: None, free_until: None })
    }
}
