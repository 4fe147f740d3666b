//! Fills the view from the database at start, and keeps it in step with what other replicas write: by looking, every
//! second and whenever somebody says that something has changed.

use std::time::Duration;

use domain::id::HostId;
use sqlx::PgPool;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::Live;
use super::host::Host;
use crate::error::chain;
use crate::store::reports::{GoneCard, KnownHost, StoredReport};
use crate::store::{StoreError, change, host_table, reports};

/// How long a look that somebody asked for waits for more of the same. Less than [`super::feed`] collects for, so that
/// what it finds goes out together with what was told.
const STIRRED: Duration = Duration::from_millis(20);
/// Every so many looks the accounts are read even where nothing was noted.
const ACCOUNTS_EVERY: u32 = 5;
/// Changes are remembered this long; every replica has looked many times by then.
const CHANGES_KEPT: time::Duration = time::Duration::hours(1);
/// How many looks lie between two clean-ups.
const PRUNE_EVERY: u32 = 1800;

impl Live {
    /// Looks into the database every `every`, and in between when it is said to have changed, until `shutdown`.
    pub async fn watch(self, pool: PgPool, every: Duration, shutdown: CancellationToken) {
        let mut looks = 0_u32;
        let mut version = None;
        let mut away = false;
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let looked = tokio::select! {
                biased;
                () = shutdown.cancelled() => return,
                _ = ticks.tick() => {
                    looks = looks.wrapping_add(1);
                    self.look(&pool, &mut version, looks - 1).await
                }
                () = self.stirred() => self.look_for_changes(&pool, &mut version, false).await,
            };
            match looked {
                Ok(()) => away = false,
                Err(error) if !away => {
                    away = true;
                    tracing::warn!(cause = %chain(&error), "the live view cannot look into the database; it goes on trying");
                }
                Err(_) => {}
            }
        }
    }

    /// Waits until the database is said to have changed, and for what else changes in the same moment.
    async fn stirred(&self) {
        self.inner.stirred.notified().await;
        tokio::time::sleep(STIRRED).await;
    }

    /// One look. Public for the start of the server, which shows nothing before the first one.
    ///
    /// # Errors
    /// [`StoreError`] where the database does not answer.
    pub async fn load(&self, pool: &PgPool) -> Result<(), StoreError> {
        self.look(pool, &mut None, 0).await
    }

    async fn look(&self, pool: &PgPool, seen: &mut Option<change::Version>, looks: u32) -> Result<(), StoreError> {
        let behind = self.compare(reports::hosts(pool).await?);
        if !behind.is_empty() {
            let stored = reports::last(pool, &behind).await?;
            let gone = reports::gone_cards(pool, &behind).await?;
            self.catch_up(stored, gone);
        }
        self.look_for_changes(pool, seen, looks.is_multiple_of(ACCOUNTS_EVERY)).await?;
        if looks % PRUNE_EVERY == PRUNE_EVERY - 1 {
            change::prune(pool, self.inner.clock.now() - CHANGES_KEPT).await?;
            *seen = Some(change::version(pool).await?);
        }
        Ok(())
    }

    /// Only whether anything was noted since.
    async fn look_for_changes(
        &self,
        pool: &PgPool,
        seen: &mut Option<change::Version>,
        accounts: bool,
    ) -> Result<(), StoreError> {
        let version = change::version(pool).await?;
        let changed = *seen != Some(version);
        if changed || accounts {
            self.set_people(host_table::mappings(pool).await?);
        }
        if changed {
            if seen.is_some() {
                self.state().resync = true;
                self.inner.news.notify_one();
            }
            *seen = Some(version);
        }
        Ok(())
    }

    /// Adds and removes hosts as the database has them; gives those whose last report came in elsewhere.
    fn compare(&self, known: Vec<KnownHost>) -> Vec<HostId> {
        let mut state = self.state();
        let before = state.hosts.len();
        state.hosts.retain(|id, _| known.iter().any(|host| host.id == *id));
        let mut differs = state.hosts.len() != before;
        let mut behind = Vec::new();
        for KnownHost { id, name, last_report } in known {
            let host = state.hosts.entry(id).or_insert_with(|| {
                differs = true;
                Host::new(id, name.clone(), self.inner.beat)
            });
            if host.name != name {
                host.name = name;
                differs = true;
            }
            if last_report > host.last_report() {
                behind.push(id);
            }
        }
        state.resync |= differs;
        drop(state);
        if differs {
            self.inner.news.notify_one();
        }
        behind
    }

    fn catch_up(&self, stored: Vec<StoredReport>, gone: Vec<(HostId, GoneCard)>) {
        for StoredReport { host, at, mut report } in stored {
            let name = self.state().hosts.get(&host).map(|host| host.name.clone());
            if let Some(name) = name {
                self.report(host, &name, &mut report, at);
            }
        }
        let mut state = self.state();
        for (host, card) in gone {
            if let Some(host) = state.hosts.get_mut(&host) {
                host.add_gone(card);
            }
        }
    }
}
