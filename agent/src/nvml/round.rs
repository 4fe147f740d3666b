//! One round through all cards: what each is and does, its instances, and who is on it.
//!
//! A card that does not say who it is keeps its place by what is known from before, so that one bad card never costs the
//! others.

use std::collections::{BTreeMap, HashMap};

use domain::card::{CardFacts, CardHealth, CardProcess, Xid};
use domain::id::CardUuid;
use domain::reading::{Missing, Reading};
use domain::strain;
use domain::wire::agent_v1::CardReport;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use time::OffsetDateTime;

use super::detail::Slow;
use super::inventory::{self, Known};
use super::links::Physical;
use super::memory::Memory;
use super::mig::{self, Cut};
use super::processes::{Lists, Told};
use super::usage::Usage;
use super::{asleep, detail, health, memory, sensors, usage};
use crate::host::Places;

/// What costs time to ask for is asked for in every so many rounds, of one card after the other.
const SLOW_ROUNDS: u32 = 5;

/// Reads the cards, and remembers what one round must know of the one before.
pub(super) struct Reader {
    known: Known,
    lists: Lists,
    pasts: HashMap<CardUuid, Past>,
    places: Places,
    round: u32,
}

/// What is kept of a card.
#[derive(Default)]
struct Past {
    slow: Option<Slow>,
    hot_since: Option<OffsetDateTime>,
    capped_since: Option<OffsetDateTime>,
    /// Time of the last sample of its processes.
    usage_seen: u64,
}

/// A card as it was found in this round.
struct Found<'nvml> {
    report: CardReport,
    handle: Option<Device<'nvml>>,
    parts: Vec<CardReport>,
}

/// A card, or the reason why it did not say who it is.
enum Answer<'nvml> {
    Card(Box<Found<'nvml>>),
    Silence(u32, NvmlError),
}

impl Reader {
    pub(super) fn new(places: &Places, sees_processes: bool) -> Self {
        Self {
            known: Known::default(),
            lists: Lists::new(places, sees_processes),
            pasts: HashMap::new(),
            places: places.clone(),
            round: 0,
        }
    }

    /// NVML was opened: decides by the driver's version what can be asked.
    pub(super) fn opened(&mut self, driver_version: Option<&str>) {
        self.lists.trust(driver_version);
    }

    /// The reports of all cards, where all of them sleep and none may be woken. `fresh` says that NVML has not been asked
    /// for its cards yet, so that the driver's own files must do.
    pub(super) fn without_waking(&mut self, fresh: bool) -> Option<Vec<CardReport>> {
        if fresh && self.known.is_empty() {
            for mut facts in asleep::all_asleep(&self.places)? {
                self.known.learn(&mut facts);
            }
        }
        let cards = self.known.physical();
        let all = !cards.is_empty() && cards.iter().all(|facts| asleep::is_asleep(facts, &self.places));
        all.then(|| cards.into_iter().map(|facts| self.sleeping(facts)).collect())
    }

