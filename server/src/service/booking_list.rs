//! Bookings as pages show them: everybody who is signed in may see all of them.

use std::collections::HashMap;
use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::id::{HostId, ReservationId, UserId};
use domain::launch::HostFacts;
use domain::reservation::{State, state};
use domain::text::en;
use domain::user::Act;
use domain::wire::deed::{Deed, Done};
use domain::wire::page::{BookedCard, Booking, BookingPage, Bookings, Occurrence, Person, Viewer};
use sqlx::PgPool;
use time::OffsetDateTime;

use super::reservations::may_change;
use crate::clock::Clock;
use crate::store::booking_history::{self, DeedRow, Recorded};
use crate::store::booking_list::{self as store, Head};
use crate::store::{booking_people, inventory, moved_cards};

/// Reads bookings.
#[derive(Clone)]
pub struct BookingList {
    pool: PgPool,
    clock: Arc<dyn Clock>,
}

impl BookingList {
    /// Over a database.
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>) -> Self {
        Self { pool, clock }
    }

    /// The lists of a viewer.
    ///
    /// # Errors
    /// `server.unavailable`.
    pub async fn all(&self, viewer: &Viewer) -> Result<Bookings, ApiError> {
        let now = self.clock.now();
        let mut heads = store::current(&self.pool, now).await?;
        let past = store::past(&self.pool, viewer.id, now).await?;
        let current = heads.len();
        heads.extend(past);
        let mut bookings = self.complete(viewer, heads, now).await?;
        let past = bookings.split_off(current);
        let (mine, others) = bookings.into_iter().partition(|booking| {
            booking.owner == viewer.id || booking.co_users.iter().any(|person| person.id == viewer.id)
        });
        Ok(Bookings { mine, others, past })
    }

    /// One booking's page.
    ///
    /// # Errors
    /// `not_found`, `server.unavailable`.
    pub async fn one(&self, viewer: &Viewer, id: ReservationId) -> Result<BookingPage, ApiError> {
        let unknown = || ApiError::new(ErrorCode::NotFound, en().reservation.unknown);
        let now = self.clock.now();
        let head = store::one(&self.pool, id).await?.ok_or_else(unknown)?;
        let booking = self.complete(viewer, vec![head], now).await?.pop().ok_or_else(unknown)?;
        let mut hosts: Vec<HostId> = booking.cards.iter().map(|card| card.host).collect();
        hosts.sort();
        hosts.dedup();
        let accounts = store::accounts_on(&self.pool, viewer.id, &hosts).await?;
        let mut facts = Vec::new();
        for host in hosts.iter().filter(|_| booking.state.is_open()) {
            facts.extend(
                inventory::of_host(&self.pool, *host).await?.map(|known| (*host, HostFacts::of(&known.inventory))),
            );
        }
        let wanted_next = if booking.state.is_open() { store::wanted_next(&self.pool, id).await? } else { Vec::new() };
        let moved = moved_cards::of_booking(&self.pool, id).await?;
        let history = booking_history::deeds(&self.pool, id).await?.into_iter().map(deed).collect();
        let series = match booking.series {
            Some(series) => store::of_series(&self.pool, series).await?,
            None => Vec::new(),
        };
        let occurrence = |head: Head| Occurrence {
            id: head.id,
            window: head.window,
            state: state(&head.window, head.awaits, head.fate, now),
        };
        let series = series.into_iter().map(occurrence).collect();
        Ok(BookingPage { booking, accounts, facts, wanted_next, moved, series, history })
    }

    async fn complete(&self, viewer: &Viewer, heads: Vec<Head>, now: OffsetDateTime) -> Result<Vec<Booking>, ApiError> {
        let ids: Vec<ReservationId> = heads.iter().map(|head| head.id).collect();
        let mut cards: HashMap<ReservationId, Vec<BookedCard>> = HashMap::new();
        for (id, card) in store::cards(&self.pool, &ids, now).await? {
            cards.entry(id).or_default().push(card);
        }
        let mut co_users: HashMap<ReservationId, Vec<Person>> = HashMap::new();
        for (id, person) in booking_people::co_users(&self.pool, &ids).await? {
            co_users.entry(id).or_default().push(person);
        }
        let managed = booking_people::managed_by(&self.pool, viewer.id).await?;
        let approves = |owner: UserId| viewer.role.may(Act::ChangeAnyBooking) || managed.contains(&owner);
        Ok(heads
            .into_iter()
            .map(|head| {
                let state = state(&head.window, head.awaits, head.fate, now);
                Booking {
                    id: head.id,
                    owner: head.owner,
                    holder: head.holder,
                    hue: head.hue,
                    purpose: head.purpose,
                    cards: cards.remove(&head.id).unwrap_or_default(),
                    window: head.window,
                    state,
                    may_change: state.is_open() && may_change(viewer, head.owner),
                    may_approve: state == State::Awaiting && approves(head.owner),
                    version: head.version,
                    awaits_until: head.awaits_until.filter(|_| state.is_open()),
                    fate: head.fate,
                    fate_why: head.fate_why,
                    series: head.series,
                    co_users: co_users.remove(&head.id).unwrap_or_default(),
                    booked_by: head.booked_by,
                }
            })
            .collect())
    }
}

/// A deed as its page tells it.
fn deed(row: DeedRow) -> Deed {
    let DeedRow { at, by, action, before, after } = row;
    let count = |recorded: &Recorded| u32::try_from(recorded.cards.len()).unwrap_or(u32::MAX);
    let what = match (action.as_str(), &before, &after) {
        ("reservation.create", _, Some(after)) | ("reservation.transfer", None, Some(after)) => {
            Done::Booked { cards: count(after), window: after.window() }
        }
        ("reservation.edit", Some(before), Some(after)) => Done::Edited {
            window: before.window().zip(after.window()).filter(|(was, is)| was != is),
            cards: (before.cards != after.cards).then(|| (count(before), count(after))),
            purpose: before.purpose != after.purpose,
            people: before.co_users != after.co_users,
        },
        ("reservation.cancel", ..) => Done::Cancelled,
        ("reservation.end", ..) => Done::Ended,
        ("reservation.transfer", ..) => Done::Transferred,
        ("reservation.approve", ..) => Done::Approved,
        ("reservation.refuse", _, after) => {
            Done::Refused { why: after.as_ref().and_then(|after| after.why.clone()).unwrap_or_default() }
        }
        ("reservation.accept", ..) => Done::Accepted,
        ("reservation.still_using", ..) => Done::StillUsing,
        ("reservation.lapse", ..) => Done::Lapsed,
        ("reservation.release", ..) => Done::Released,
        _ => Done::Other { action },
    };
    Deed { at, by, what }
}
