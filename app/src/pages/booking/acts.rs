//! What a button does to a booking, on the server. Forms of such buttons are plain: they work without scripts.

use domain::error::{ApiError, ErrorCode, Field};
use domain::id::UserId;
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::text::t;
use domain::window::Window;
use domain::wire::page::{Booking, Person};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::api::bookings::{ActForm, BookingAct};
use crate::port::portal;

/// Does what a form says.
pub async fn answer(form: ActForm) -> Result<(), ApiError> {
    let portal = portal()?;
    let edit = match form.act {
        BookingAct::Again => return again(form).await,
        BookingAct::Extend => {
            let booking = portal.booking(form.id).await?.booking;
            let window = Window::new(booking.window.start(), instant(&form.end)?).map_err(|_| malformed())?;
            Edit::Set(Target { window: Some(window), ..Target::default() })
        }
        BookingAct::Cancel => Edit::Cancel,
        BookingAct::EndNow => Edit::EndNow,
        BookingAct::Transfer => Edit::Transfer { to: form.to.parse::<UserId>().map_err(|_| malformed())? },
        BookingAct::Approve => Edit::Approve,
        BookingAct::Refuse => Edit::Refuse { why: form.why.trim().to_owned() },
        BookingAct::Accept => Edit::Accept,
        BookingAct::StillUsing => Edit::StillUsing,
        BookingAct::Share | BookingAct::Unshare => {
            let booking = portal.booking(form.id).await?.booking;
            let people = portal.people().await?;
            Edit::Set(Target { co_users: Some(colleagues(&form, &booking, &people)?), ..Target::default() })
        }
    };
    let scope = if form.scope == "following" { Scope::Following } else { Scope::One };
    portal
        .edit(EditAsk { reservation: form.id, edit, scope, version: None, idempotency_key: form.key })
        .await
        .map(|_| ())
}

/// Who may launch on a booking once one colleague is added, by name, or taken away.
fn colleagues(form: &ActForm, booking: &Booking, people: &[Person]) -> Result<Vec<UserId>, ApiError> {
    let mut shared: Vec<UserId> = booking.co_users.iter().map(|person| person.id).collect();
    if form.act == BookingAct::Unshare {
        let gone = form.to.parse::<UserId>().map_err(|_| malformed())?;
        shared.retain(|person| *person != gone);
        return Ok(shared);
    }
    let words = &t().booking;
    let refuse = |message: String| Err(ApiError::new(ErrorCode::UnknownPerson, message).on(Field::Person));
    let wanted = form.to.trim().to_lowercase();
    // A sign-in name is one person's; display names may be several people's.
    let named = people.iter().find(|person| person.name.to_lowercase() == wanted);
    let called: Vec<&Person> = people.iter().filter(|person| person.display_name.to_lowercase() == wanted).collect();
    let person = match (named, called.as_slice()) {
        (Some(person), _) | (None, &[person]) => person,
        (None, []) => return refuse((words.nobody_called)(form.to.trim())),
        (None, _) => return refuse((words.several_called)(form.to.trim())),
    };
    if person.id == booking.owner {
        return refuse((words.owner_already)(&person.display_name));
    }
    if !shared.contains(&person.id) {
        shared.push(person.id);
    }
    Ok(shared)
}

/// The same cards once more, at another time; for oneself.
async fn again(form: ActForm) -> Result<(), ApiError> {
    let portal = portal()?;
    let booking = portal.booking(form.id).await?.booking;
    let window = Window::new(instant(&form.start)?, instant(&form.end)?).map_err(|_| malformed())?;
    let shares = booking.cards.iter().filter_map(|card| Some((card.uuid.clone(), card.shares?)));
    let ask = NewReservation {
        shares: shares.collect(),
        co_users: booking.co_users.iter().map(|person| person.id).collect(),
        ..NewReservation::of_cards(
            booking.cards.iter().map(|card| card.uuid.clone()).collect(),
            window,
            booking.purpose,
            form.key,
        )
    };
    portal.book(ask).await.map(|_| ())
}

fn instant(text: &str) -> Result<OffsetDateTime, ApiError> {
    OffsetDateTime::parse(text, &Rfc3339).map_err(|_| malformed())
}

fn malformed() -> ApiError {
    ApiError::new(ErrorCode::Malformed, t().errors.malformed)
}
