//! Keeps the private Postgres running: after a crash it is started again, with growing pauses.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::process::{Launch, Running};

const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// After running this long, a crash counts as the first again.
const STEADY: Duration = Duration::from_secs(60);

/// Watches one Postgres.
pub struct Supervisor {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Supervisor {
    /// Begins to watch `running`.
    pub fn watch(launch: Launch, running: Running) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn(keep(launch, running, stop.clone()));
        Self { stop, task }
    }

    /// Stops Postgres, and returns when it is gone.
    pub async fn stop(self) {
        self.stop.cancel();
        if self.task.await.is_err() {
            tracing::error!("the task that watches Postgres panicked");
        }
    }
}

async fn keep(launch: Launch, mut running: Running, stop: CancellationToken) {
    let mut pause = FIRST_PAUSE;
    loop {
        let since = Instant::now();
        tokio::select! {
            () = stop.cancelled() => return running.stop().await,
            () = running.ended() => {}
        }
        if since.elapsed() > STEADY {
            pause = FIRST_PAUSE;
        }
        tracing::error!(log = %launch.folder.log().display(), "private Postgres has ended by itself; starting it again");
        running = loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(pause) => {}
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            match launch.start().await {
                Ok(running) => break running,
                Err(error) => tracing::error!(cause = %error, "private Postgres does not start again"),
            }
        };
    }
}
