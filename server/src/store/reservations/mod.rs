//! Bookings: taking cards, giving them back. Whoever writes here locks first, always in the same order: people by
//! their id, bookings by theirs, then the rows of the cards by their UUID. Measured without that order: dead-locks by
//! the hundred.
//!
//! - [`people`]: who acts, and for whom
//! - [`cards`]: what is taken
//! - [`held`]: bookings that exist, with what they hold
//! - [`save`]: what has become of them, all at once
//! - [`clash`]: who is in the way
//! - [`say`]: what else has a say
//! - [`keys`]: requests that have been answered before
//! - [`due`]: what nobody answered in time

pub mod cards;
pub mod clash;
pub mod due;
pub mod held;
pub mod keys;
pub mod people;
pub mod save;
pub mod say;

use domain::id::CardUuid;
use sqlx::{PgPool, Postgres, Transaction};

use super::StoreError;

pub use cards::{LockedCard, lock_cards, lock_cards_for};
pub use clash::clashes;

/// Begins a transaction that waits no more than three seconds for any lock.
///
/// Its statements find a handful of rows by their keys, whatever the values are. Planning them anew for each booking cost
/// the database more than carrying them out.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, StoreError> {
    Ok(pool.begin_with("begin; set local lock_timeout = '3s'; set local plan_cache_mode = force_generic_plan").await?)
}

pub(in crate::store) fn texts(cards: &[CardUuid]) -> Vec<&str> {
    cards.iter().map(CardUuid::as_str).collect()
}
