//! Tells other servers on the same database that something has changed, and hears of their changes: through the
//! database, after the commit, with many changes in one call.
//!
//! Nothing hangs on it. Where calls are lost (a broken connection, a pooler that hands the connection to somebody else
//! between two statements), [`super::watch`] finds the change with its next look.

use std::time::Duration;

use sqlx::PgPool;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Live;
use crate::error::chain;
use crate::store::StoreError;
use crate::store::change::{self, Ear};

/// Shortest time between two calls: bookings in quick succession are told with one.
const CALL_GAP: Duration = Duration::from_millis(50);
/// Longest way of a call to the database and back.
const ECHO_PATIENCE: Duration = Duration::from_secs(5);
/// Waiting before a lost connection is made anew: first, and at most.
const RETRY: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];
/// Waiting before it is tried again whether calls come through, where they do not.
const RETRY_DEAF: Duration = Duration::from_secs(600);
/// What a server says only to hear itself.
const TRIAL: &str = "trial";

/// Why it ended.
enum Ended {
    Shutdown,
    /// The connection is gone, or was not to be had.
    Lost(Option<StoreError>),
    /// Our own call did not come back: nobody else's would.
    Deaf,
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Lost(Some(error))
    }
}

/// What is known of the line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Untried,
    Hears,
    /// Said in the log once.
    Broken,
}

impl Live {
    /// Tells and hears until `shutdown`.
    pub async fn correspond(self, pool: PgPool, shutdown: CancellationToken) {
        let line = change::line(&pool);
        let own = Uuid::new_v4().to_string();
        let mut known = Known::Untried;
        let mut retry = RETRY[0];
        loop {
            let ended = match self.converse(&line, &own, &mut known, &shutdown).await {
                Ok(never) => match never {},
                Err(ended) => ended,
            };
            let was = std::mem::replace(&mut known, Known::Broken);
            if was == Known::Hears {
                retry = RETRY[0];
            }
            let wait = match ended {
                Ended::Shutdown => return,
                // A line on which calls never came through; one on which they did may only be slow.
                Ended::Deaf if was != Known::Hears => {
                    if was != Known::Broken {
                        tracing::warn!(
                            "the database passes no notifications on, as behind a pooler that shares connections \
                             between statements: what other servers change shows within a second instead of at once"
                        );
                    }
                    RETRY_DEAF
                }
                Ended::Lost(_) | Ended::Deaf => {
                    if was != Known::Broken {
                        let cause = match &ended {
                            Ended::Lost(Some(error)) => chain(error),
                            _ => "no answer".to_owned(),
                        };
                        tracing::warn!(
                            cause,
                            "the connection on which servers tell each other of changes is lost; they look every second"
                        );
                    }
                    let wait = retry;
                    retry = (retry * 2).min(RETRY[1]);
                    wait
                }
            };
            tokio::select! {
                () = sleep(wait) => {}
                () = shutdown.cancelled() => return,
            }
        }
    }

    /// One connection, from its first word to its end.
    async fn converse(
        &self,
        line: &PgPool,
        own: &str,
        known: &mut Known,
        shutdown: &CancellationToken,
    ) -> Result<std::convert::Infallible, Ended> {
        let mut ear = tokio::select! {
            ear = change::listen(line) => ear?,
            () = shutdown.cancelled() => return Err(Ended::Shutdown),
        };
        let trial = format!("{TRIAL} {own}");
        change::call(line, &trial).await?;
        // Until when our last call must have come back.
        let mut echo = Some(Instant::now() + ECHO_PATIENCE);
        let mut next_call = Instant::now();
        loop {
            tokio::select! {
                heard = hear(&mut ear) => {
                    let word = heard?;
                    if word == own || word == trial {
                        echo = None;
                        if *known == Known::Broken {
                            tracing::info!("servers tell each other of changes at once again");
                            // What was called out meanwhile was not heard.
                            self.inner.stirred.notify_one();
                        }
                        *known = Known::Hears;
                    } else if !word.starts_with(TRIAL) {
                        self.fetch_anew();
                    }
                }
                () = async {
                    sleep_until(next_call).await;
                    self.inner.to_tell.notified().await;
                } => {
                    change::call(line, own).await?;
                    next_call = Instant::now() + CALL_GAP;
                    echo = echo.or(Some(next_call + ECHO_PATIENCE));
                }
                () = sleep_until(echo.unwrap_or_else(Instant::now)), if echo.is_some() => return Err(Ended::Deaf),
                () = shutdown.cancelled() => return Err(Ended::Shutdown),
            }
        }
    }
}

async fn hear(ear: &mut Ear) -> Result<String, Ended> {
    ear.hear().await?.ok_or(Ended::Lost(None))
}
