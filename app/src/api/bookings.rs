//! Booking, and what has been booked.

use domain::draft::Draft;
use domain::draft::offer::Known;
use domain::id::{ReservationId, UserId};
use domain::reservation::NewReservation;
use domain::wire::live_v1::Fleet;
use domain::wire::page::{BookingPage, Bookings};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::AppError;

/// What the booking form begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookPage {
    /// Hosts and cards.
    pub fleet: Fleet,
    /// Everything that is booked on each card from now on.
    pub known: Vec<Known>,
    /// Who books.
    pub viewer: UserId,
    /// Idempotency key of this filling of the form.
    pub key: Uuid,
}

/// What the booking form begins with; its key is made here, one for each filling.
#[server(name = LoadBookPage, prefix = "/api/page", endpoint = "book_page")]
pub async fn book_page() -> Result<BookPage, AppError> {
    use crate::{error::answer, port::portal};
    use domain::error::{ApiError, ErrorCode};
    let page = async {
        let portal = portal()?;
        let (fleet, bookings) = (portal.fleet().await?, portal.bookings().await?);
        let nobody = || ApiError::new(ErrorCode::SignInNeeded, domain::text::t().errors.sign_in_needed);
        let viewer = portal.frame().await?.viewer.ok_or_else(nobody)?.id;
        Ok(BookPage { known: Known::all(&fleet, &bookings, viewer), fleet, viewer, key: Uuid::new_v4() })
    };
    answer(page.await)
}

/// The form as a browser sends it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlainForm {
    /// What was filled in.
    #[serde(flatten)]
    pub draft: Draft,
    /// Name of the zone in which the form was shown.
    #[serde(default)]
    pub zone: String,
}

/// Books what the form asks for, and leads to the booking, or back to the form with all that was typed.
#[server(prefix = "/api/page", endpoint = "book_form")]
pub async fn book_form(form: PlainForm) -> Result<(), AppError> {
    leptos_axum::redirect(&crate::pages::book::plain::answer(form).await);
    Ok(())
}

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
