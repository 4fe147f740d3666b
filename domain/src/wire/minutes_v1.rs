//! Agent to server: what cards did, minute by minute. An agent keeps each minute until the server has it, so that an
//! outage leaves no hole in the record.
//!
//! A minute belongs to the portal's clock, as far as the agent knows it. It is usually recorded once. Where a host's
//! clock was set back, or its agent lost what it had begun, a minute has several parts, told apart by their number: the
//! server takes each part once, however often it comes, and adds them up.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::Mib;
use crate::id::CardUuid;

/// Path of [`Minutes`]; `Authorization: Bearer` with the host's credential.
pub const MINUTES_PATH: &str = "/api/v1/agent/minutes";
/// Largest body accepted, in bytes, once unpacked.
pub const MINUTES_MAX_BYTES: usize = 1024 * 1024;
/// Most minutes in one message.
pub const MINUTES_MAX: usize = 60;
/// Most accounts told apart on one card in one minute; the others are counted together as nobody's.
pub const ACCOUNTS_MAX: usize = 64;
/// An agent keeps minutes for this long, in hours.
pub const KEPT_HOURS: i64 = 72;
/// Length of a minute, in milliseconds.
pub const MINUTE_MS: u32 = 60_000;

/// Some recorded minutes of a host, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Minutes {
    /// At most [`MINUTES_MAX`].
    pub minutes: Vec<HostMinute>,
    /// Minutes that the agent has thrown away since its start, because nobody took them for too long.
    #[serde(default)]
    pub dropped: u64,
}

/// A minute of a host, or a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostMinute {
    /// When it began: a whole minute by the portal's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub minute: OffsetDateTime,
    /// A random number: the same part of the same minute has the same.
    pub part: u64,
    /// How far the host's clock was ahead of the portal's; `None` where the portal had never answered.
    #[serde(default)]
    pub clock_ahead_ms: Option<i64>,
    /// Each card once.
    pub cards: Vec<CardMinute>,
}

/// What one card did in a minute. Times are milliseconds of that minute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardMinute {
    /// Which.
    pub card: CardUuid,
    /// How much of the minute was watched.
    pub watched_ms: u32,
    /// How often it was looked at.
    pub samples: u32,
    /// Utilisation in percent, where it could be read.
    #[serde(default)]
    pub utilisation: Option<Spread>,
    /// Memory in use, in MiB.
    #[serde(default)]
    pub memory: Option<Spread>,
    /// Power drawn, in milliwatts.
    #[serde(default)]
    pub power: Option<Spread>,
    /// Energy taken, in millijoules: by the card's counter where it has one, else from the power drawn.
    #[serde(default)]
    pub energy_mj: Option<u64>,
    /// The energy is the counter's.
    #[serde(default)]
    pub energy_is_counted: bool,
    /// Highest temperature, in degrees Celsius.
    #[serde(default)]
    pub temperature_max: Option<u32>,
    /// For how long it computed, or a process was there that was not only for a display.
    #[serde(default)]
    pub busy_ms: u32,
    /// For how long it was not well.
    #[serde(default)]
    pub unwell_ms: u32,
    /// Who was on it; at most [`ACCOUNTS_MAX`].
    #[serde(default)]
    pub accounts: Vec<AccountMinute>,
}

/// Samples of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// How many.
    pub n: u32,
    /// All of them together.
    pub sum: u64,
    /// Lowest.
    pub min: u64,
    /// Highest.
    pub max: u64,
}

impl Spread {
    /// One sample.
    #[must_use]
    pub fn of(value: u64) -> Self {
        Self { n: 1, sum: value, min: value, max: value }
    }