    /// Reads `count` cards. The second list has the physical ones alone, with their handles.
    pub(super) fn read<'nvml>(
        &mut self,
        nvml: &'nvml Nvml,
        count: u32,
        now: OffsetDateTime,
        xids: &BTreeMap<CardUuid, Xid>,
    ) -> (Vec<CardReport>, Vec<Physical<'nvml>>) {
        self.round = self.round.wrapping_add(1);
        self.lists.begin_round();
        let mut answered: Vec<CardUuid> = Vec::new();
        let mut answers = Vec::new();
        for index in 0..count {
            let answer = match self.card(nvml, index, now, &answered) {
                Ok(found) => {
                    answered.push(found.report.facts.uuid.clone());
                    Answer::Card(Box::new(found))
                }
                Err(error) => Answer::Silence(index, error),
            };
            answers.push(answer);
        }
        let (mut cards, mut physical) = (Vec::new(), Vec::new());
        for answer in answers {
            let found = match answer {
                Answer::Card(found) => *found,
                Answer::Silence(index, error) => {
                    let Some(facts) = self.known.at(index, &answered) else { continue };
                    self.silent(facts, &error)
                }
            };
            physical.push(Physical { facts: found.report.facts.clone(), handle: found.handle });
            cards.push(found.report);
            cards.extend(found.parts);
        }
        for card in &mut cards {
            card.detail.last_xid = xids.get(&card.facts.uuid).copied();
        }
        let listed: Vec<CardUuid> = cards.iter().map(|card| card.facts.uuid.clone()).collect();
        self.known.keep(&listed);
        self.pasts.retain(|uuid, _| listed.contains(uuid));
        (cards, physical)
    }

    fn card<'nvml>(
        &mut self,
        nvml: &'nvml Nvml,
        index: u32,
        now: OffsetDateTime,
        answered: &[CardUuid],
    ) -> Result<Found<'nvml>, NvmlError> {
        if let Some(facts) = self.known.at(index, answered).filter(|facts| asleep::is_asleep(facts, &self.places)) {
            return Ok(Found { report: self.sleeping(facts), handle: None, parts: Vec::new() });
        }
        let handle = nvml.device_by_index(index)?;
        let mut facts = inventory::facts(&handle, index, &self.places)?;
        if answered.contains(&facts.uuid) {
            // Two cards cannot be one; the name is wrong.
            return Err(NvmlError::Unknown);
        }
        let held = memory::of(nvml, &handle, &facts.name, &self.places);
        facts.memory_total_mib = held.total;
        facts.mig_on = match mig::cut(&handle) {
            Cut::InParts => true,
            Cut::Whole => false,
            Cut::Unsure => self.known.is_cut(&facts.uuid),
        };
        self.known.learn(&mut facts);
        let mut report = self.sensed(&handle, facts, &held, now);
        let told = self.lists.ask(nvml, &handle);
        let parts = if report.facts.mig_on {
            self.parts(nvml, &handle, &mut report, told)
        } else {
            report.processes = told_of(told, |told| self.whole(&handle, &report, told));
            Vec::new()
        };
        Ok(Found { report, handle: Some(handle), parts })
    }

    /// A card's sensors and what they mean.
    fn sensed(&mut self, handle: &Device<'_>, facts: CardFacts, held: &Memory, now: OffsetDateTime) -> CardReport {
        let mut felt = sensors::sample(handle, held.used);
        if memory::is_integrated(&facts.name) {
            sensors::doubt_zeros(&mut felt);
        }
        let past = self.pasts.entry(facts.uuid.clone()).or_default();
        let due = self.round.wrapping_add(facts.index).is_multiple_of(SLOW_ROUNDS);
        let slow = match past.slow.filter(|slow| !due && !slow.has_gap()) {
            Some(slow) => slow,
            None => *past.slow.insert(Slow::read(handle)),
        };
        let mut detail = detail::of(handle, held, &slow, felt.memory_percent);
        let sample = felt.sample;
        past.strain(&sample, now);
        (detail.hot_since, detail.power_capped_since) = (past.hot_since, past.capped_since);
        let health = health::of(&sample, &detail);
        CardReport { facts, sample, detail, health, processes: None }
    }

    /// Who is on a card that is not cut.
    fn whole(&mut self, handle: &Device<'_>, report: &CardReport, told: &Told) -> Option<Vec<CardProcess>> {
        let usage = if told.is_empty() {
            Usage::None(Missing::Unknown)
        } else {
            let past = self.pasts.entry(report.facts.uuid.clone()).or_default();
            usage::read(handle, &mut past.usage_seen, report.sample.utilisation_percent)
        };
        self.lists.name(told, |pid| usage.of(pid))
    }

    /// The instances of a card that is cut. What the card itself may not be asked for, its instances tell together.
    fn parts(
        &mut self,
        nvml: &Nvml,
        handle: &Device<'_>,
        parent: &mut CardReport,
        told: Option<Told>,
    ) -> Vec<CardReport> {
        let (found, failed) = mig::instances(nvml, handle, &parent.facts);
        let not_supported = |_: u32| Reading::missing(Missing::NotSupported);
        let mut all = told.clone();
        let mut reports: Vec<CardReport> = Vec::with_capacity(found.len());
        for mut part in found {
            let ids = part.facts.part.as_ref().map_or((0, 0), |part| (part.gpu_instance, part.compute_instance));
            let of_parent = told.as_ref().map(|told| told.on_instance(ids.0, ids.1));
            let own = self.lists.ask(nvml, &part.handle).map(|own| own.without_others(ids.0, ids.1));
            let here = own.filter(|own| !own.is_empty() || of_parent.is_none()).or(of_parent);
            if told.is_none()
                && let Some(here) = &here
            {
                all.get_or_insert_default().append(here.clone());
            }
            self.known.learn(&mut part.facts);
            let held = memory::of(nvml, &part.handle, "", &self.places);
            let mut report = instance_report(part.facts, &held, parent.health);
            report.processes = told_of(here, |here| self.lists.name(here, not_supported));
            reports.push(report);
        }
        if let Some(error) = failed {
            // One of them does not say who it is, so those that were there and are missed now stay listed.
            let missed: Vec<CardFacts> = self
                .known
                .parts_of(&parent.facts.uuid)
                .into_iter()
                .filter(|known| !reports.iter().any(|report| report.facts.uuid == known.uuid))
                .collect();
            reports.extend(missed.into_iter().map(|facts| silent_report(facts, &error)));
        }
        reports.sort_by_key(|report| number(&report.facts));
        parent.processes = told_of(all, |all| self.lists.name(all, not_supported));
        reports
    }

    /// A card that is listed and does not answer, and its instances with it.
    fn silent<'nvml>(&mut self, facts: CardFacts, error: &NvmlError) -> Found<'nvml> {
        self.pasts.remove(&facts.uuid);
        let mut parts = self.known.parts_of(&facts.uuid);
        parts.sort_by_key(number);
        let parts = parts.into_iter().map(|part| silent_report(part, error)).collect();
        Found { report: silent_report(facts, error), handle: None, parts }
    }

    /// A card that sleeps: nothing is known of it but that.
    fn sleeping(&mut self, facts: CardFacts) -> CardReport {
        self.pasts.remove(&facts.uuid);
        CardReport {
            facts,
            sample: sensors::silent(Missing::Unknown),
            detail: detail::all_missing(Missing::Unknown),
            health: CardHealth::Asleep,
            processes: None,
        }
    }
}

