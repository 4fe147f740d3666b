//! NVML itself: opening it, one round through the cards, and opening it again when it fails.
//!
//! One handle on NVML is kept for as long as it works; closing it between rounds would make drivers without
//! persistence mode start the cards each time. Handles of cards live for one round only: they die with resets.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use domain::card::{CardDetail, CardFacts, CardHealth};
use domain::id::CardUuid;
use domain::wire::agent_v1::{CardReport, NvmlState};
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

use super::health;
use super::inventory::{self, Known};
use super::processes::Lists;
use super::{Snapshot, raw, sensors};

/// First pause after a failure; each further one is twice as long.
const RETRY_FIRST: Duration = Duration::from_secs(1);
/// Longest pause.
const RETRY_LONGEST: Duration = Duration::from_secs(30);
/// Longest text of a loader's complaint, in characters.
const DETAIL_MAX: usize = 200;
/// More cards than this in one machine is a broken count.
const CARDS_MAX: u32 = 256;

/// NVML over the life of the agent.
pub(super) struct Session {
    library: Option<PathBuf>,
    open: Option<Open>,
    /// Why it is not open.
    down: NvmlState,
    retry: Retry,
    /// When to open it again although it is open, because no card answers.
    reopen: Retry,
    known: Known,
    lists: Lists,
}

/// NVML, open.
struct Open {
    nvml: Nvml,
    driver_version: Option<String>,
    cuda_version: Option<String>,
    /// Number of cards when it was opened.
    count: Option<u32>,
}

/// When to try again.
struct Retry {
    pause: Duration,
    not_before: Option<Instant>,
}

impl Retry {
    const fn new() -> Self {
        Self { pause: RETRY_FIRST, not_before: None }
    }

    fn is_due(&self, now: Instant) -> bool {
        self.not_before.is_none_or(|at| now >= at)
    }

    fn failed(&mut self, now: Instant) {
        self.not_before = Some(now + self.pause);
        self.pause = (self.pause * 2).min(RETRY_LONGEST);
    }
}

/// The round could not be finished: NVML is of no use in this state.
struct Broken(NvmlState);

impl Session {
    pub(super) fn new(library: Option<PathBuf>) -> Self {
        Self {
            library,
            open: None,
            down: NvmlState::Failed,
            retry: Retry::new(),
            reopen: Retry::new(),
            known: Known::default(),
            lists: Lists::new(),
        }
    }

    /// Reads everything once.
    pub(super) fn round(&mut self, now: Instant) -> Snapshot {
        // A library that has just changed its mind about its cards is opened again at once, but only once a round.
        for _ in 0..2 {
            if self.open.is_none() && !self.try_open(now) {
                break;
            }
            let Some(open) = &mut self.open else { break };
            match count(open) {
                Ok(Some(count)) => {
                    let snapshot = read(open, count, &mut self.known, &mut self.lists);
                    self.after_reading(&snapshot, now);
                    return snapshot;
                }
                Ok(None) => self.close(),
                Err(Broken(state)) => {
                    self.close();
                    self.down = state;
                    self.retry.failed(now);
                    break;
                }
            }
        }
        Snapshot::without_cards(self.down.clone())
    }

    fn try_open(&mut self, now: Instant) -> bool {
        if !self.retry.is_due(now) {
            return false;
        }
        let mut builder = Nvml::builder();
        if let Some(library) = &self.library {
            builder.lib_path(library.as_os_str());
        }
        match builder.init() {
            Ok(nvml) => {
                let driver_version = nvml.sys_driver_version().ok().filter(|version| !version.is_empty());
                self.lists.trust(driver_version.as_deref());
                let cuda_version = nvml.sys_cuda_driver_version().ok().map(cuda_version);
                self.open = Some(Open { nvml, driver_version, cuda_version, count: None });
                true
            }
            Err(error) => {
                self.down = why_not_open(&error);
                self.retry.failed(now);
                false
            }
        }
    }

