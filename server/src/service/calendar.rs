//! The calendar of a stretch of time, as one viewer sees it: everybody who is signed in may see all of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::calendar::{links, wants};
use domain::card::short_model;
use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, HostId, ReservationId};
use domain::reservation::{State, state};
use domain::text::en;
use domain::user::Act;
use domain::wire::calendar::{
    Calendar, CalendarAsk, CalendarBooking, CalendarCard, CalendarHost, Closure, Hold, SPAN_MAX_DAYS,
};
use domain::wire::page::Viewer;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use super::reservations::may_change;
use super::waiting;
use crate::clock::Clock;
use crate::live::Live;
use crate::store::calendar::{self as store, CardRow, Head, HoldRow, HostRow};
use crate::store::rules::shown_to_person;
use crate::store::waiting::{Waiter, in_order};
use crate::store::{StoreError, change};

/// Sets of linked cards of a host, under its agent's name for its inventory.
type Links = HashMap<HostId, (String, Vec<(Vec<CardUuid>, String)>)>;

/// Reads the calendar.
#[derive(Clone)]
pub struct CalendarReader {
    pool: PgPool,
    clock: Arc<dyn Clock>,
    live: Live,
    /// Worked out again where a host has another inventory; can be thrown away.
    links: Arc<Mutex<Links>>,
}

impl CalendarReader {
    /// Over a database and what hosts say of themselves now.
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>, live: Live) -> Self {
        Self { pool, clock, live, links: Arc::default() }
    }

    /// The calendar of a viewer.
    ///
    /// # Errors
    /// `request.malformed` where the span is empty or too long, `server.unavailable`.
    pub async fn read(&self, viewer: &Viewer, span: CalendarAsk) -> Result<Calendar, ApiError> {
        if span.to <= span.from || span.to - span.from > Duration::days(SPAN_MAX_DAYS) {
            return Err(ApiError::new(ErrorCode::Malformed, en().errors.malformed));
        }
        let now = self.clock.now();
        let pool = &self.pool;
        // The version first: what is changed while the rest is read makes it look older than it is, never newer.
        let version = change::version(pool).await?;
        let (hosts, cards, heads, holds) = tokio::try_join!(
            store::hosts(pool),
            store::cards(pool, &span),
            store::heads(pool, &span, viewer.id),
            store::holds(pool, &span),
        )?;
        let (mut closures, waiting, rules, groups) = tokio::try_join!(
            store::maintenance(pool, &span),
            waiting_in_order(pool, now),
            shown_to_person(pool, viewer.id),
            store::groups(pool, viewer.id),
        )?;
        let shut = |card: &CardRow| {
            let reason = card.not_bookable.clone()?;
            Some(Closure { maintenance: None, reason, window: None, cards: vec![card.uuid.clone()] })
        };
        closures.splice(0..0, cards.iter().filter_map(shut));
        let links = self.links(&hosts).await?;
        let titles = self.titles(now);
        let hosts = rows(hosts, cards, &links, &titles);
        let bookings = bookings(viewer, heads, holds, &hosts, &waiting, now);
        Ok(Calendar {
            span,
            now,
            version: version.to_string(),
            hosts,
            bookings,
            closures,
            waiting: waiting::places(viewer.id, &waiting),
            rules,
            groups,
        })
    }

    async fn links(&self, hosts: &[HostRow]) -> Result<HashMap<HostId, Vec<(Vec<CardUuid>, String)>>, StoreError> {
        let of = |host: &HostRow| host.inventory_id.clone().unwrap_or_default();
        let lacking: Vec<HostId> = {
            let known = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            let old = |host: &&HostRow| known.get(&HostId(host.host_id)).is_none_or(|(id, _)| *id != of(host));
            hosts.iter().filter(old).map(|host| HostId(host.host_id)).collect()
        };
        let mut found = HashMap::new();
        if !lacking.is_empty() {
            for (host, topology) in store::topologies(&self.pool, &lacking).await? {
                found.insert(host, links::sets(&topology));
            }
        }
        let mut known = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        for host in hosts.iter().filter(|host| lacking.contains(&HostId(host.host_id))) {
            let id = HostId(host.host_id);
            known.insert(id, (of(host), found.remove(&id).unwrap_or_default()));
        }
        known.retain(|id, _| hosts.iter().any(|host| host.host_id == id.0));
        Ok(known.iter().map(|(id, (_, sets))| (*id, sets.clone())).collect())
    }

    /// What cards are called; the profile of an instance is known from reports alone.
    fn titles(&self, now: OffsetDateTime) -> HashMap<CardUuid, String> {
        let cards = self.live.hosts(now).1.into_iter().flat_map(|host| host.cards);
        cards.map(|card| (card.facts.uuid.clone(), card.facts.title())).collect()
    }
}

