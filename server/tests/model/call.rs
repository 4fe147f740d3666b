//! Requests as values, so that one can be sent again, or twice.

use std::future::Future;
use std::pin::Pin;

use domain::error::{ApiError, ErrorCode};
use domain::id::ReservationId;
use domain::reservation::NewReservation;
use domain::wire::page::Viewer;
use server::service::Services;

/// A request.
#[derive(Clone, Debug)]
pub enum Call {
    Book(NewReservation),
    Cancel(ReservationId),
    EndNow(ReservationId),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    Booked(ReservationId),
    /// Cancelled, ended.
    Did,
}

/// An answer to come.
pub type Answer = Pin<Box<dyn Future<Output = Result<Done, ApiError>> + Send>>;

impl Call {
    /// A word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Book(_) => "book",
            Self::Cancel(_) => "cancel",
            Self::EndNow(_) => "end now",
        }
    }

    /// Sends it.
    pub fn send(&self, services: &Services, viewer: &Viewer) -> Answer {
        let (call, services, viewer) = (self.clone(), services.clone(), viewer.clone());
        Box::pin(async move {
            let reservations = &services.reservations;
            match call {
                Self::Book(ask) => reservations.book(&viewer, &ask).await.map(Done::Booked),
                Self::Cancel(id) => reservations.cancel(&viewer, id).await.map(|()| Done::Did),
                Self::EndNow(id) => reservations.end_now(&viewer, id).await.map(|()| Done::Did),
            }
        })
    }
}

/// Nothing was done, or nobody knows.
pub fn is_try_again(answer: &Result<Done, ApiError>) -> bool {
    answer.as_ref().is_err_and(|refusal| matches!(refusal.code, ErrorCode::Busy | ErrorCode::Unavailable))
}
