//! Watches bookings: what ends, what is not used, what cannot be used. One server at a time does it, and what it says is
//! said once.

mod ending;
mod idle;
mod troubled;

use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::error::chain;
use crate::service::Services;
use crate::store::StoreError;
use crate::store::job_lock::{self, Job};

const EVERY: Duration = Duration::from_secs(10);

/// Looks once. Gives whether it did: another server may be at it.
///
/// # Errors
/// [`StoreError`]; what was said before it failed stays said.
pub async fn once(services: &Services) -> Result<bool, StoreError> {
    let mut tx = services.pool.begin().await?;
    if !job_lock::take(&mut tx, Job::CardWatch).await? {
        return Ok(false);
    }
    let now = services.clock.now();
    let mut told = ending::look(&mut tx, now).await?;
    told += troubled::look(&mut tx, now).await?;
    let idle = idle::look(&mut tx, &services.live, now).await?;
    told += idle.told;
    tx.commit().await?;
    if told > 0 {
        services.live.resync();
    }
    // Each is a deed of its own with locks of its own.
    for release in &idle.releases {
        if let Err(error) = idle::release(services, release).await {
            tracing::warn!(booking = %release.reservation, cause = %error, "an idle card could not be given back yet");
        }
    }
    Ok(true)
}

/// Looks now and then until `shutdown`.
pub async fn run(services: Services, shutdown: CancellationToken) {
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut away = false;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = tick.tick() => {}
        }
        match once(&services).await {
            Ok(_) => away = false,
            Err(error) if !away => {
                away = true;
                tracing::warn!(cause = %chain(&error), "bookings cannot be watched; it goes on trying");
            }
            Err(_) => {}
        }
    }
}
