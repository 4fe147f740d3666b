//! Deletes sessions that have ended, link codes that have expired, attempts that no longer count, notices that were read
//! long ago and keys of requests that nobody repeats any more.

use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::error::chain;
use crate::service::Services;
use crate::store::reservations::keys;
use crate::store::{StoreError, link_codes, notices, sessions, throttle};

/// Notices stay this long after they have been read.
const NOTICES_KEPT: time::Duration = time::Duration::days(90);
/// A request may be repeated for this long.
const KEYS_KEPT: time::Duration = time::Duration::days(7);
const EVERY: Duration = Duration::from_secs(10 * 60);

/// Deletes once; gives how many rows.
///
/// # Errors
/// [`StoreError`].
pub async fn once(services: &Services) -> Result<u64, StoreError> {
    let (pool, now) = (&services.pool, services.clock.now());
    Ok(sessions::delete_ended(pool, now).await?
        + link_codes::delete_expired(pool, now).await?
        + throttle::delete_old(pool, now).await?
        + notices::delete_old(pool, now - NOTICES_KEPT).await?
        + keys::delete_old(pool, now - KEYS_KEPT).await?)
}

/// Deletes now and then until `shutdown`. Nothing depends on it but the size of the tables: what has ended is
/// refused whether its row is there or not.
pub async fn run(services: Services, shutdown: CancellationToken) {
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = tick.tick() => match once(&services).await {
                Ok(0) => {}
                Ok(rows) => tracing::info!(rows, "deleted what had ended"),
                Err(error) => tracing::warn!(cause = %chain(&error), "could not delete what had ended"),
            },
        }
    }
}
