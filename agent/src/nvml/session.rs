//! NVML itself: opening it, one round through the cards, and opening it again when it fails.
//!
//! One handle on NVML is kept for as long as it works; closing it between rounds would make drivers without
//! persistence mode start the cards each time. Handles of cards live for one round only: they die with resets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::card::{CardFacts, CardHealth};
use domain::id::CardUuid;
use domain::wire::agent_v1::{CardReport, NvmlState};
use nvml_wrapper::Nvml;
use time::OffsetDateTime;

use super::raw::Library;
use super::retry::Retry;
use super::round::Reader;
use super::sampler::Setup;
use super::stock::{Stock, Versions};
use super::xid::Xids;
use super::{Snapshot, driver};
use crate::clean::clean;
use crate::host;

/// More cards than this in one machine is a broken count.
const CARDS_MAX: u32 = 256;
/// It looks this often, at least, whether it is to end.
const XID_SLICE: Duration = Duration::from_millis(500);
/// The thread that waits for Xids has this long to let go of NVML.
const XID_PATIENCE: Duration = Duration::from_secs(3);

/// NVML over the life of the agent.
pub(super) struct Session {
    setup: Setup,
    open: Option<Open>,
    /// Why it is not open.
    down: NvmlState,
    retry: Retry,
    /// When to open it again although it is open, because no card answers.
    reopen: Retry,
    reader: Reader,
    stock: Stock,
    xids: Xids,
}

/// NVML, open.
struct Open {
    nvml: Arc<Library>,
    versions: Versions,
    /// Number of cards when it was opened.
    count: Option<u32>,
}

/// Why a round ends without cards.
enum NoCount {
    /// The number of cards has changed since NVML was opened.
    Changed,
    /// NVML is of no use in this state.
    Broken(NvmlState),
}

impl Session {
    pub(super) fn new(setup: Setup) -> Self {
        let sees = host::sees_processes(&setup.places, setup.pids_are_ours);
        let retry = Retry::new(setup.pauses);
        Self {
            open: None,
            down: NvmlState::Failed,
            retry: retry.clone(),
            reopen: retry.clone(),
            reader: Reader::new(&setup.places, sees),
            stock: Stock::new(sees),
            xids: Xids::new(retry, (setup.interval / 4).min(XID_SLICE)),
            setup,
        }
    }

    /// Reads everything once.
    pub(super) fn round(&mut self, now: Instant, at: OffsetDateTime) -> Snapshot {
        if let Some(cards) = self.reader.without_waking(self.open.is_none()) {
            return self.snapshot(cards);
        }
        // A library that has just changed its mind about its cards is opened again at once, but only once a round.
        for _ in 0..2 {
            if self.open.is_none() && !self.try_open(now) {
                break;
            }
            match self.count() {
                Ok(count) => {
                    let cards = self.read(count, now, at);
                    let snapshot = self.snapshot(cards);
                    self.after_reading(&snapshot.cards, now);
                    return snapshot;
                }
                Err(NoCount::Changed) => self.close(),
                Err(NoCount::Broken(state)) => {
                    self.close();
                    self.down = state;
                    self.retry.failed(now);
                    break;
                }
            }
        }
        Snapshot { nvml: self.down.clone(), ..self.snapshot(Vec::new()) }
    }

    /// Lets go of NVML, so that cards can be reset; the next round takes it up again. Whether nobody holds it any more.
    pub(super) fn release(&mut self) -> bool {
        self.retry.reset();
        self.xids.stop(XID_PATIENCE);
        self.open.take().is_none_or(|open| Arc::into_inner(open.nvml).is_some())
    }

    /// What is known without asking: no cards, and the inventory from before.
    pub(super) fn without_cards(&self, nvml: NvmlState) -> Snapshot {
        Snapshot { nvml, ..self.snapshot(Vec::new()) }
    }

    fn snapshot(&self, cards: Vec<CardReport>) -> Snapshot {
        let stocked = self.stock.current();
        let versions = self.open.as_ref().map(|open| &open.versions);
        Snapshot {
            nvml: NvmlState::Ok,
            driver_version: versions.and_then(|versions| versions.driver.clone()),
            cuda_version: versions.and_then(|versions| versions.cuda.clone()),
            inventory: stocked.map(|stocked| Arc::clone(&stocked.inventory)),
            inventory_id: stocked.map(|stocked| stocked.id.clone()),
            cards,
        }
    }

