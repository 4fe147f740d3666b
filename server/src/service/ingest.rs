//! Reports of all hosts on their way into the database: collected for a moment, written in one transaction.
//!
//! A commit costs milliseconds whatever is in it, so it is shared. The same transaction reads the tables that the hosts
//! get in return, and the answer goes out after the commit: what a host has been told is written.

use std::sync::Arc;
use std::time::Duration;

use domain::error::{ApiError, ErrorCode};
use domain::id::HostId;
use domain::inventory::Inventory;
use domain::notice::Channel;
use domain::text::en;
use domain::wire::agent_v1::{Account, HostNotice, HostTable, Report, ReportReply};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::auth::AgentHost;
use crate::clock::Clock;
use crate::live::Live;
use crate::service::notices::for_hosts;
use crate::service::{SiteFacts, report_check};
use crate::store::host_table::Held;
use crate::store::reports::Received;
use crate::store::{StoreError, change, host_table, inventory, notices, reports};

/// Longest time for which a report waits for others.
const COLLECT: Duration = Duration::from_millis(50);
/// Most reports in one transaction.
const BATCH: usize = 256;
/// Reports that may wait; beyond that agents are asked to come back.
const QUEUE: usize = 1024;
/// Seconds after which they may.
const FULL_RETRY_SECONDS: u64 = 4;

/// Takes reports in.
#[derive(Clone)]
pub struct Ingest {
    clock: Arc<dyn Clock>,
    live: Live,
    queue: mpsc::Sender<Job>,
}

/// A report that waits to be written.
struct Job {
    host: AgentHost,
    at: OffsetDateTime,
    report: Report,
    inventory: Option<Box<Inventory>>,
    answer: oneshot::Sender<Result<ReportReply, ApiError>>,
}

/// Writes what is taken in. There is one for each [`Ingest`].
pub struct Writer {
    pool: PgPool,
    clock: Arc<dyn Clock>,
    live: Live,
    portal_url: String,
    interval_ms: Option<u32>,
    jobs: mpsc::Receiver<Job>,
}

/// The two ends of the queue. Nothing is written before [`Writer::run`] runs.
#[must_use]
pub fn pair(pool: PgPool, clock: Arc<dyn Clock>, live: Live, site: &SiteFacts) -> (Ingest, Writer) {
    let portal_url = site.portal_url.clone();
    let interval_ms = u32::try_from(site.report_interval.whole_milliseconds()).ok();
    let (queue, jobs) = mpsc::channel(QUEUE);
    let ingest = Ingest { clock: clock.clone(), live: live.clone(), queue };
    (ingest, Writer { pool, clock, live, portal_url, interval_ms, jobs })
}

impl Ingest {
    /// Checks a report, shows it, and answers with the host's table once it is written.
    ///
    /// # Errors
    /// `input.invalid` where the report does not fit; `server.unavailable` where it could not be written, although open
    /// pages have it; `server.busy` where too many wait.
    pub async fn report(&self, host: AgentHost, report: Report) -> Result<ReportReply, ApiError> {
        let at = self.clock.now();
        let mut report = report_check::checked(report, at)?;
        // It is kept apart from the rest, which is written anew every time.
        let inventory = report.inventory.take();
        self.live.report(host.id, &host.name, &mut report, at);
        let (answer, answered) = oneshot::channel();
        self.queue.try_send(Job { host, at, report, inventory, answer }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                ApiError::new(ErrorCode::Busy, en().reports.queue_full).retry_after(FULL_RETRY_SECONDS)
            }
            mpsc::error::TrySendError::Closed(_) => unavailable(),
        })?;
        answered.await.unwrap_or_else(|_| Err(unavailable()))
    }
}

fn unavailable() -> ApiError {
    ApiError::new(ErrorCode::Unavailable, en().errors.unavailable).retry_after(FULL_RETRY_SECONDS)
}

impl Writer {
    /// Writes until `shutdown`, and then what is waiting still.
    pub async fn run(mut self, shutdown: CancellationToken) {
        loop {
            let first = tokio::select! {
                biased;
                job = self.jobs.recv() => job,
                () = shutdown.cancelled() => None,
            };
            let Some(first) = first else { return };
            let mut jobs = vec![first];
            let collected = tokio::time::sleep(COLLECT);
            tokio::pin!(collected);
            while jobs.len() < BATCH {
                tokio::select! {
                    job = self.jobs.recv() => match job {
                        Some(job) => jobs.push(job),
                        None => break,
                    },
                    () = &mut collected => break,
                    () = shutdown.cancelled() => break,
                }
            }
            self.write_and_answer(jobs).await;
        }
    }

