//! Booking, and what has been booked.

use domain::id::ReservationId;
use domain::reservation::NewReservation;
use domain::wire::page::{BookingPage, Bookings};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

use crate::error::AppError;

/// Books all cards or none.
#[server(prefix = "/api/page", endpoint = "book", input = Json)]
pub async fn book(ask: NewReservation) -> Result<ReservationId, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.book(ask).await }.await)
}

/// The lists of bookings.
#[server(name = LoadBookings, prefix = "/api/page", endpoint = "bookings")]
pub async fn bookings() -> Result<Bookings, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.bookings().await }.await)
}

/// One booking.
#[server(name = LoadBooking, prefix = "/api/page", endpoint = "booking")]
pub async fn booking(id: ReservationId) -> Result<BookingPage, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.booking(id).await }.await)
}

/// Calls a booking off before it begins.
#[server(name = CancelBooking, prefix = "/api/page", endpoint = "cancel_booking")]
pub async fn cancel(id: ReservationId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.cancel(id).await }.await)
}

/// Ends a running booking.
#[server(name = EndBooking, prefix = "/api/page", endpoint = "end_booking")]
pub async fn end_now(id: ReservationId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.end_now(id).await }.await)
}
