//! Rules and transactions. A service takes an actor and a typed command; no axum or leptos type appears here.

pub mod reservations;

use std::sync::Arc;

use sqlx::PgPool;

use crate::clock::Clock;

/// Everything that a request handler can call.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub pool: PgPool,
    /// The time.
    pub clock: Arc<dyn Clock>,
}
