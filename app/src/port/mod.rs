//! What the pages need from the server. The server implements [`Portal`] once per request, with the caller's session
//! inside; nothing here knows SQL, cookies or axum.

mod calendar;
mod edits;
mod finder;
mod notices;
mod rules;
mod upkeep;

pub use calendar::Calendars;
pub use edits::Edits;
pub use finder::Finder;
pub use notices::Notices;
pub use rules::Rules;
pub use upkeep::Upkeep;

use std::sync::Arc;

use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::{HostId, ReservationId, UserId};
use domain::reservation::NewReservation;
use domain::wire::live_v1::Fleet;
use domain::wire::page::{
    Account, Admin, BookingPage, Bookings, EnrolCode, Frame, HostPage, LinkCode, NewAccount, Person, SetUp, SignIn,
};

/// One caller's view of the portal. Every method authorises by the caller's role.
#[async_trait]
pub trait Portal: Edits + Calendars + Finder + Notices + Rules + Upkeep {
    /// What every page needs; open to everybody.
    async fn frame(&self) -> Result<Frame, ApiError>;

    /// Makes the first administrator and signs in.
    async fn set_up(&self, ask: SetUp) -> Result<(), ApiError>;
    /// Makes a member's account and signs in.
    async fn sign_up(&self, ask: NewAccount) -> Result<(), ApiError>;
    /// Signs in; the session id changes.
    async fn sign_in(&self, ask: SignIn) -> Result<(), ApiError>;
    /// Ends the session.
    async fn sign_out(&self) -> Result<(), ApiError>;
    /// The caller's own account.
    async fn account(&self) -> Result<Account, ApiError>;
    /// Sets the caller's zone.
    async fn set_zone(&self, zone: String) -> Result<(), ApiError>;
    /// A code with which the caller proves an OS account.
    async fn link_code(&self) -> Result<LinkCode, ApiError>;

    /// Everybody who may be named in a booking, in order of their display names.
    async fn people(&self) -> Result<Vec<Person>, ApiError>;

    /// All hosts and cards.
    async fn fleet(&self) -> Result<Fleet, ApiError>;
    /// One host in full.
    async fn host_page(&self, name: String) -> Result<HostPage, ApiError>;

    /// Books all cards or none.
    async fn book(&self, ask: NewReservation) -> Result<ReservationId, ApiError>;
    /// The lists of bookings.
    async fn bookings(&self) -> Result<Bookings, ApiError>;
    /// One booking.
    async fn booking(&self, id: ReservationId) -> Result<BookingPage, ApiError>;
    /// Calls a booking off before it begins.
    async fn cancel(&self, id: ReservationId) -> Result<(), ApiError>;
    /// Ends a running booking; the used time stays on record.
    async fn end_now(&self, id: ReservationId) -> Result<(), ApiError>;

    /// What administrators look after.
    async fn admin(&self) -> Result<Admin, ApiError>;
    /// Makes the host if it is new, and a code that enrols its agent; older codes of it stop working.
    async fn enrol_code(&self, host_name: String) -> Result<EnrolCode, ApiError>;
    /// Revokes the host's credential: its agent is refused from now on.
    async fn revoke_host(&self, host: HostId) -> Result<(), ApiError>;
    /// Has a host renew its credential.
    async fn rotate_host(&self, host: HostId) -> Result<(), ApiError>;
    /// Retires a host: nothing is taken from it any more, and nobody can book its cards. Its history stays.
    async fn retire_host(&self, host: HostId) -> Result<(), ApiError>;
    /// Takes a retired host back.
    async fn take_back_host(&self, host: HostId) -> Result<(), ApiError>;
    /// Says that an OS account, on one host or on all, belongs to somebody.
    async fn map_account(&self, host: Option<HostId>, os_user: String, person: UserId) -> Result<(), ApiError>;
    /// Takes that back. Members may take back their own.
    async fn unmap_account(&self, host: Option<HostId>, os_user: String, person: UserId) -> Result<(), ApiError>;
}

/// The portal of the request that is being answered.
///
/// # Errors
/// `server.internal` where the router forgot to provide it.
pub fn portal() -> Result<Arc<dyn Portal>, ApiError> {
    leptos::prelude::use_context::<Arc<dyn Portal>>()
        .ok_or_else(|| ApiError::new(domain::error::ErrorCode::Internal, "the page was rendered without a portal"))
}
