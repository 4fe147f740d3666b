//! Booking, changing, giving back: the one path by which cards are taken and given up.
//!
//! Each deed is one transaction. That no card is held twice is the database's constraint; the locks taken first, in one
//! order, only keep deeds on the same cards from dead-locking, and what is counted for a person from being counted
//! twice. What still loses against another transaction is tried again a few times, then said to be busy. Nobody ever
//! sees half a booking.
//!
//! - [`run`]: one deed, from its beginning to its answer
//! - [`book`], [`series`], [`edit`], [`portal_deeds`]: the deeds
//! - [`shape`], [`lanes`]: what a booking is to hold
//! - [`checks`]: what has a say in it
//! - [`told`]: who learns of it
//! - [`refusal`], [`ways_out`]: how it is refused, and what works instead

mod book;
pub mod checks;
mod edit;
mod edit_set;
mod edit_transfer;
mod lanes;
mod portal_deeds;
mod refusal;
mod run;
mod series;
mod shape;
mod told;
mod ways_out;

use std::net::IpAddr;
use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::id::{ReservationId, UserId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Edited, Scope};
use domain::reservation::series::{NewSeries, SeriesOutcome};
use domain::text::en;
use domain::user::Act;
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::finder::Finder;
use crate::clock::Clock;
use crate::live::Live;
pub use portal_deeds::GiveBack;
use run::{By, Deed, Outcome};

/// Books, changes and gives back.
#[derive(Clone)]
pub struct Reservations {
    pool: PgPool,
    clock: Arc<dyn Clock>,
    live: Live,
    zone_table: fn(&str, OffsetDateTime) -> ZoneTable,
    address: Option<IpAddr>,
    finder: Finder,
}

impl Reservations {
    /// `zone_table` gives the offsets of an IANA zone for the years around an instant.
    #[must_use]
    pub fn new(
        pool: PgPool,
        clock: Arc<dyn Clock>,
        live: Live,
        zone_table: fn(&str, OffsetDateTime) -> ZoneTable,
    ) -> Self {
        let finder = Finder::new(pool.clone(), clock.clone(), live.clone());
        Self { pool, clock, live, zone_table, address: None, finder }
    }

    /// Where ways out of refusals are found: what it knows is known to all that search with it.
    #[must_use]
    pub fn finder(&self) -> Finder {
        self.finder.clone()
    }

    /// The same for somebody at this address, which the record keeps.
    #[must_use]
    pub fn from_address(&self, address: IpAddr) -> Self {
        Self { address: Some(address), ..self.clone() }
    }

    /// Books all cards or none. The same key with the same content gives the same booking, however often it is sent.
    ///
    /// # Errors
    /// `reservation.overlap` with who is in the way, `reservation.no_shares`, `reservation.maintenance`,
    /// `reservation.unknown_card`, `reservation.card_not_bookable`, `rule.broken`, `person.unknown`,
    /// `auth.not_allowed` for somebody else, `input.invalid`, `idempotency.key_reused`, `server.busy`,
    /// `server.unavailable`.
    pub async fn book(&self, viewer: &Viewer, ask: &NewReservation) -> Result<ReservationId, ApiError> {
        allowed(viewer, Act::Book)?;
        let deed = Deed::Book { ask, offered_until: None };
        match self.run(By::Person(viewer), &deed).await? {
            Outcome::Booked(ids) => ids.first().copied().ok_or_else(refusal::other_kind),
            _ => Err(refusal::other_kind()),
        }
    }

    /// Books what repeats: all of it, or those that are free.
    ///
    /// # Errors
    /// As [`Reservations::book`], as far as it is not about one of them: what keeps one from being booked is in the answer.
    pub async fn book_series(&self, viewer: &Viewer, ask: &NewSeries) -> Result<SeriesOutcome, ApiError> {
        allowed(viewer, Act::Book)?;
        match self.run(By::Person(viewer), &Deed::Series(ask)).await? {
            Outcome::Series(outcome) => Ok(outcome),
            _ => Err(refusal::other_kind()),
        }
    }

    /// Edits a booking, or one that repeats and all that follow it.
    ///
    /// # Errors
    /// `not_found`, `auth.not_allowed`, `reservation.changed`, `reservation.already_begun`, `reservation.already_over`,
    /// `reservation.not_begun`, `reservation.not_awaiting`, `reservation.past_is_fixed`, and as
    /// [`Reservations::book`] for what it is to become.
    pub async fn edit(&self, viewer: &Viewer, ask: &EditAsk) -> Result<Edited, ApiError> {
        self.edit_with(viewer, ask, true).await
    }

    /// Calls a booking off before it begins.
    ///
    /// # Errors
    /// As [`Reservations::edit`].
    pub async fn cancel(&self, viewer: &Viewer, id: ReservationId) -> Result<(), ApiError> {
        self.edit_with(viewer, &plain(id, Edit::Cancel), false).await.map(|_| ())
    }

    /// Ends a running booking; the used time stays on record.
    ///
    /// # Errors
    /// As [`Reservations::edit`].
    pub async fn end_now(&self, viewer: &Viewer, id: ReservationId) -> Result<(), ApiError> {
        self.edit_with(viewer, &plain(id, Edit::EndNow), false).await.map(|_| ())
    }

    async fn edit_with(&self, viewer: &Viewer, ask: &EditAsk, keyed: bool) -> Result<Edited, ApiError> {
        match self.run(By::Person(viewer), &Deed::Edit { ask, keyed }).await? {
            Outcome::Edited(edited) => Ok(edited),
            _ => Err(refusal::other_kind()),
        }
    }
}

/// An edit that needs no key: done twice, it is refused the second time.
fn plain(reservation: ReservationId, edit: Edit) -> EditAsk {
    EditAsk { reservation, edit, scope: Scope::One, version: None, idempotency_key: Uuid::nil() }
}

/// Whether somebody may change, cancel or end a booking of `owner`.
#[must_use]
pub fn may_change(viewer: &Viewer, owner: UserId) -> bool {
    viewer.role.may(Act::ChangeAnyBooking) || (viewer.id == owner && viewer.role.may(Act::ChangeOwnBooking))
}

fn allowed(viewer: &Viewer, act: Act) -> Result<(), ApiError> {
    if viewer.role.may(act) { Ok(()) } else { Err(ApiError::new(ErrorCode::NotAllowed, en().errors.not_allowed)) }
}
