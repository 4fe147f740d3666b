//! Serves those who wait for cards.

use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::error::chain;
use crate::service::{Services, waiting};

const EVERY: Duration = Duration::from_secs(3);

/// Every few seconds until `shutdown`.
pub async fn run(services: Services, shutdown: CancellationToken) {
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut away = false;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = tick.tick() => {}
        }
        match waiting::serve(&services).await {
            Ok(_) => away = false,
            Err(error) if !away => {
                away = true;
                tracing::warn!(cause = %chain(&error), "those who wait cannot be served; it goes on trying");
            }
            Err(_) => {}
        }
    }
}