    async fn write_and_answer(&self, jobs: Vec<Job>) {
        // Of two reports of one host the later one counts; both get an answer.
        let mut newest: Vec<(AgentHost, Received)> = Vec::with_capacity(jobs.len());
        let mut waiting = Vec::with_capacity(jobs.len());
        for Job { host, at, report, inventory, answer } in jobs {
            waiting.push((host.id, answer));
            let mut received = Received { host: host.id, at, report, inventory };
            match newest.iter_mut().find(|(known, _)| known.id == host.id) {
                Some((_, known)) if known.report.is_newer_than(&received.report) => known.take_inventory(&mut received),
                Some((_, known)) => {
                    received.take_inventory(known);
                    *known = received;
                }
                None => newest.push((host, received)),
            }
        }
        let (hosts, reports): (Vec<AgentHost>, Vec<Received>) = newest.into_iter().unzip();
        let outcome = match self.write(&hosts, &reports).await {
            // One report that the database does not take must not keep the others out.
            Err(error) if !error.is_outage() && reports.len() > 1 => self.write_one_by_one(hosts, reports).await,
            Ok(replies) => replies.into_iter().map(|(host, reply)| (host, Ok(reply))).collect(),
            Err(error) => {
                let refusal = ApiError::from(error);
                hosts.iter().map(|host| (host.id, Err(refusal.clone()))).collect()
            }
        };
        for (host, answer) in waiting {
            let reply = outcome.iter().find(|(known, _)| *known == host).map(|(_, reply)| reply.clone());
            // The agent may have hung up; what it said is written all the same.
            let _ = answer.send(reply.unwrap_or_else(|| Err(unavailable())));
        }
    }

    async fn write_one_by_one(
        &self,
        hosts: Vec<AgentHost>,
        reports: Vec<Received>,
    ) -> Vec<(HostId, Result<ReportReply, ApiError>)> {
        let mut outcome = Vec::with_capacity(hosts.len());
        for (host, received) in hosts.into_iter().zip(reports) {
            let id = host.id;
            let written = self.write(&[host], &[received]).await.map_err(ApiError::from);
            outcome.push((
                id,
                written.and_then(|mut replies| replies.pop().map(|(_, reply)| reply).ok_or_else(unavailable)),
            ));
        }
        outcome
    }

    /// Writes; once more where the database was restarted meanwhile or another transaction was in the way. A report can
    /// be written twice without harm.
    async fn write(&self, hosts: &[AgentHost], reports: &[Received]) -> Result<Vec<(HostId, ReportReply)>, StoreError> {
        match self.try_write(hosts, reports).await {
            Err(error) if error.is_outage() || error.is_retryable() => self.try_write(hosts, reports).await,
            outcome => outcome,
        }
    }

    async fn try_write(
        &self,
        hosts: &[AgentHost],
        reports: &[Received],
    ) -> Result<Vec<(HostId, ReportReply)>, StoreError> {
        let made_at = self.clock.now();
        let ids: Vec<HostId> = hosts.iter().map(|host| host.id).collect();
        let mut tx = self.pool.begin_with("begin; set local lock_timeout = '3s'").await?;
        // What is repeated or late changes nothing, and is answered all the same.
        let fresh = reports::keep(&mut tx, reports).await?;
        let fresh: Vec<&Received> = reports.iter().filter(|received| fresh.contains(&received.host)).collect();
        let cards_changed = reports::update_cards(&mut tx, &fresh).await?;
        let lacking = keep_inventories(&mut tx, &fresh).await?;
        // How cards are linked decides what the finder offers.
        if cards_changed || fresh.iter().any(|received| received.inventory.is_some()) {
            change::note(&mut tx, made_at).await?;
        }
        let accounts = host_table::accounts(&mut tx, &ids).await?;
        let bookings = host_table::bookings(&mut tx, &ids, made_at).await?;
        let readers = notices::on_hosts(&mut tx, &ids, Channel::Host.most(), made_at).await?;
        tx.commit().await?;
        let told = for_hosts(&readers, &self.portal_url, made_at);
        if cards_changed {
            self.live.resync();
        }
        let reply = |host: &AgentHost| ReportReply {
            table: self.table(host, made_at, &accounts, &bookings, &told),
            interval_ms: self.interval_ms,
            want_inventory: lacking.contains(&host.id),
            rotate_credential: false,
        };
        Ok(hosts.iter().map(|host| (host.id, reply(host))).collect())
    }

    fn table(
        &self,
        host: &AgentHost,
        made_at: OffsetDateTime,
        accounts: &[(HostId, Account)],
        bookings: &[(HostId, Held)],
        told: &[(HostId, HostNotice)],
    ) -> HostTable {
        let of_host = |waits| {
            let held = bookings.iter().filter(|(id, held)| *id == host.id && held.waits == waits);
            held.map(|(_, held)| held.booking.clone()).collect()
        };
        HostTable {
            made_at,
            host_name: host.name.clone(),
            portal_url: self.portal_url.clone(),
            accounts: accounts.iter().filter(|(id, _)| *id == host.id).map(|(_, account)| account.clone()).collect(),
            bookings: of_host(false),
            waiting: of_host(true),
            notices: told.iter().filter(|(id, _)| *id == host.id).map(|(_, told)| told.clone()).collect(),
        }
    }
}

/// Keeps what came with the reports; gives the hosts whose present inventory is not here.
async fn keep_inventories(conn: &mut PgConnection, reports: &[&Received]) -> Result<Vec<HostId>, StoreError> {
    let named = || reports.iter().filter_map(|r| r.report.inventory_id.as_deref().map(|id| (*r, id)));
    let come: Vec<_> =
        named().filter_map(|(r, id)| r.inventory.as_deref().map(|inventory| (r.host, id, inventory, r.at))).collect();
    inventory::keep(conn, &come).await?;
    inventory::lacking(conn, &named().map(|(r, id)| (r.host, id)).collect::<Vec<_>>()).await
}
