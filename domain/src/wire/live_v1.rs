//! Server to browser, over server-sent events at [`EVENTS_PATH`].
//!
//! A page is rendered with a [`Fleet`]; after that come [`Live`] events named [`HOSTS_EVENT`] with consecutive
//! numbers. [`RESYNC_EVENT`] (bookings, hosts or cards changed, or events were lost) asks the page to fetch the
//! fleet anew; it leaves a gap in the numbers, so that a page that has missed it finds out too. The first event of a
//! stream has the news of all hosts, and the number of the event before it.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::band::hidden_memory_mib;
use crate::card::{CardFacts, CardHealth, CardSample, Container, Mib, ProcessKind, ProcessState};
use crate::host::{CLOCK_OFF, Freshness, freshness};
use crate::id::{CardUuid, HostId, ReservationId, UserId};
use crate::reading::Reading;
use crate::trouble::{Condition, Trouble};
use crate::upkeep::Closed;
use crate::window::Window;
use crate::wire::agent_v1::NvmlState;

/// The stream; session cookie needed.
pub const EVENTS_PATH: &str = "/events";
/// Carries [`Live`].
pub const HOSTS_EVENT: &str = "hosts";
/// No payload that matters: fetch the fleet again.
pub const RESYNC_EVENT: &str = "resync";
/// Longest time for which changes are collected before they are sent.
pub const COALESCE_MS: u64 = 100;
/// Points of a sparkline: five minutes, one for every five seconds.
pub const SPARK_POINTS: usize = 60;
/// Seconds between two points of a sparkline.
pub const SPARK_STEP_S: i64 = 5;

/// Everything that the Now page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// Number of the last event whose content is in it already.
    pub seq: u64,
    /// The server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// In order of their names.
    pub hosts: Vec<HostView>,
}

/// One host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostView {
    /// Identity.
    pub id: HostId,
    /// Name in the portal.
    pub name: String,
    /// What changes all the time.
    pub pulse: HostPulse,
    /// Driver version.
    pub driver_version: Option<String>,
    /// CUDA version of the driver.
    pub cuda_version: Option<String>,
    /// Cards in index order, gone ones last.
    pub cards: Vec<CardView>,
}

impl HostView {
    /// What keeps one of its cards from being booked.
    #[must_use]
    pub fn trouble(&self, card: &CardView, now: OffsetDateTime) -> Option<Trouble> {
        let (last_report, health) = (self.pulse.last_report, card.truth.health);
        // A retired host, or a card that is no more, is not in a fleet.
        let (mig_on, not_bookable) = (card.facts.mig_on, card.closed.not_bookable.is_some());
        Condition { retired: false, last_report, present: true, mig_on, health, not_bookable }.trouble(now)
    }

    /// The MIG instances of a card.
    pub fn parts<'a>(&'a self, card: &'a CardUuid) -> impl Iterator<Item = &'a CardView> {
        self.cards.iter().filter(move |known| known.facts.part.as_ref().is_some_and(|part| part.parent == *card))
    }
}

/// What changes all the time about a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostPulse {
    /// When the server received its last report.
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_report: Option<OffsetDateTime>,
    /// How often it is meant to report, in milliseconds.
    pub beat_ms: u32,
    /// How far its clock is ahead of the server's, in milliseconds; `None` where it did not say.
    #[serde(default)]
    pub clock_ahead_ms: Option<i64>,
    /// How NVML is doing there; `None` before the first report.
    pub nvml: Option<NvmlState>,
    /// Busy share of all CPUs.
    pub cpu_percent: Reading<u32>,
    /// Main memory.
    pub memory_total_mib: Reading<Mib>,
    /// Main memory in use.
    pub memory_used_mib: Reading<Mib>,
}

impl HostPulse {
    /// Judges the host by its last report.
    #[must_use]
    pub fn freshness(&self, now: OffsetDateTime) -> Freshness {
        freshness(self.last_report, Duration::milliseconds(self.beat_ms.into()), now)
    }