impl Past {
    /// A sensor that fails for a moment ends nothing.
    fn strain(&mut self, sample: &domain::card::CardSample, now: OffsetDateTime) {
        if let Some(celsius) = sample.temperature_celsius.get() {
            self.hot_since = strain::carry(self.hot_since, strain::is_hot(celsius), now);
        }
        if let (Some(drawn), Some(limit)) = (sample.power_milliwatts.get(), sample.power_limit_milliwatts.get()) {
            self.capped_since = strain::carry(self.capped_since, strain::is_capped(drawn, limit), now);
        }
    }
}

/// Of an instance: its number on its card.
fn number(part: &CardFacts) -> Option<u32> {
    part.part.as_ref().map(|part| part.instance)
}

fn told_of(told: Option<Told>, name: impl FnOnce(&Told) -> Option<Vec<CardProcess>>) -> Option<Vec<CardProcess>> {
    name(&told?)
}

fn silent_report(facts: CardFacts, error: &NvmlError) -> CardReport {
    let why = health::missing(error);
    CardReport {
        facts,
        sample: sensors::silent(why),
        detail: detail::all_missing(why),
        health: health::without_answer(error),
        processes: None,
    }
}

/// An instance has memory of its own; its card's sensors are not its.
fn instance_report(facts: CardFacts, held: &Memory, parent: CardHealth) -> CardReport {
    let mut sample = sensors::silent(Missing::NotSupported);
    sample.memory_used_mib = held.used;
    let mut detail = detail::all_missing(Missing::NotSupported);
    detail.memory_reserved_mib = held.reserved;
    detail.memory_free_mib = held.free;
    detail.memory_used_has_reserved = held.used_has_reserved;
    CardReport { facts, sample, detail, health: parent, processes: None }
}
