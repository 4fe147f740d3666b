//! NVML itself: opening it, one round through the cards, and opening it again when it fails.
//!
//! One handle on NVML is kept for as long as it works; closing it between rounds would make drivers without
//! persistence mode start the cards each time. Handles of cards live for one round only: they die with resets.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use domain::card::{CardDetail, CardFacts, CardHealth};
use domain::id::CardUuid;
use domain::wire::agent_v1::{CardReport, NvmlState};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::health;
use super::inventory::{self, Known};
use super::links::Physical;
use super::processes::Lists;
use super::retry::Retry;
use super::stock::{Stock, Versions};
use super::{Snapshot, raw, sensors};
use crate::clean::clean;
use crate::host::Places;

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
    stock: Stock,
    places: Places,
}

/// NVML, open.
struct Open {
    nvml: Nvml,
    versions: Versions,
    /// Number of cards when it was opened.
    count: Option<u32>,
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
            stock: Stock::new(),
            places: Places::default(),
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
                    let (cards, physical) = read(&open.nvml, count, &mut self.known, &mut self.lists);
                    let listed: Vec<CardFacts> = cards.iter().map(|card| card.facts.clone()).collect();
                    if self.stock.is_due(&listed, now) {
                        self.stock.read(&open.nvml, &open.versions, &listed, &physical, &self.places, now);
                    }
                    drop(physical);
                    let (driver_version, cuda_version) = (open.versions.driver.clone(), open.versions.cuda.clone());
                    let snapshot =
                        Snapshot { nvml: NvmlState::Ok, driver_version, cuda_version, cards, ..self.empty() };
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
        Snapshot { nvml: self.down.clone(), ..self.empty() }
    }

    /// What is known while NVML is not open: the inventory from before.
    fn empty(&self) -> Snapshot {
        let stocked = self.stock.current();
        Snapshot {
            inventory: stocked.map(|stocked| Arc::clone(&stocked.inventory)),
            inventory_id: stocked.map(|stocked| stocked.id.clone()),
            ..Snapshot::without_cards(NvmlState::Failed)
        }
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
                let told = |version: String| (!version.trim().is_empty()).then(|| clean(version.trim()));
                let versions = Versions {
                    driver: nvml.sys_driver_version().ok().and_then(told),
                    cuda: nvml.sys_cuda_driver_version().ok().map(cuda_version),
                    nvml: nvml.sys_nvml_version().ok().and_then(told),
                };
                self.lists.trust(versions.driver.as_deref());
                self.stock.expire();
                self.open = Some(Open { nvml, versions, count: None });
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
enum Answer<'nvml> {
    Card(Box<CardReport>, Device<'nvml>),
    Silence(u32, NvmlError),
}

fn read<'nvml>(
    nvml: &'nvml Nvml,
    count: u32,
    known: &mut Known,
    lists: &mut Lists,
) -> (Vec<CardReport>, Vec<Physical<'nvml>>) {
    lists.begin_round();
    let answers: Vec<Answer<'nvml>> = (0..count)
        .map(|index| match card(nvml, index, known, lists) {
            Ok((report, handle)) => Answer::Card(Box::new(report), handle),
            Err(error) => Answer::Silence(index, error),
        })
        .collect();
    let uuid = |answer: &Answer<'_>| match answer {
        Answer::Card(report, _) => Some(report.facts.uuid.clone()),
        Answer::Silence(..) => None,
    };
    let answered: Vec<CardUuid> = answers.iter().filter_map(uuid).collect();
    let (mut cards, mut physical) = (Vec::new(), Vec::new());
    for answer in answers {
        let (report, handle) = match answer {
            Answer::Card(report, handle) => (*report, Some(handle)),
            Answer::Silence(index, error) => {
                let Some(facts) = known.at(index, &answered) else { continue };
                (silent(facts, &error), None)
            }
        };
        physical.push(Physical { facts: report.facts.clone(), handle });
        cards.push(report);
    }
    let listed: Vec<CardUuid> = cards.iter().map(|card| card.facts.uuid.clone()).collect();
    known.keep(&listed);
    (cards, physical)
}

/// Reads one card.
fn card<'nvml>(
    nvml: &'nvml Nvml,
    index: u32,
    known: &mut Known,
    lists: &mut Lists,
) -> Result<(CardReport, Device<'nvml>), NvmlError> {
    let handle = nvml.device_by_index(index)?;
    let mut facts = inventory::facts(&handle, index)?;
    let memory = sensors::memory(nvml, &handle);
    facts.memory_total_mib = memory.total;
    known.learn(&mut facts);
    let sample = sensors::sample(&handle, memory.used);
    let health = health::of_sample(&sample);
    let processes = lists.of(&handle);
    Ok((CardReport { facts, sample, detail: CardDetail::default(), health, processes }, handle))
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
    fn a_missing_library_says_what_the_loader_said() {
        let mut session = Session::new(Some(PathBuf::from("/nonexistent/libnvidia-ml.so.1")));
        let now = Instant::now();
        let snapshot = session.round(now);
        assert!(snapshot.cards.is_empty());
        let NvmlState::NoLibrary { detail } = snapshot.nvml else { panic!("{:?}", snapshot.nvml) };
        assert!(detail.contains("/nonexistent/libnvidia-ml.so.1") && detail.chars().count() <= DETAIL_MAX);
    }
}
