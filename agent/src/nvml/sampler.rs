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
use super::retry::Pauses;
use super::session::Session;
use crate::host::Places;

/// The interval, where nobody says otherwise.
const INTERVAL: Duration = Duration::from_secs(2);
/// A round that takes longer than this hangs.
const STALLED_AFTER: Duration = Duration::from_secs(10);
/// No interval is shorter, whatever is asked for.
const INTERVAL_MIN: Duration = Duration::from_millis(10);

/// How the cards are read.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Another `libnvidia-ml`, instead of the system's.
    pub library: Option<PathBuf>,
    /// From one start of a round to the next; 10 ms at least.
    pub interval: Duration,
    /// A round that takes longer than this hangs.
    pub stalled_after: Duration,
    /// From one try to open NVML to the next.
    pub pauses: Pauses,
    /// Where the kernel's and the system's own files lie.
    pub places: Places,
    /// The library counts processes as the agent does, whatever the namespace: true of a simulation. Otherwise a process
    /// id is the host's, and means nothing to an agent that does not share the host's.
    pub pids_are_ours: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            library: None,
            interval: INTERVAL,
            stalled_after: STALLED_AFTER,
            pauses: Pauses::default(),
            places: Places::default(),
            pids_are_ours: false,
        }
    }
}

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
    interval: Duration,
    /// End of a pause that was asked for, by both clocks.
    pause: Option<(Instant, OffsetDateTime)>,
    /// NVML is let go of.
    released: bool,
    stop: bool,
}

impl Sampler {
    /// Starts sampling. `library` is another `libnvidia-ml`, instead of the system's; `interval` is from one start of a
    /// round to the next.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn start(library: Option<PathBuf>, interval: Duration) -> io::Result<Self> {
        Self::with(Setup { library, interval, ..Setup::default() })
    }

    /// Starts sampling.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn with(setup: Setup) -> io::Result<Self> {
        let now = OffsetDateTime::now_utc();
        let nothing =
            Latest { snapshot: Arc::new(Snapshot::without_cards(NvmlState::Failed)), sampled_at: now, round: 0 };
        let inner = Inner {
            latest: nothing,
            running: Some((Instant::now(), now)),
            interval: setup.interval.max(INTERVAL_MIN),
            pause: None,
            released: false,
            stop: false,
        };
        let shared = Arc::new(Shared { inner: Mutex::new(inner), news: Condvar::new() });
        let on_thread = Arc::clone(&shared);
        let stalled_after = setup.stalled_after;
        thread::Builder::new().name("nvml".to_owned()).spawn(move || run(&on_thread, &setup))?;
        Ok(Self { shared, stalled_after })
    }

    /// From the next round on, rounds are this far apart; 10 ms at least.
    pub fn set_interval(&self, interval: Duration) {
        self.shared.lock().interval = interval.max(INTERVAL_MIN);
        self.shared.news.notify_all();
    }

    /// How far rounds are apart.
    #[must_use]
    pub fn interval(&self) -> Duration {
        self.shared.lock().interval
    }

    /// Has NVML let go of, so that cards can be reset and MIG be changed. It is taken up again after `length`, which is the
    /// answer, or with [`Sampler::resume`]. Until then the state is `Paused`. Asked for again, the new length counts.
    pub fn pause(&self, length: Duration) -> OffsetDateTime {
        let until = OffsetDateTime::now_utc() + length;
        self.shared.lock().pause = Some((Instant::now() + length, until));
        self.shared.news.notify_all();
        until
    }

    /// Whether NVML is let go of, after a wait of `timeout` at most: a call that hangs holds it.
    #[must_use]
    pub fn wait_released(&self, timeout: Duration) -> bool {
        let held = |inner: &mut Inner| inner.pause.is_some() && !inner.released;
        let waited = self.shared.news.wait_timeout_while(self.shared.lock(), timeout, held);
        waited.unwrap_or_else(PoisonError::into_inner).0.released
    }

    /// Takes NVML up again. Without a pause, nothing happens.
    pub fn resume(&self) {
        self.shared.lock().pause = None;
        self.shared.news.notify_all();
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

fn run(shared: &Shared, setup: &Setup) {
    let mut session = Session::new(setup.clone());
    loop {
        let (started, sampled_at) = (Instant::now(), OffsetDateTime::now_utc());
        let pause = {
            let mut inner = shared.lock();
            inner.running = Some((started, sampled_at));
            inner.pause = inner.pause.filter(|(end, _)| *end > started);
            inner.released &= inner.pause.is_some();
            inner.pause
        };
        // The wrapper panics where a library lacks what it takes for granted.
        let round = catch_unwind(AssertUnwindSafe(|| match pause {
            Some((_, until)) => (session.release(), session.without_cards(NvmlState::Paused { until })),
            None => (false, session.round(started, sampled_at)),
        }));
        let (released, snapshot) = round.unwrap_or_else(|_| {
            session = Session::new(setup.clone());
            (false, Snapshot::without_cards(NvmlState::Failed))
        });
        let mut inner = shared.lock();
        inner.running = None;
        inner.released = released;
        inner.latest = Latest { snapshot: Arc::new(snapshot), sampled_at, round: inner.latest.round + 1 };
        shared.news.notify_all();
        // Until the next round is due, unless a pause begins or ends before.
        loop {
            let due = started + inner.interval;
            let due = inner.pause.map_or(due, |(end, _)| due.min(end));
            let changed = inner.pause.is_some() != pause.is_some();
            let left = due.saturating_duration_since(Instant::now());
            if inner.stop {
                return;
            }
            if changed || left.is_zero() {
                break;
            }
            inner = shared.news.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