    /// With the samples of another one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            n: self.n.saturating_add(other.n),
            sum: self.sum.saturating_add(other.sum),
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// What an account did on a card in a minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountMinute {
    /// Account of the operating system; `None` where nobody knows whose the processes are.
    #[serde(default)]
    pub os_user: Option<String>,
    /// What the processes ran in, where that is not a plain login: [`crate::card::Container::id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// For how long it had a process there.
    pub present_ms: u32,
    /// Most memory held at once, by all its processes together; `None` where that is not known.
    #[serde(default)]
    pub memory_max_mib: Option<Mib>,
    /// Its share of the card's computing, as milliseconds of the whole card; `None` where that is not known.
    #[serde(default)]
    pub compute_ms: Option<u32>,
}

/// What became of the minutes. Whatever is not listed in here is in the database, or was already.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MinutesReply {
    /// What was not taken, and never will be.
    #[serde(default)]
    pub refused: Vec<RefusedMinute>,
}

/// A minute, or one card of it, that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedMinute {
    /// The minute.
    #[serde(with = "time::serde::rfc3339")]
    pub minute: OffsetDateTime,
    /// The card; `None` for the whole minute.
    #[serde(default)]
    pub card: Option<CardUuid>,
    /// Why.
    pub why: Refusal,
}

/// Why a minute was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It is longer ago than agents keep minutes.
    TooOld,
    /// It has not begun, or not ended, by the portal's clock.
    NotYet,
    /// It begins at no whole minute.
    NotAMinute,
    /// The portal does not know the card as one of this host.
    NotYours,
    /// The card comes twice, or a value cannot be.
    Impossible,
    /// The minute came in too many parts.
    TooManyParts,
    /// A reason that this version does not know.
    #[serde(other)]
    Other,
}

impl CardMinute {
    /// A minute in which nothing was seen yet.
    #[must_use]
    pub fn new(card: CardUuid) -> Self {
        Self {
            card,
            watched_ms: 0,
            samples: 0,
            utilisation: None,
            memory: None,
            power: None,
            energy_mj: None,
            energy_is_counted: false,
            temperature_max: None,
            busy_ms: 0,
            unwell_ms: 0,
            accounts: Vec::new(),
        }
    }

    /// Adds another part of the same minute of the same card. The order of parts makes no difference.
    pub fn add(&mut self, other: Self) {
        self.watched_ms = self.watched_ms.saturating_add(other.watched_ms);
        self.samples = self.samples.saturating_add(other.samples);
        self.utilisation = both(self.utilisation, other.utilisation, Spread::and);
        self.memory = both(self.memory, other.memory, Spread::and);
        self.power = both(self.power, other.power, Spread::and);
        // A sum is the counter's only where both halves are.
        self.energy_is_counted = match (self.energy_mj, other.energy_mj) {
            (Some(_), Some(_)) => self.energy_is_counted && other.energy_is_counted,
            (_, None) => self.energy_is_counted,
            (None, _) => other.energy_is_counted,
        };
        self.energy_mj = both(self.energy_mj, other.energy_mj, u64::saturating_add);
        self.temperature_max = self.temperature_max.max(other.temperature_max);
        self.busy_ms = self.busy_ms.saturating_add(other.busy_ms);
        self.unwell_ms = self.unwell_ms.saturating_add(other.unwell_ms);
        for account in other.accounts {
            self.add_account(account);
        }
    }

    /// Adds what an account did.
    pub fn add_account(&mut self, account: AccountMinute) {
        let same =
            |known: &&mut AccountMinute| known.os_user == account.os_user && known.container == account.container;
        match self.accounts.iter_mut().find(same) {
            Some(known) => known.add(&account),
            None => self.accounts.push(account),
        }
    }
}

impl AccountMinute {
    fn add(&mut self, other: &Self) {
        self.present_ms = self.present_ms.saturating_add(other.present_ms);
        self.memory_max_mib = self.memory_max_mib.max(other.memory_max_mib);
        self.compute_ms = both(self.compute_ms, other.compute_ms, u32::saturating_add);
    }
}

fn both<T>(a: Option<T>, b: Option<T>, add: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(add(a, b)),
        (a, b) => a.or(b),
    }
}
