//! One host in memory: what it last reported, and how that looks to a page.

use std::collections::BTreeSet;

use domain::card::{CardDetail, CardFacts, CardHealth, CardProcess, CardSample};
use domain::id::{CardUuid, HostId};
use domain::reading::{Missing, Reading};
use domain::upkeep::Closed;
use domain::wire::agent_v1::{NvmlState, Report};
use domain::wire::live_v1::{CardTruth, CardView, HostLive, HostPulse, HostView};
use domain::wire::page::HostTold;
use time::{Duration, OffsetDateTime};

use super::people::People;
use super::spark::Spark;
use crate::store::reports::{GoneCard, STRAGGLER};

/// How long a card that its host no longer reports stays on the page.
const GONE_SHOWN: Duration = Duration::days(7);

/// A card in memory.
#[derive(Clone, Debug)]
struct Card {
    facts: CardFacts,
    sample: CardSample,
    detail: CardDetail,
    health: CardHealth,
    processes: Option<Vec<CardProcess>>,
    spark: Spark,
    /// Since when its host no longer reports it.
    gone_since: Option<OffsetDateTime>,
}

/// A host in memory.
#[derive(Clone, Debug)]
pub(super) struct Host {
    id: HostId,
    pub(super) name: String,
    /// How often it is asked to report.
    beat: Duration,
    last_report: Option<OffsetDateTime>,
    clock_ahead: Option<Duration>,
    /// Boot id, number and time of sampling of the last report.
    last: Option<(String, u64, OffsetDateTime)>,
    nvml: Option<NvmlState>,
    cpu_percent: Reading<u32>,
    memory_total_mib: Reading<u64>,
    memory_used_mib: Reading<u64>,
    driver_version: Option<String>,
    cuda_version: Option<String>,
    agent_version: Option<String>,
    cards: Vec<Card>,
    /// Cards that it reports but that are another host's; said in the log once.
    pub(super) refused: BTreeSet<CardUuid>,
}

/// What a report has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A repeat, or older than what is known.
    Nothing,
    /// Values only.
    Values,
    /// Cards came, went or changed what they are.
    Shape,
}

/// What [`HostLive`] does not tell: where it changes, pages fetch the fleet.
#[derive(PartialEq)]
struct Shape {
    known: bool,
    versions: [Option<String>; 2],
    cards: Vec<(CardFacts, bool)>,
}

impl Host {
    pub(super) fn new(id: HostId, name: String, beat: Duration) -> Self {
        Self {
            id,
            name,
            beat,
            last_report: None,
            clock_ahead: None,
            last: None,
            nvml: None,
            cpu_percent: Reading::default(),
            memory_total_mib: Reading::default(),
            memory_used_mib: Reading::default(),
            driver_version: None,
            cuda_version: None,
            agent_version: None,
            cards: Vec::new(),
            refused: BTreeSet::new(),
        }
    }

    pub(super) fn last_report(&self) -> Option<OffsetDateTime> {
        self.last_report
    }

    /// Whether its last report had this card.
    pub(super) fn reports(&self, card: &CardUuid) -> bool {
        self.cards.iter().any(|known| known.gone_since.is_none() && known.facts.uuid == *card)
    }

    /// Forgets a card that another host has now.
    pub(super) fn give_up(&mut self, card: &CardUuid) {
        self.cards.retain(|known| known.facts.uuid != *card);
    }

    /// Adds cards that were gone before this program started.
    pub(super) fn add_gone(&mut self, gone: GoneCard) {
        if !self.cards.iter().any(|known| known.facts.uuid == gone.facts.uuid) {
            self.cards.push(Card {
                facts: gone.facts,
                sample: all_missing(Missing::Lost),
                detail: CardDetail::default(),
                health: CardHealth::Lost,
                processes: None,
                spark: Spark::default(),
                gone_since: Some(gone.since),
            });
            self.sort();
        }
    }

