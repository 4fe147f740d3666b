//! The sampling thread and what others see of it.
//!
//! NVML calls can hang without end, so they are made on this thread only, and the readers judge for themselves whether
//! the round that is under way takes too long.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use domain::wire::agent_v1::NvmlState;
use time::OffsetDateTime;

use super::Snapshot;
use super::session::Session;

/// A round that takes longer than this hangs.
const STALLED_AFTER: Duration = Duration::from_secs(10);
/// No interval is shorter, whatever is asked for.
const INTERVAL_MIN: Duration = Duration::from_millis(50);

/// Reads the cards at a steady interval until it is dropped.
pub struct Sampler {
    shared: Arc<Shared>,
    stalled_after: Duration,
}

/// The newest values and their age.
#[derive(Clone, Debug)]
pub struct Latest {
    /// The values; from before, where the state is `Stalled`.
    pub snapshot: Arc<Snapshot>,
    /// When they were read, by this machine's clock.
    pub sampled_at: OffsetDateTime,
    /// Counts the rounds that have ended, from 1; 0 before the first.
    pub round: u64,
}

struct Shared {
    inner: Mutex<Inner>,
    news: Condvar,
}

struct Inner {
    latest: Latest,
    /// Start of the round under way, by both clocks.
    running: Option<(Instant, OffsetDateTime)>,
    stop: bool,
}

impl Sampler {
    /// Starts sampling.
    ///
    /// `library` is another `libnvidia-ml`, instead of the system's; `interval` is from one start of a round to the
    /// next.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn start(library: Option<PathBuf>, interval: Duration) -> io::Result<Self> {
        Self::start_with(library, interval, STALLED_AFTER)
    }

    /// As [`Sampler::start`], with another idea of how long a round may take.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn start_with(library: Option<PathBuf>, interval: Duration, stalled_after: Duration) -> io::Result<Self> {
        let now = OffsetDateTime::now_utc();
        let nothing =
            Latest { snapshot: Arc::new(Snapshot::without_cards(NvmlState::Failed)), sampled_at: now, round: 0 };
        let inner = Inner { latest: nothing, running: Some((Instant::now(), now)), stop: false };
        let shared = Arc::new(Shared { inner: Mutex::new(inner), news: Condvar::new() });
        let on_thread = Arc::clone(&shared);
        thread::Builder::new()
            .name("nvml".to_owned())
            .spawn(move || run(&on_thread, library, interval.max(INTERVAL_MIN)))?;
        Ok(Self { shared, stalled_after })
    }

    /// The newest values, at once. Before the first round has ended there are no cards and `round` is 0.
    #[must_use]
    pub fn latest(&self) -> Latest {
        self.judged(&self.shared.lock())
    }

    /// Waits until a round after `round` has ended, and gives up after `timeout`: the answer then has an old `round`,
    /// and says `Stalled` where a call hangs.
    #[must_use]
    pub fn wait_after(&self, round: u64, timeout: Duration) -> Latest {
        let inner = self.shared.lock();
        let old = |inner: &mut Inner| inner.latest.round <= round;
        let waited = self.shared.news.wait_timeout_while(inner, timeout, old);
        let (inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
        self.judged(&inner)
    }

    fn judged(&self, inner: &Inner) -> Latest {
        let mut latest = inner.latest.clone();
        if let Some((started, since)) = inner.running
            && started.elapsed() > self.stalled_after
        {
            let stalled = Snapshot { nvml: NvmlState::Stalled { since }, ..(*latest.snapshot).clone() };
            latest.snapshot = Arc::new(stalled);
        }
        latest
    }
}

impl Drop for Sampler {
    /// Does not wait for the thread: it may hang for ever.
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.news.notify_all();
    }
}

impl Shared {
    /// Nothing is ever left half-changed under this lock, so a panic elsewhere does not matter.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(shared: &Shared, library: Option<PathBuf>, interval: Duration) {
    let mut session = Session::new(library.clone());
    loop {
        let (started, sampled_at) = (Instant::now(), OffsetDateTime::now_utc());
        shared.lock().running = Some((started, sampled_at));
        // The wrapper panics where a library lacks what it takes for granted.
        let snapshot = catch_unwind(AssertUnwindSafe(|| session.round(started))).unwrap_or_else(|_| {
            session = Session::new(library.clone());
            Snapshot::without_cards(NvmlState::Failed)
        });
        let mut inner = shared.lock();
        inner.running = None;
        inner.latest = Latest { snapshot: Arc::new(snapshot), sampled_at, round: inner.latest.round + 1 };
        shared.news.notify_all();
        let pause = interval.saturating_sub(started.elapsed());
        let waited = shared.news.wait_timeout_while(inner, pause, |inner| !inner.stop);
        let (inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if inner.stop {
            return;
        }
    }
}