    fn try_open(&mut self, now: Instant) -> bool {
        if !self.retry.is_due(now) {
            return false;
        }
        let mut builder = Nvml::builder();
        if let Some(library) = &self.setup.library {
            builder.lib_path(library.as_os_str());
        }
        match builder.init() {
            Ok(nvml) => {
                let told = |version: String| (!version.trim().is_empty()).then(|| clean(version.trim()));
                let versions = Versions {
                    driver: nvml.sys_driver_version().ok().and_then(told),
                    cuda: nvml.sys_cuda_driver_version().ok().map(cuda_version),
                    nvml: nvml.sys_nvml_version().ok().and_then(told),
                };
                self.reader.opened(versions.driver.as_deref());
                self.stock.expire();
                self.open = Some(Open { nvml: Arc::new(Library::new(nvml)), versions, count: None });
                true
            }
            Err(error) => {
                self.down = driver::state_of(&error, self.setup.library.as_deref(), &self.setup.places);
                self.retry.failed(now);
                false
            }
        }
    }

    fn count(&mut self) -> Result<u32, NoCount> {
        let Some(open) = &mut self.open else { return Err(NoCount::Broken(NvmlState::Failed)) };
        match open.nvml.device_count() {
            Ok(count) if open.count.is_none_or(|before| before == count) => {
                open.count = Some(count);
                Ok(count.min(CARDS_MAX))
            }
            Ok(_) => Err(NoCount::Changed),
            Err(error) => {
                let (library, places) = (self.setup.library.as_deref(), &self.setup.places);
                Err(NoCount::Broken(driver::state_of(&error, library, places)))
            }
        }
    }

    fn read(&mut self, count: u32, now: Instant, at: OffsetDateTime) -> Vec<CardReport> {
        let Some(open) = &self.open else { return Vec::new() };
        let (cards, physical) = self.reader.read(&open.nvml, count, at, &self.xids.seen());
        let listed: Vec<CardFacts> = cards.iter().map(|card| card.facts.clone()).collect();
        if self.stock.is_due(&listed, now) {
            self.stock.read(&open.nvml, &open.versions, &listed, &physical, &self.setup.places, now);
        }
        let answers = |card: &&CardReport| card.facts.part.is_none() && answers(card.health);
        let answering: Vec<CardUuid> = cards.iter().filter(answers).map(|card| card.facts.uuid.clone()).collect();
        self.xids.watch(&open.nvml, &answering, now);
        cards
    }

    fn after_reading(&mut self, cards: &[CardReport], now: Instant) {
        self.retry.reset();
        let silent = |card: &CardReport| matches!(card.health, CardHealth::Lost | CardHealth::Failing);
        if cards.is_empty() || !cards.iter().all(silent) {
            self.reopen.reset();
        } else if self.reopen.is_due(now) {
            // All cards at once is more often a driver that was loaded anew than so many broken cards.
            self.close();
            self.reopen.failed(now);
        }
    }

    fn close(&mut self) {
        self.xids.stop(XID_PATIENCE);
        self.open = None;
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.close();
    }
}

/// Whether events of a card can be hoped for.
fn answers(health: CardHealth) -> bool {
    !matches!(health, CardHealth::Lost | CardHealth::ResetNeeded | CardHealth::Asleep)
}

/// NVML's 12080 is CUDA 12.8.
fn cuda_version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_people_write_them() {
        assert_eq!(cuda_version(12080), "12.8");
        assert_eq!(cuda_version(13000), "13.0");
        assert_eq!(cuda_version(11040), "11.4");
    }

    #[test]
    fn a_missing_library_says_what_the_loader_said() {
        let library = "/nonexistent/libnvidia-ml.so.1";
        let mut session = Session::new(Setup { library: Some(library.into()), ..Setup::default() });
        let snapshot = session.round(Instant::now(), OffsetDateTime::now_utc());
        assert!(snapshot.cards.is_empty());
        let NvmlState::NoLibrary { detail } = snapshot.nvml else { panic!("{:?}", snapshot.nvml) };
        assert!(detail.contains(library) && detail.chars().count() <= 200);
    }
}