    /// Takes in a report that was received at `at`.
    pub(super) fn take(&mut self, report: &Report, at: OffsetDateTime) -> Change {
        if self.is_old_news(report, at) {
            return Change::Nothing;
        }
        let shape = self.shape();
        self.last_report = Some(at);
        self.clock_ahead = report.sent_at.map(|sent| sent - at);
        self.last = Some((report.boot_id.clone(), report.seq, report.sampled_at));
        self.nvml = Some(report.nvml.clone());
        self.cpu_percent = report.cpu_percent;
        self.memory_total_mib = report.memory_total_mib;
        self.memory_used_mib = report.memory_used_mib;
        if report.driver_version.is_some() || report.nvml == NvmlState::Ok {
            self.driver_version.clone_from(&report.driver_version);
            self.cuda_version.clone_from(&report.cuda_version);
        }
        self.agent_version = Some(report.agent_version.clone());
        let mut before = std::mem::take(&mut self.cards);
        for card in &report.cards {
            let known = before.iter().position(|known| known.facts.uuid == card.facts.uuid);
            let mut spark = known.map(|at| before.swap_remove(at).spark).unwrap_or_default();
            spark.push(at, card.sample.utilisation_percent.get());
            self.cards.push(Card {
                facts: card.facts.clone(),
                sample: card.sample.clone(),
                detail: card.detail.clone(),
                health: card.health,
                processes: card.processes.clone(),
                spark,
                gone_since: None,
            });
        }
        // An instance that is no more was given up, not lost: its card was cut anew.
        before.retain(|card| card.facts.part.is_none() || report.nvml != NvmlState::Ok);
        for mut card in before {
            if card.gone_since.is_none() {
                card.processes = None;
                card.detail = CardDetail { last_xid: card.detail.last_xid, ..CardDetail::default() };
                if report.nvml == NvmlState::Ok {
                    card.gone_since = Some(at);
                    card.health = CardHealth::Lost;
                    card.sample = all_missing(Missing::Lost);
                } else {
                    // Without NVML nobody can say what the card does; that it is there was true before and may be again.
                    card.sample = all_missing(Missing::Unknown);
                }
            }
            self.cards.push(card);
        }
        self.sort();
        if self.shape() == shape { Change::Values } else { Change::Shape }
    }

    fn is_old_news(&self, report: &Report, at: OffsetDateTime) -> bool {
        let (Some((boot_id, seq, sampled_at)), Some(last)) = (&self.last, self.last_report) else { return false };
        if *boot_id != report.boot_id {
            return false;
        }
        // An agent that was restarted counts from the beginning but samples later.
        report.seq <= *seq && report.sampled_at <= *sampled_at && at - last < STRAGGLER
    }

    fn sort(&mut self) {
        self.cards.sort_by(|a, b| {
            let key = |card: &Card| (card.gone_since.is_some(), card.facts.number());
            key(a).cmp(&key(b)).then_with(|| a.facts.uuid.cmp(&b.facts.uuid))
        });
    }

    fn shape(&self) -> Shape {
        Shape {
            known: self.last_report.is_some(),
            versions: [self.driver_version.clone(), self.cuda_version.clone()],
            cards: self.cards.iter().map(|card| (card.facts.clone(), card.gone_since.is_some())).collect(),
        }
    }

    fn pulse(&self) -> HostPulse {
        HostPulse {
            last_report: self.last_report,
            beat_ms: u32::try_from(self.beat.whole_milliseconds()).unwrap_or(u32::MAX),
            clock_ahead_ms: self.clock_ahead.and_then(|ahead| i64::try_from(ahead.whole_milliseconds()).ok()),
            nvml: self.nvml.clone(),
            cpu_percent: self.cpu_percent,
            memory_total_mib: self.memory_total_mib,
            memory_used_mib: self.memory_used_mib,
        }
    }

    fn truth(&self, card: &Card, people: &People) -> CardTruth {
        CardTruth {
            sample: card.sample.clone(),
            health: card.health,
            processes: card.processes.as_deref().map(|processes| people.views(self.id, processes)),
            memory_is_unified: card.detail.memory_is_unified,
        }
    }

    fn shown(&self, now: OffsetDateTime) -> impl Iterator<Item = &Card> {
        self.cards.iter().filter(move |card| card.gone_since.is_none_or(|since| now - since < GONE_SHOWN))
    }

    /// The host as the page begins with it, without bookings.
    pub(super) fn view(&self, people: &People, now: OffsetDateTime) -> HostView {
        HostView {
            id: self.id,
            name: self.name.clone(),
            pulse: self.pulse(),
            driver_version: self.driver_version.clone(),
            cuda_version: self.cuda_version.clone(),
            cards: self
                .shown(now)
                .map(|card| CardView {
                    facts: card.facts.clone(),
                    truth: self.truth(card, people),
                    spark: card.spark.points(now),
                    bookings: Vec::new(),
                    closed: Closed::default(),
                })
                .collect(),
        }
    }

    /// What only the host's own page shows.
    pub(super) fn told(&self, now: OffsetDateTime) -> HostTold {
        HostTold {
            agent_version: self.agent_version.clone(),
            inventory: None,
            details: self.shown(now).map(|card| (card.facts.uuid.clone(), card.detail.clone())).collect(),
        }
    }

    /// The host's news.
    pub(super) fn news(&self, people: &People, now: OffsetDateTime) -> HostLive {
        let cards = self.shown(now).map(|card| (card.facts.uuid.clone(), self.truth(card, people))).collect();
        HostLive { id: self.id, pulse: self.pulse(), cards }
    }
}

fn all_missing(why: Missing) -> CardSample {
    CardSample {
        utilisation_percent: Reading::missing(why),
        memory_used_mib: Reading::missing(why),
        temperature_celsius: Reading::missing(why),
        power_milliwatts: Reading::missing(why),
        power_limit_milliwatts: Reading::missing(why),
        fan_percent: Reading::missing(why),
        sm_clock_mhz: Reading::missing(why),
    }
}