    /// How far its clock is ahead of the server's, where that is worth a word.
    #[must_use]
    pub fn clock_off(&self) -> Option<Duration> {
        self.clock_ahead_ms.map(Duration::milliseconds).filter(|ahead| ahead.abs() > CLOCK_OFF)
    }
}

/// One card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardView {
    /// What it is.
    pub facts: CardFacts,
    /// What it does: the truth.
    pub truth: CardTruth,
    /// Utilisation over the last five minutes, oldest first; `None` where nothing was reported.
    pub spark: Vec<Option<u8>>,
    /// What is booked on it, now and next, in order of the start, at most four: the promise.
    pub bookings: Vec<BookingBrief>,
    /// When it is not to be had, and why.
    #[serde(default, skip_serializing_if = "Closed::is_open")]
    pub closed: Closed,
}

/// What a card does now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardTruth {
    /// Measured values.
    pub sample: CardSample,
    /// Whether it can be worked with.
    pub health: CardHealth,
    /// Who is on it, most memory first; `None` where that is unknown.
    pub processes: Option<Vec<ProcessView>>,
    /// Memory is the machine's own and shared with the CPU: that it is in use says nothing about the card.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub memory_is_unified: bool,
}

impl CardTruth {
    /// Memory in use that belongs to none of the processes that are listed; `None` where it is too little to mean
    /// something, or where that cannot be known.
    #[must_use]
    pub fn hidden_memory_mib(&self) -> Option<Mib> {
        if self.memory_is_unified {
            return None;
        }
        let held = self.processes.iter().flatten().map(|process| process.memory_mib.get());
        hidden_memory_mib(self.sample.memory_used_mib.get(), held)
    }
}

/// One process, with the person where the account's owner is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessView {
    /// Process id on the host.
    pub pid: u32,
    /// Which list it was on.
    pub kind: ProcessKind,
    /// Memory it holds.
    pub memory_mib: Reading<Mib>,
    /// OS account.
    pub os_user: Option<String>,
    /// Command as the agent sent it.
    pub command: Option<String>,
    /// What became of it.
    pub state: ProcessState,
    /// When it started.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<OffsetDateTime>,
    /// Its share of the card's computing.
    pub utilisation_percent: Reading<u32>,
    /// What it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Container>,
    /// People to whom the account belongs: none, one, or several who share it.
    pub people: Vec<UserId>,
    /// Display name of the person, where it is exactly one.
    pub person: Option<String>,
    /// That person has proven the account with `berth link`.
    #[serde(default)]
    pub proven: bool,
}

impl ProcessView {
    /// Its account is one of the host's. In a container it need not be.
    #[must_use]
    pub fn account_tells(&self) -> bool {
        self.container.as_ref().is_none_or(|container| !container.runtime.holds_others_work())
    }

    /// It runs as root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.os_user.as_deref() == Some("root")
    }
}

/// A booking as a card's band needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookingBrief {
    /// Booking.
    pub id: ReservationId,
    /// Holder.
    pub owner: UserId,
    /// Display name of the holder.
    pub holder: String,
    /// Colour of the holder, in degrees.
    pub hue: u16,
    /// When.
    pub window: Window,
    /// Who else may start something on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub co_users: Vec<UserId>,
    /// It waits for approval, or for its owner's answer: it holds the card, and nobody may start anything on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
}

impl BookingBrief {
    /// Whether somebody may start something on it, once it has begun.
    #[must_use]
    pub fn lets(&self, person: UserId) -> bool {
        !self.waits && (self.owner == person || self.co_users.contains(&person))
    }
}

/// What has changed since the event before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// Counts up by one; a gap means that something was missed.
    pub seq: u64,
    /// The server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// Hosts that have reported.
    pub hosts: Vec<HostLive>,
}

/// News of one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostLive {
    /// Which.
    pub id: HostId,
    /// Its pulse.
    pub pulse: HostPulse,
    /// Its cards' truth.
    pub cards: Vec<(CardUuid, CardTruth)>,
}
