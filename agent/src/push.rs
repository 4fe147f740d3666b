//! Tells the portal about the cards on every beat, and takes the bookings that come back.
//!
//! The latest sample wins: what could not be sent is never sent later, as a live value that is old is no live value.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::error::ErrorCode;
use domain::inventory::Inventory;
use domain::wire::agent_v1::{HostTable, INTERVAL_MAX_MS, INTERVAL_MIN_MS, Report};

use time::OffsetDateTime;

use crate::backoff::{Backoff, random};
use crate::clock::{Stamp, since_boot};
use crate::host::{self, CpuMeter};
use crate::log;
use crate::minutes::Bell;
use crate::nvml::{Latest, Sampler, Snapshot};
use crate::portal::PortalError;
use crate::state::StateDir;
use crate::table::{KnownTable, Tables};
use crate::uplink::Uplink;

/// A table that says the same is written to disk this seldom; its age after a restart is too high by that at most.
const KEEP_EVERY: Duration = Duration::from_secs(120);
/// A wall clock that is further off is worth a line in the log.
const CLOCK_OFF: time::Duration = time::Duration::seconds(10);

/// The portal's own wish is heard up to here.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// Sends beats.
pub struct Pusher {
    uplink: Arc<Uplink>,
    tables: Arc<Tables>,
    keeper: Keeper,
    pace: Pace,
    bell: Arc<Bell>,
    stock: Stock,
    boot_id: String,
    seq: u64,
    cpu: CpuMeter,
    backoff: Backoff,
    not_before: Option<Instant>,
    /// The last thing said about failures; the same is not said twice in a row.
    said: Option<String>,
    /// The portal knows this host no longer; only a new enrolment helps.
    refused: bool,
    greeted: bool,
    clock_told: bool,
}

impl Pusher {
    /// Begins with no beat sent.
    #[must_use]
    pub fn new(uplink: Arc<Uplink>, tables: Arc<Tables>, state: StateDir, pace: Pace, bell: Arc<Bell>) -> Self {
        let boot_id = host::boot_id();
        Self {
            uplink,
            tables,
            pace,
            bell,
            stock: Stock::default(),
            keeper: Keeper { state, last: None, said: false },
            boot_id,
            seq: 0,
            cpu: CpuMeter::default(),
            backoff: Backoff::default(),
            not_before: None,
            said: None,
            refused: false,
            greeted: false,
            clock_told: false,
        }
    }

    /// Sends the newest values, unless an earlier failure still asks for patience.
    pub fn beat(&mut self, latest: &Latest) {
        // Measured on every beat, so that the share is that of one beat.
        let cpu_percent = self.cpu.percent();
        if self.uplink.refresh() {
            log::info("the host has got another credential", &[]);
            self.not_before = None;
        }
        if self.not_before.is_some_and(|at| Instant::now() < at) {
            return;
        }
        let connection = self.uplink.get();
        let snapshot = &latest.snapshot;
        let (memory_total_mib, memory_used_mib) = host::memory();
        let report = Report {
            inventory_id: snapshot.inventory_id.clone(),
            inventory: self.stock.to_send(snapshot),
            agent_version: env!("CARGO_PKG_VERSION").to_owned(),
            boot_id: self.boot_id.clone(),
            seq: self.next_seq(),
            sampled_at: latest.sampled_at,
            sent_at: Some(OffsetDateTime::now_utc()),
            nvml: snapshot.nvml.clone(),
            driver_version: snapshot.driver_version.clone(),
            cuda_version: snapshot.cuda_version.clone(),
            cpu_percent,
            memory_total_mib,
            memory_used_mib,
            cards: snapshot.cards.clone(),
        };
        match connection.portal.report(&connection.credential, &report) {
            Ok(reply) => {
                self.stock.taken(&report, reply.want_inventory);
                self.pace.heed(reply.interval_ms);
                self.take(reply.table, connection.portal.address());
                self.bell.ring();
                self.uplink.renew_if_due(reply.rotate_credential);
            }
            Err(error) => {
                self.stock.not_taken(&report, &error);
                self.fail(&error, connection.portal.address());
            }
        }
    }

    /// Counts up, also over a restart within one boot: the portal takes a lower number for a repeat.
    fn next_seq(&mut self) -> u64 {
        let since_boot = u64::try_from(since_boot().as_millis()).unwrap_or(0);
        self.seq = since_boot.max(self.seq + 1);
        self.seq
    }