    fn after_reading(&mut self, snapshot: &Snapshot, now: Instant) {
        self.retry = Retry::new();
        let lost = !snapshot.cards.is_empty() && snapshot.cards.iter().all(|card| card.health == CardHealth::Lost);
        if !lost {
            self.reopen = Retry::new();
        } else if self.reopen.is_due(now) {
            // All cards at once is more often a driver that was loaded anew than so many broken cards.
            self.close();
            self.reopen.failed(now);
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            raw::close(open.nvml);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.close();
    }
}

/// Number of cards; `None` where it has changed since NVML was opened.
fn count(open: &mut Open) -> Result<Option<u32>, Broken> {
    match open.nvml.device_count() {
        Ok(count) if open.count.is_none_or(|before| before == count) => {
            open.count = Some(count);
            Ok(Some(count.min(CARDS_MAX)))
        }
        Ok(_) => Ok(None),
        Err(error) => Err(Broken(health::of_library(&error).unwrap_or(NvmlState::Failed))),
    }
}

/// One card, or the reason why it did not say who it is.
enum Answer {
    Card(Box<CardReport>),
    Silence(u32, NvmlError),
}

fn read(open: &Open, count: u32, known: &mut Known, lists: &mut Lists) -> Snapshot {
    lists.begin_round();
    let answers: Vec<Answer> = (0..count)
        .map(|index| match card(&open.nvml, index, known, lists) {
            Ok(report) => Answer::Card(Box::new(report)),
            Err(error) => Answer::Silence(index, error),
        })
        .collect();
    let uuid = |answer: &Answer| match answer {
        Answer::Card(report) => Some(report.facts.uuid.clone()),
        Answer::Silence(..) => None,
    };
    let answered: Vec<CardUuid> = answers.iter().filter_map(uuid).collect();
    let cards: Vec<CardReport> = answers
        .into_iter()
        .filter_map(|answer| match answer {
            Answer::Card(report) => Some(*report),
            Answer::Silence(index, error) => known.at(index, &answered).map(|facts| silent(facts, &error)),
        })
        .collect();
    let listed: Vec<CardUuid> = cards.iter().map(|card| card.facts.uuid.clone()).collect();
    known.keep(&listed);
    Snapshot {
        nvml: NvmlState::Ok,
        driver_version: open.driver_version.clone(),
        cuda_version: open.cuda_version.clone(),
        cards,
    }
}

/// Reads one card.
fn card(nvml: &Nvml, index: u32, known: &mut Known, lists: &mut Lists) -> Result<CardReport, NvmlError> {
    let handle = nvml.device_by_index(index)?;
    let mut facts = inventory::facts(&handle, index)?;
    let memory = sensors::memory(nvml, &handle);
    facts.memory_total_mib = memory.total;
    known.learn(&mut facts);
    let sample = sensors::sample(&handle, memory.used);
    let health = health::of_sample(&sample);
    let processes = lists.of(&handle);
    Ok(CardReport { facts, sample, detail: CardDetail::default(), health, processes })
}

/// A card that is listed and does not answer.
fn silent(facts: CardFacts, error: &NvmlError) -> CardReport {
    let sample = sensors::silent(health::missing(error));
    CardReport { facts, sample, detail: CardDetail::default(), health: health::without_answer(error), processes: None }
}

fn why_not_open(error: &NvmlError) -> NvmlState {
    match error {
        NvmlError::LibloadingError(why) => NvmlState::NoLibrary { detail: detail(&why.to_string()) },
        NvmlError::FailedToLoadSymbol(why) => NvmlState::NoLibrary { detail: detail(why) },
        other => health::of_library(other).unwrap_or(NvmlState::Failed),
    }
}

/// A loader's words, in one line of bounded length.
fn detail(text: &str) -> String {
    let safe = |c: char| if domain::user::is_deceptive(c) { ' ' } else { c };
    text.chars().take(DETAIL_MAX).map(safe).collect()
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
    fn pauses_double_up_to_half_a_minute() {
        let start = Instant::now();
        let mut retry = Retry::new();
        assert!(retry.is_due(start));
        let mut pauses = Vec::new();
        for _ in 0..7 {
            retry.failed(start);
            pauses.push(retry.not_before.map_or(0, |at| (at - start).as_secs()));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        assert!(!retry.is_due(start) && retry.is_due(start + Duration::from_secs(30)));
    }

    #[test]
    fn a_missing_library_says_what_the_loader_said() {
        let mut session = Session::new(Some(PathBuf::from("/nonexistent/libnvidia-ml.so.1")));
        let now = Instant::now();
        let snapshot = session.round(now);
        assert!(snapshot.cards.is_empty());
        let NvmlState::NoLibrary { detail } = snapshot.nvml else { panic!("{:?}", snapshot.nvml) };
        assert!(detail.contains("/nonexistent/libnvidia-ml.so.1") && detail.chars().count() <= DETAIL_MAX);
    }
}
