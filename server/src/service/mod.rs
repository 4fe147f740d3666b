//! Rules and transactions. A service takes an actor and a typed command; no axum or leptos type appears here.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sqlx::PgPool;

use crate::auth::password::Passwords;
use crate::clock::Clock;

pub mod account_error;
pub mod accounts;
pub mod attempts;
pub mod common_passwords;
pub mod hosts;
pub mod links;
pub mod new_account;
pub mod reservations;
pub mod setup;

/// Everything that a request handler can call.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub pool: PgPool,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// What the operator decided, as far as people or agents are told.
    pub site: SiteFacts,
    /// Hashing, bounded.
    pub passwords: Passwords,
    /// Becomes true when an administrator exists, and stays so: asked for on every page.
    pub is_set_up: Arc<AtomicBool>,
}

/// What the operator decided, as far as people or agents are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFacts {
    /// Address of the portal, without a slash at the end.
    pub portal_url: String,
    /// Plain HTTP beyond loopback.
    pub insecure_http: bool,
}

impl Services {
    /// Over a database that has been migrated.
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>, site: SiteFacts) -> Self {
        Self { pool, clock, site, passwords: Passwords::default(), is_set_up: Arc::default() }
    }
}