fn rows(
    hosts: Vec<HostRow>,
    cards: Vec<CardRow>,
    links: &HashMap<HostId, Vec<(Vec<CardUuid>, String)>>,
    titles: &HashMap<CardUuid, String>,
) -> Vec<CalendarHost> {
    let mut of_host: HashMap<HostId, Vec<CalendarCard>> = HashMap::new();
    for card in cards {
        let model = titles.get(&card.uuid).cloned().unwrap_or_else(|| short_model(&card.name).to_owned());
        of_host.entry(card.host).or_default().push(CalendarCard {
            uuid: card.uuid,
            number: card.number,
            model,
            memory_mib: card.memory_mib,
            labels: card.labels,
            shares: card.shares,
            share_memory_mib: card.share_memory_mib,
        });
    }
    let host = |row: HostRow| {
        let id = HostId(row.host_id);
        let cards = of_host.remove(&id).unwrap_or_default();
        let place = |uuid: &CardUuid| u16::try_from(cards.iter().position(|card| card.uuid == *uuid)?).ok();
        let sets = links.get(&id).into_iter().flatten().filter_map(|(set, word)| {
            let places: Vec<u16> = set.iter().filter_map(place).collect();
            (places.len() > 1).then(|| (places, word.clone()))
        });
        CalendarHost { id, name: row.name, labels: row.labels, linked: sets.collect(), cards }
    };
    hosts.into_iter().map(host).collect()
}

fn bookings(
    viewer: &Viewer,
    heads: Vec<Head>,
    rows: Vec<HoldRow>,
    hosts: &[CalendarHost],
    waiting: &[Waiter],
    now: OffsetDateTime,
) -> Vec<CalendarBooking> {
    let mut holds: HashMap<ReservationId, Vec<HoldRow>> = HashMap::with_capacity(heads.len());
    for row in rows {
        holds.entry(row.reservation).or_default().push(row);
    }
    let admin = viewer.role.may(Act::ChangeAnyBooking);
    let booking = |head: Head| {
        let held = holds.remove(&head.id)?;
        let hold = |row: HoldRow| Hold {
            card: row.card,
            shares: row.shares,
            window: (row.window != head.window).then_some(row.window),
        };
        let state = state(&head.window, head.awaits, head.fate, now);
        let mut booking = CalendarBooking {
            id: head.id,
            version: head.version,
            owner: head.owner,
            holder: head.holder,
            hue: head.hue,
            purpose: head.purpose,
            state,
            window: head.window,
            holds: held.into_iter().map(hold).collect(),
            repeats: head.repeats,
            waiting: 0,
            co_user: head.co_user,
            may_change: state.is_open() && may_change(viewer, head.owner),
            may_approve: state == State::Awaiting && (admin || head.managed),
        };
        if state.is_open() && !waiting.is_empty() {
            let waits = waiting.iter().filter(|wait| wait.who.id != booking.owner);
            let count = waits.filter(|wait| wants::concerns(&wait.want, &booking, hosts)).count();
            booking.waiting = u32::try_from(count).unwrap_or(u32::MAX);
        }
        Some(booking)
    };
    heads.into_iter().filter_map(booking).collect()
}

/// Everybody who waits, in the order in which they are served.
async fn waiting_in_order(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<Waiter>, StoreError> {
    let mut conn = pool.acquire().await?;
    in_order(&mut conn, now).await
}
