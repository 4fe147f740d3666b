//! Booking, and what has been booked.

use domain::draft::Draft;
use domain::draft::wish::Wish;
use domain::finder::{Advice, AdviceAsk, Found, Want};
use domain::id::{ReservationId, UserId};
use domain::reservation::NewReservation;
use domain::reservation::series::RefusedOccurrence;
use domain::wire::calendar::Waiting;
use domain::wire::live_v1::Fleet;
use domain::wire::page::{Booking, BookingPage, Bookings, Person};
use domain::wire::rules::OwnRules;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::AppError;
use crate::pages::panel::scene::Scene;

/// What the booking form begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookPage {
    /// Hosts and cards.
    pub fleet: Fleet,
    /// What the panel knows.
    pub scene: Scene,
    /// The booking that is changed, where one is.
    pub change: Option<Booking>,
    /// Idempotency key of this filling of the form.
    pub key: Uuid,
}

/// What the booking form begins with; its key is made here, one for each filling. `change` is the booking that it changes.
#[server(name = LoadBookPage, prefix = "/api/page", endpoint = "book_page")]
pub async fn book_page(change: Option<ReservationId>) -> Result<BookPage, AppError> {
    use crate::error::answer;
    answer(crate::pages::book::plain::page(change).await)
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
    /// `wait`: takes a place in the queue instead of booking.
    #[serde(default)]
    pub act: String,
}

/// Books what the form asks for, and leads to the booking, or back to the form with all that was typed.
#[server(prefix = "/api/page", endpoint = "book_form")]
pub async fn book_form(form: PlainForm) -> Result<(), AppError> {
    leptos_axum::redirect(&crate::pages::book::plain::answer(form).await);
    Ok(())
}

/// What came of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// What was booked or changed, in order of time.
    pub reservations: Vec<ReservationId>,
    /// Of repeats: those that were not booked.
    pub refused: Vec<RefusedOccurrence>,
    /// Idempotency key for what is asked next.
    pub next_key: Uuid,
}

/// Books, or changes, what a form asks for.
#[server(name = SendWish, prefix = "/api/page", endpoint = "send", input = Json)]
pub async fn send(wish: Wish) -> Result<Sent, AppError> {
    use crate::error::answer;
    answer(crate::pages::book::plain::send(wish).await)
}

/// What is in the way of picked cards, and what would work instead.
#[server(name = Advise, prefix = "/api/page", endpoint = "advise", input = Json)]
pub async fn advise(ask: AdviceAsk) -> Result<Advice, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.advise(ask).await }.await)
}

/// The best cards for a wish.
#[server(name = FindCards, prefix = "/api/page", endpoint = "find", input = Json)]
pub async fn find(want: Want) -> Result<Found, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.find(want).await }.await)
}

/// Books all cards or none.
#[server(prefix = "/api/page", endpoint = "book", input = Json)]
pub async fn book(ask: NewReservation) -> Result<ReservationId, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.book(ask).await }.await)
}

/// The lists of bookings, and what the viewer waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookingsPage {
    /// The lists.
    pub lists: Bookings,
    /// The viewer's places in the queue.
    pub waiting: Vec<Waiting>,
}

/// The lists of bookings.
#[server(name = LoadBookings, prefix = "/api/page", endpoint = "bookings")]
pub async fn bookings() -> Result<BookingsPage, AppError> {
    use crate::{error::answer, port::portal};
    let page = async {
        let portal = portal()?;
        Ok(BookingsPage { lists: portal.bookings().await?, waiting: portal.waiting().await? })
    };
    answer(page.await)
}

/// One booking, and everybody to whom it could be given.
#[server(name = LoadBooking, prefix = "/api/page", endpoint = "booking")]
pub async fn booking(id: ReservationId) -> Result<(BookingPage, Vec<Person>), AppError> {
    use crate::{error::answer, port::portal};
    let page = async {
        let portal = portal()?;
        Ok((portal.booking(id).await?, portal.people().await?))
    };
    answer(page.await)
}

/// Who may be named in a booking, and what rules look at: what the calendar does not say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Around {
    /// In order of their display names.
    pub people: Vec<Person>,
    /// The viewer's rules, and what the viewer has.
    pub own: OwnRules,
    /// Who may launch on the booking that is changed, beside its owner.
    pub co_users: Vec<UserId>,
}

/// What the panel needs beside the calendar; `change` is the booking that it changes.
#[server(name = LoadAround, prefix = "/api/page", endpoint = "around")]
pub async fn around(change: Option<ReservationId>) -> Result<Around, AppError> {
    use crate::{error::answer, port::portal};
    let found = async {
        let portal = portal()?;
        let co_users = match change {
            Some(id) => portal.booking(id).await?.booking.co_users.iter().map(|person| person.id).collect(),
            None => Vec::new(),
        };
        Ok(Around { people: portal.people().await?, own: portal.own_rules().await?, co_users })
    };
    answer(found.await)
}

/// One act on a booking, as a plain form sends it. What an act has no use for may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActForm {
    /// Which booking.
    pub id: ReservationId,
    /// What.
    pub act: BookingAct,
    /// Idempotency key, made with the form.
    pub key: Uuid,
    /// The new end, or both ends of the next one, RFC 3339.
    #[serde(default)]
    pub start: String,
    /// The new end.
    #[serde(default)]
    pub end: String,
    /// To whom, or which colleague: by id; to share with, by name.
    #[serde(default)]
    pub to: String,
    /// Why.
    #[serde(default)]
    pub why: String,
    /// `following`: also all that follow.
    #[serde(default)]
    pub scope: String,
}

/// What can be done to a booking with one button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BookingAct {
    /// Ends at another time.
    Extend,
    /// Called off before it begins.
    Cancel,
    /// Ends now.
    EndNow,
    /// Given to a colleague.
    Transfer,
    /// Approved.
    Approve,
    /// Refused.
    Refuse,
    /// Taken, after it was offered.
    Accept,
    /// Still wanted.
    StillUsing,
    /// The same once more, at another time.
    Again,
    /// A colleague, by name, may launch on it as well.
    Share,
    /// A colleague may no longer.
    Unshare,
}

/// Does one thing to a booking. All of it, or nothing.
#[server(name = ActOnBooking, prefix = "/api/page", endpoint = "act_on_booking")]
pub async fn act(form: ActForm) -> Result<(), AppError> {
    use crate::error::answer;
    answer(crate::pages::booking::acts::answer(form).await)
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
