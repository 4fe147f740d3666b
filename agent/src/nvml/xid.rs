//! Xids: the driver's messages about a card. They come as events and cannot be asked for later, so a thread of its own
//! waits for them as long as NVML is open.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use domain::card::Xid;
use domain::id::CardUuid;
use nvml_wrapper::enums::event::XidError;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, EventSet};
use time::OffsetDateTime;

use super::raw::{self, Library};
use super::retry::Retry;

/// What NVML gives for an Xid that it does not know the number of.
const NAMELESS: u64 = 999;

type Seen = Arc<Mutex<BTreeMap<CardUuid, Xid>>>;

/// The last Xid of each card, over the life of the agent.
pub(super) struct Xids {
    seen: Seen,
    watcher: Option<Watcher>,
    /// Cards that report to it.
    watched: Vec<CardUuid>,
    retry: Retry,
    /// The wait is in slices, so that the thread hears that it is to end.
    slice: Duration,
    /// The driver has no such events; asked again once it is opened anew.
    unsupported: bool,
}

/// The thread that waits.
struct Watcher {
    cards: Sender<Vec<CardUuid>>,
    ended: Receiver<End>,
}

/// Why the thread has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Told,
    Unsupported,
    Failed,
}

impl Xids {
    pub(super) fn new(retry: Retry, slice: Duration) -> Self {
        Self { seen: Seen::default(), watcher: None, watched: Vec::new(), retry, slice, unsupported: false }
    }

    /// The last Xid of each card.
    pub(super) fn seen(&self) -> BTreeMap<CardUuid, Xid> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has these cards report, all of which answer now. One that does not stays registered: its last words are those that
    /// matter most. One that answers again is registered again.
    pub(super) fn watch(&mut self, nvml: &Arc<Library>, answering: &[CardUuid], now: Instant) {
        if let Some(watcher) = &self.watcher {
            match watcher.ended.try_recv() {
                Err(TryRecvError::Empty) => {}
                ended => {
                    self.watcher = None;
                    self.unsupported = ended == Ok(End::Unsupported);
                    self.retry.failed(now);
                }
            }
        }
        self.watched.retain(|card| answering.contains(card));
        if self.unsupported || answering.is_empty() {
            return;
        }
        if let Some(watcher) = &self.watcher {
            if !answering.iter().all(|card| self.watched.contains(card))
                && watcher.cards.send(answering.to_vec()).is_ok()
            {
                self.watched = answering.to_vec();
            }
        } else if self.retry.is_due(now) && raw::has_events(nvml) {
            self.watcher = Watcher::start(Arc::clone(nvml), answering.to_vec(), Arc::clone(&self.seen), self.slice);
            self.watched = answering.to_vec();
        }
    }

    /// Ends the thread, so that it lets go of NVML; waits for it no longer than `patience`.
    pub(super) fn stop(&mut self, patience: Duration) {
        self.unsupported = false;
        self.watched.clear();
        self.retry.reset();
        if let Some(Watcher { cards, ended }) = self.watcher.take() {
            drop(cards);
            // The channel closes with the thread, whatever it says before.
            let deadline = Instant::now() + patience;
            while ended.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok() {}
        }
    }
}

impl Watcher {
    fn start(nvml: Arc<Library>, first: Vec<CardUuid>, seen: Seen, slice: Duration) -> Option<Self> {
        let (cards, orders) = channel();
        let (end, ended) = channel();
        let work = move || {
            let why = wait(&nvml, first, &orders, &seen, slice);
            // NVML is let go of before anybody hears of it.
            drop(nvml);
            // Nobody may be left to hear.
            let _ = end.send(why);
        };
        thread::Builder::new().name("xid".to_owned()).spawn(work).ok()?;
        Some(Self { cards, ended })
    }
}

/// A set of events and the cards that report to it.
struct Registered<'nvml> {
    set: EventSet<'nvml>,
    cards: Vec<(Device<'nvml>, CardUuid)>,
}

fn register(nvml: &Library, cards: Vec<CardUuid>) -> Result<Registered<'_>, NvmlError> {
    let set = nvml.create_event_set()?;
    let mut registered = Vec::with_capacity(cards.len());
    let mut failed = NvmlError::NotSupported;
    for uuid in cards {
        match nvml.device_by_uuid(uuid.as_str()).and_then(|card| raw::register_xids(nvml, &card, &set).map(|()| card)) {
            Ok(card) => registered.push((card, uuid)),
            Err(error) => failed = error,
        }
    }
    if registered.is_empty() { Err(failed) } else { Ok(Registered { set, cards: registered }) }
}

fn wait(nvml: &Library, first: Vec<CardUuid>, orders: &Receiver<Vec<CardUuid>>, seen: &Seen, slice: Duration) -> End {
    let end_of = |error| if matches!(error, NvmlError::NotSupported) { End::Unsupported } else { End::Failed };
    let mut current = match register(nvml, first) {
        Ok(registered) => registered,
        Err(error) => return end_of(error),
    };
    loop {
        match orders.try_recv() {
            Ok(cards) => {
                let next = match register(nvml, cards) {
                    Ok(registered) => registered,
                    Err(error) => return end_of(error),
                };
                // What the old set has heard until now.
                while note(&current, Duration::ZERO, seen).is_ok() {}
                current = next;
            }
            Err(TryRecvError::Disconnected) => return End::Told,
            Err(TryRecvError::Empty) => {}
        }
        match note(&current, slice, seen) {
            Ok(()) | Err(NvmlError::Timeout) => {}
            Err(error) => return end_of(error),
        }
    }
}

/// Waits for one event and notes it.
fn note(from: &Registered<'_>, patience: Duration, seen: &Seen) -> Result<(), NvmlError> {
    let event = from.set.wait(u32::try_from(patience.as_millis()).unwrap_or(u32::MAX))?;
    let code = match event.event_data {
        Some(XidError::Value(code)) => code,
        Some(XidError::Unknown) => NAMELESS,
        None => return Ok(()),
    };
    // By the handle: a card that has just fallen off the bus no longer tells its name.
    if let Some((_, uuid)) = from.cards.iter().find(|(card, _)| raw::is_same(card, &event.device)) {
        let xid = Xid { code, at: OffsetDateTime::now_utc() };
        seen.lock().unwrap_or_else(PoisonError::into_inner).insert(uuid.clone(), xid);
    }
    Ok(())
}
