//! Rules and transactions. A service takes an actor and a typed command; no axum or leptos type appears here.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use domain::host::BEAT;
use sqlx::PgPool;
use time::Duration;
use tokio_util::sync::CancellationToken;

use crate::auth::password::Passwords;
use crate::clock::Clock;
use crate::error::chain;
use crate::job::{lapse, prune_people, serve_waiting, watch};
use crate::live::{LOOK, Live};
use crate::zone;
use booking_list::BookingList;
use calendar::CalendarReader;
use finder::Finder;
use ingest::{Ingest, Writer};
use known_agents::KnownAgents;
use program::AgentProgram;
use reservations::Reservations;
use traces::TraceReader;

pub mod account_error;
pub mod accounts;
pub mod attempts;
pub mod booking_list;
pub mod calendar;
pub mod card_check;
pub mod common_passwords;
pub mod demo;
pub mod finder;
pub mod fleet;
pub mod groups;
pub mod host_bookings;
pub mod host_page;
pub mod hosts;
pub mod ingest;
pub mod inventory_check;
pub mod known_agents;
pub mod labels;
pub mod links;
pub mod minutes;
pub mod minutes_check;
pub mod new_account;
pub mod notices;
pub mod program;
pub mod report_check;
pub mod reservations;
pub mod rules;
pub mod setup;
pub mod traces;
pub mod upkeep;
pub mod waiting;

/// Everything that a request handler can call.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub pool: PgPool,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// What the operator decided, as far as people or agents are told.
    pub site: SiteFacts,
    /// Hashing, bounded.
    pub passwords: Passwords,
    /// Becomes true when an administrator exists, and stays so: asked for on every page.
    pub is_set_up: Arc<AtomicBool>,
    /// What hosts do now.
    pub live: Live,
    /// Takes in what hosts report.
    pub ingest: Ingest,
    /// Credentials that were right when the database was last asked.
    pub known_agents: KnownAgents,
    /// What new hosts download.
    pub program: AgentProgram,
    /// The other end of [`Services::ingest`], until it runs.
    pub(crate) writer: Arc<Mutex<Option<Writer>>>,
    /// Books and gives back.
    pub reservations: Reservations,
    /// Looks for cards.
    pub finder: Finder,
    /// Reads bookings.
    pub booking_list: BookingList,
    /// Reads the calendar.
    pub calendar: CalendarReader,
    /// Reads what cards did.
    pub traces: TraceReader,
    /// Cancelled when the portal stops: streams must end by then.
    pub shutdown: CancellationToken,
}

/// What the operator decided, as far as people or agents are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFacts {
    /// Address of the portal, without a slash at the end.
    pub portal_url: String,
    /// Plain HTTP beyond loopback.
    pub insecure_http: bool,
    /// How often agents are asked to report.
    pub report_interval: Duration,
    /// Length of a recorded minute; another one only in tests.
    pub minute: Duration,
    /// How often the database is asked what other servers have written; another one only in tests.
    pub look: Duration,
}

impl SiteFacts {
    /// A portal at this address, and the usual in everything else.
    #[must_use]
    pub fn at(portal_url: impl Into<String>) -> Self {
        Self {
            portal_url: portal_url.into(),
            insecure_http: false,
            report_interval: BEAT,
            minute: Duration::MINUTE,
            look: LOOK,
        }
    }
}

impl Services {
    /// Over a database. What runs beside requests begins with [`Services::started`].
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>, site: SiteFacts) -> Self {
        let live = Live::with_beat(clock.clone(), site.report_interval);
        let (ingest, writer) = ingest::pair(pool.clone(), clock.clone(), live.clone(), &site);
        let reservations = Reservations::new(pool.clone(), clock.clone(), live.clone(), zone::table);
        Self {
            finder: reservations.finder(),
            reservations,
            booking_list: BookingList::new(pool.clone(), clock.clone()),
            calendar: CalendarReader::new(pool.clone(), clock.clone(), live.clone()),
            traces: TraceReader::new(pool.clone(), clock.clone()),
            live,
            ingest,
            known_agents: KnownAgents::default(),
            program: AgentProgram::default(),
            writer: Arc::new(Mutex::new(Some(writer))),
            pool,
            clock,
            site,
            passwords: Passwords::default(),
            is_set_up: Arc::default(),
            shutdown: CancellationToken::new(),
        }
    }

    /// The database has been migrated: shows hosts as they were, and starts what keeps in step from now on, until
    /// [`Services::shutdown`].
    pub async fn started(&self) {
        if let Err(error) = self.live.load(&self.pool).await {
            tracing::warn!(cause = %chain(&error), "hosts cannot be shown as they were yet");
        }
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            tokio::spawn(writer.run(self.shutdown.clone()));
            tokio::spawn(self.live.clone().feed(self.shutdown.clone()));
            let look = self.site.look.unsigned_abs();
            tokio::spawn(self.live.clone().watch(self.pool.clone(), look, self.shutdown.clone()));
            tokio::spawn(self.live.clone().correspond(self.pool.clone(), self.shutdown.clone()));
            tokio::spawn(prune_people::run(self.clone(), self.shutdown.clone()));
            tokio::spawn(lapse::run(self.clone(), self.shutdown.clone()));
            tokio::spawn(watch::run(self.clone(), self.shutdown.clone()));
            tokio::spawn(serve_waiting::run(self.clone(), self.shutdown.clone()));
        }
    }
}