    fn take(&mut self, table: HostTable, portal: &dyn Display) {
        if self.said.take().is_some() || !self.greeted {
            log::info("the portal takes the reports", &[("portal", portal), ("failures", &self.backoff.failures())]);
            self.greeted = true;
        }
        self.backoff.reset();
        self.refused = false;
        self.not_before = None;
        let known = KnownTable { table, received: Stamp::now(&self.boot_id) };
        self.tell_clock(&known);
        self.keeper.keep(&known);
        self.tables.put(known);
    }

    fn fail(&mut self, error: &PortalError, portal: &dyn Display) {
        self.refused = error.is_unknown_agent();
        self.uplink.after_refusal(error);
        let jitter = random();
        let wait = if self.refused { self.backoff.after_refusal(jitter) } else { self.backoff.after_failure(jitter) };
        let wait = wait.max(error.retry_after().min(RETRY_AFTER_MAX));
        self.not_before = Some(Instant::now() + wait);
        let text = error.to_string();
        if self.said.as_ref() == Some(&text) {
            return;
        }
        if self.refused {
            log::warn(
                "the portal does not know this host any more; enrol it anew with `sudo berth enrol URL`; launches are \
                 still guarded with the bookings known here",
                &[("portal", portal), ("error", &text)],
            );
        } else {
            log::warn("the portal does not take the report", &[("portal", portal), ("error", &text)]);
        }
        self.said = Some(text);
    }

    fn tell_clock(&mut self, known: &KnownTable) {
        let ahead = known.clock_ahead();
        let off = ahead.abs() > CLOCK_OFF;
        if off && !self.clock_told {
            log::warn(
                "this host's clock differs from the portal's; bookings follow the portal's",
                &[("ahead_s", &ahead.whole_seconds())],
            );
        }
        self.clock_told = off;
    }
}

/// How often the cards are read and reported: as the portal asks, where nobody on this host has said otherwise.
pub struct Pace {
    /// Reads the cards.
    pub sampler: Arc<Sampler>,
    /// Somebody on this host has said how often.
    pub is_fixed: bool,
}

impl Pace {
    fn heed(&self, asked_ms: Option<u32>) {
        let Some(asked) = asked_ms.filter(|_| !self.is_fixed) else { return };
        let asked = Duration::from_millis(asked.clamp(INTERVAL_MIN_MS, INTERVAL_MAX_MS).into());
        if asked != self.sampler.interval() {
            log::info("the portal sets the time between reports", &[("ms", &asked.as_millis())]);
            self.sampler.set_interval(asked);
        }
    }
}

/// Which inventory the portal has.
#[derive(Default)]
struct Stock {
    there: Option<String>,
    /// One that it does not take; asking for it again changes nothing.
    refused: Option<String>,
}

impl Stock {
    fn to_send(&self, snapshot: &Snapshot) -> Option<Box<Inventory>> {
        let is_news = snapshot.inventory_id != self.there && snapshot.inventory_id != self.refused;
        snapshot.inventory.as_deref().filter(|_| is_news).cloned().map(Box::new)
    }

    fn taken(&mut self, report: &Report, wanted: bool) {
        if wanted {
            self.there = None;
        } else if report.inventory.is_some() {
            self.there.clone_from(&report.inventory_id);
        }
    }

    /// Reports must go on without an inventory that is too large or not understood.
    fn not_taken(&mut self, report: &Report, error: &PortalError) {
        let about_content = [ErrorCode::TooLarge, ErrorCode::BadInput, ErrorCode::Malformed];
        if let PortalError::Refused { code: Some(code), .. } = error
            && about_content.contains(code)
            && report.inventory.is_some()
        {
            self.refused.clone_from(&report.inventory_id);
        }
    }
}

/// Writes tables to disk, seldom.
struct Keeper {
    state: StateDir,
    last: Option<(KnownTable, Instant)>,
    said: bool,
}

impl Keeper {
    fn keep(&mut self, known: &KnownTable) {
        let fresh = |(kept, at): &(KnownTable, Instant)| kept.says_the_same(&known.table) && at.elapsed() < KEEP_EVERY;
        if self.last.as_ref().is_some_and(fresh) {
            return;
        }
        match self.state.keep_table(known) {
            Ok(()) => {
                self.last = Some((known.clone(), Instant::now()));
                self.said = false;
            }
            Err(error) if !self.said => {
                log::warn("the bookings cannot be kept for a restart", &[("error", &error)]);
                self.said = true;
            }
            Err(_) => {}
        }
    }
}
