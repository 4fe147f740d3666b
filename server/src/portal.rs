//! What the pages ask for, answered by the services: the adapter behind `app::port::Portal`, one per request.

use app::port::Portal;
use async_trait::async_trait;
use domain::error::{ApiError, ErrorCode};
use domain::id::{HostId, ReservationId, UserId};
use domain::reservation::NewReservation;
use domain::wire::live_v1::Fleet;
use domain::wire::page::{
    Account, Admin, BookingPage, Bookings, EnrolCode, Frame, LinkCode, NewAccount, SetUp, SignIn,
};

use crate::auth::Caller;
use crate::service::Services;

/// The portal as one caller sees it.
pub struct RequestPortal {
    /// The services.
    pub services: Services,
    /// The caller.
    pub caller: Caller,
}

fn missing<T>() -> Result<T, ApiError> {
    Err(ApiError::new(ErrorCode::Internal, "not wired"))
}

#[async_trait]
impl Portal for RequestPortal {
    async fn frame(&self) -> Result<Frame, ApiError> {
        missing()
    }
    async fn set_up(&self, _ask: SetUp) -> Result<(), ApiError> {
        missing()
    }
    async fn sign_up(&self, _ask: NewAccount) -> Result<(), ApiError> {
        missing()
    }
    async fn sign_in(&self, _ask: SignIn) -> Result<(), ApiError> {
        missing()
    }
    async fn sign_out(&self) -> Result<(), ApiError> {
        missing()
    }
    async fn account(&self) -> Result<Account, ApiError> {
        missing()
    }
    async fn set_zone(&self, _zone: String) -> Result<(), ApiError> {
        missing()
    }
    async fn link_code(&self) -> Result<LinkCode, ApiError> {
        missing()
    }
    async fn fleet(&self) -> Result<Fleet, ApiError> {
        missing()
    }
    async fn book(&self, _ask: NewReservation) -> Result<ReservationId, ApiError> {
        missing()
    }
    async fn bookings(&self) -> Result<Bookings, ApiError> {
        missing()
    }
    async fn booking(&self, _id: ReservationId) -> Result<BookingPage, ApiError> {
        missing()
    }
    async fn cancel(&self, _id: ReservationId) -> Result<(), ApiError> {
        missing()
    }
    async fn end_now(&self, _id: ReservationId) -> Result<(), ApiError> {
        missing()
    }
    async fn admin(&self) -> Result<Admin, ApiError> {
        missing()
    }
    async fn enrol_code(&self, _host_name: String) -> Result<EnrolCode, ApiError> {
        missing()
    }
    async fn revoke_host(&self, _host: HostId) -> Result<(), ApiError> {
        missing()
    }
    async fn map_account(&self, _host: Option<HostId>, _os_user: String, _person: UserId) -> Result<(), ApiError> {
        missing()
    }
    async fn unmap_account(&self, _host: Option<HostId>, _os_user: String, _person: UserId) -> Result<(), ApiError> {
        missing()
    }
}
