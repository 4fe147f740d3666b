//! What hosts do now, kept in memory and streamed to open pages.
//!
//! This is a cache: a restarted server fills it from the last reports in the database, and shows them with their age.
//! Reports go in here at once; [`feed`] collects what has changed, numbers it and hands it to every open page. Bookings
//! are not in here: a change of them is a request to fetch the fleet anew. Of what another server on the same database
//! does, [`courier`] hears at once, and [`watch`] within a second even where nothing was heard.

mod courier;
mod feed;
mod host;
mod people;
mod spark;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::host::{BEAT, SILENT_AFTER};
use domain::id::{CardUuid, HostId};
use domain::wire::agent_v1::Report;
use domain::wire::live_v1::{CardTruth, HostView, Live as LiveEvent};
use domain::wire::page::HostTold;
use time::{Duration, OffsetDateTime};
use tokio::sync::{Notify, broadcast};

use crate::clock::Clock;
use crate::store::host_table::Mapping;
use crate::store::reports::CARD_HELD;
use host::{Change, Host};
use people::People;

/// Events kept for a reader that falls behind; one who falls further is told to fetch the fleet anew.
const BACKLOG: usize = 64;

/// How often the database is asked whether something has changed.
pub const LOOK: Duration = Duration::SECOND;

const _: () = assert!(CARD_HELD.whole_seconds() > SILENT_AFTER.whole_seconds());

/// The live view of all hosts.
#[derive(Clone)]
pub struct Live {
    inner: Arc<Inner>,
}

struct Inner {
    clock: Arc<dyn Clock>,
    /// How often agents are asked to report.
    beat: Duration,
    state: Mutex<State>,
    sender: broadcast::Sender<Event>,
    /// Something waits to be sent.
    news: Notify,
    /// The database has changed: it is looked into at once.
    stirred: Notify,
    /// Other servers are to hear of a change.
    to_tell: Notify,
}

#[derive(Default)]
struct State {
    /// Number of the last event.
    seq: u64,
    hosts: BTreeMap<HostId, Host>,
    /// Hosts with news that has not been sent.
    dirty: BTreeSet<HostId>,
    /// Pages are to fetch the fleet anew.
    resync: bool,
    people: Arc<People>,
}

/// What an open page receives.
#[derive(Clone, Debug)]
pub enum Event {
    /// News of some hosts, serialised once for all readers.
    Hosts {
        /// Number.
        seq: u64,
        /// A [`domain::wire::live_v1::Live`] as JSON.
        json: Arc<str>,
    },
    /// Fetch the fleet anew.
    Resync {
        /// Number.
        seq: u64,
    },
}

impl Live {
    /// An empty view. Nothing is sent before [`Live::feed`] runs.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::with_beat(clock, BEAT)
    }

    /// Likewise, of agents that are asked to report at this interval.
    #[must_use]
    pub fn with_beat(clock: Arc<dyn Clock>, beat: Duration) -> Self {
        let (sender, _) = broadcast::channel(BACKLOG);
        // From the clock, so that a page that outlives a restart meets higher numbers than it has: it sees a gap.
        let seq = u64::try_from(clock.now().unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
        let state = Mutex::new(State { seq, ..State::default() });
        let (news, stirred, to_tell) = (Notify::new(), Notify::new(), Notify::new());
        Self { inner: Arc::new(Inner { clock, beat, state, sender, news, stirred, to_tell }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing between two changes of the state can panic halfway, so a poisoned one is whole.
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a report of a host, and strikes out cards that are another host's: one that has reported them within
    /// [`CARD_HELD`].
    pub fn report(&self, id: HostId, name: &str, report: &mut Report, at: OffsetDateTime) {
        let mut guard = self.state();
        let state = &mut *guard;
        let mut refused = BTreeSet::new();
        report.cards.retain(|card| {
            let holder = state.hosts.iter_mut().find(|(other, host)| **other != id && host.reports(&card.facts.uuid));
            let Some((_, holder)) = holder else { return true };
            let taken_over = holder.last_report().is_none_or(|last| at - last >= CARD_HELD);
            if taken_over {
                holder.give_up(&card.facts.uuid);
                state.resync = true;
            } else {
                refused.insert(card.facts.uuid.clone());
            }
            taken_over
        });
        let host = state.hosts.entry(id).or_insert_with(|| Host::new(id, name.to_owned(), self.inner.beat));
        for card in refused.difference(&host.refused) {
            tracing::warn!(host = %name, card = %card, "a card was reported that another host has; it is ignored");
        }
        host.refused = refused;
        match host.take(report, at) {
            Change::Nothing => return,
            Change::Values => {}
            Change::Shape => state.resync = true,
        }
        state.dirty.insert(id);
        drop(guard);
        self.inner.news.notify_one();
    }

    /// This server has changed bookings, hosts or cards, and the change is committed: asks every open page to fetch
    /// the fleet anew, those of other servers on this database as well.
    pub fn resync(&self) {
        self.fetch_anew();
        self.inner.to_tell.notify_one();
    }

    /// Asks the open pages of this server to fetch the fleet anew. The database is looked into at once, so that what
    /// has just been told is not found, and told again, a second later.
    fn fetch_anew(&self) {
        self.state().resync = true;
        self.inner.news.notify_one();
        self.inner.stirred.notify_one();
    }

    /// Says whose OS accounts are. Pages learn of a change with the next event.
    pub fn set_people(&self, mappings: Vec<Mapping>) {
        let people = People::new(mappings);
        let mut state = self.state();
        if *state.people == people {
            return;
        }
        state.people = Arc::new(people);
        let all: Vec<HostId> = state.hosts.keys().copied().collect();
        state.dirty.extend(all);
        drop(state);
        self.inner.news.notify_one();
    }

    /// All hosts by name, without bookings, and the number of the last event whose content is in them.
    #[must_use]
    pub fn hosts(&self, now: OffsetDateTime) -> (u64, Vec<HostView>) {
        let state = self.state();
        let mut views: Vec<HostView> = state.hosts.values().map(|host| host.view(&state.people, now)).collect();
        views.sort_by(|a, b| a.name.cmp(&b.name).then(a.id.cmp(&b.id)));
        (state.seq, views)
    }

    /// One host by its name, without bookings, and what only its own page shows, without its inventory.
    #[must_use]
    pub fn host(&self, name: &str, now: OffsetDateTime) -> Option<(HostView, HostTold)> {
        let state = self.state();
        let host = state.hosts.values().find(|host| host.name == name)?;
        Some((host.view(&state.people, now), host.told(now)))
    }

    /// What every card does now, by card.
    #[must_use]
    pub fn truths(&self, now: OffsetDateTime) -> HashMap<CardUuid, CardTruth> {
        let state = self.state();
        state.hosts.values().flat_map(|host| host.news(&state.people, now).cards).collect()
    }

    /// Everything that comes from now on, after one event with the news of all hosts: whoever has a fleet from a moment
    /// ago is up to date with it.
    #[must_use]
    pub fn subscribe(&self) -> (Event, broadcast::Receiver<Event>) {
        let now = self.inner.clock.now();
        let state = self.state();
        let events = self.inner.sender.subscribe();
        let hosts = state.hosts.values().map(|host| host.news(&state.people, now)).collect();
        let first = LiveEvent { seq: state.seq, now, hosts };
        drop(state);
        (feed::event(&first), events)
    }

    /// The host that has this card now.
    #[cfg(test)]
    fn holder(&self, card: &CardUuid) -> Option<HostId> {
        self.state().hosts.iter().find(|(_, host)| host.reports(card)).map(|(id, _)| *id)
    }
}

#[cfg(test)]
mod tests;
