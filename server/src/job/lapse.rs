//! Lets go of bookings that nobody has approved or accepted in time.

use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::error::chain;
use crate::service::Services;

const EVERY: Duration = Duration::from_secs(5);

/// Looks every few seconds until `shutdown`. Each is let go of once, whoever looks: under its lock it is looked at again.
/// Somebody who wants its cards before that does not wait for this.
pub async fn run(services: Services, shutdown: CancellationToken) {
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = tick.tick() => match services.reservations.lapse_overdue().await {
                Ok(0) => {}
                Ok(lapsed) => tracing::info!(lapsed, "let go of bookings that nobody answered in time"),
                Err(error) => tracing::warn!(cause = %chain(&error), "could not let go of what nobody answered"),
            },
        }
    }
}
