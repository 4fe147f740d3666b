//! The form on the server: what it begins with, and what becomes of it. Sent without scripts it is answered with an
//! address, that of the booking or that of the form.

use domain::draft::offer::Known;
use domain::draft::wish::Wish;
use domain::error::{ApiError, ErrorCode};
use domain::id::ReservationId;
use domain::rules::Standing;
use domain::user::Act;
use domain::wire::calendar::CalendarAsk;
use domain::wire::rules::OwnRules;
use time::Duration;
use uuid::Uuid;

use crate::api::bookings::{BookPage, PlainForm, Sent};
use crate::frame::sign_in_path;
use crate::pages::panel::address::address;
use crate::pages::panel::look::wait_for;
use crate::pages::panel::scene::Scene;
use crate::port::portal;

/// How far the form sees.
const AHEAD: Duration = Duration::days(14);

/// What the form begins with.
pub async fn page(change: Option<ReservationId>) -> Result<BookPage, ApiError> {
    let portal = portal()?;
    let frame = portal.frame().await?;
    let nobody = || ApiError::new(ErrorCode::SignInNeeded, domain::text::t().errors.sign_in_needed);
    let viewer = frame.viewer.ok_or_else(nobody)?;
    let (fleet, bookings) = (portal.fleet().await?, portal.bookings().await?);
    let calendar = portal.calendar(CalendarAsk { from: frame.now, to: frame.now + AHEAD }).await?;
    let change = match change {
        Some(id) => Some(portal.booking(id).await?.booking),
        None => None,
    };
    let mut known = Known::all(&fleet, &bookings, viewer.id);
    if let Some(change) = &change {
        // What it holds itself is not in the way.
        known.iter_mut().for_each(|card| card.booked.retain(|booked| booked.reservation != Some(change.id)));
    }
    let scene = Scene {
        zone: frame.zone,
        now: fleet.now.unix_timestamp(),
        known,
        linked: Vec::new(),
        rules: Vec::new(),
        standing: Standing::default(),
        people: portal.people().await?,
        viewer: viewer.id,
        for_others: viewer.role.may(Act::ChangeAnyBooking),
    };
    let OwnRules { rules, standing } = portal.own_rules().await?;
    let scene = Scene { rules, standing, ..scene.with_calendar(&calendar) };
    Ok(BookPage { fleet, scene, change, key: Uuid::new_v4() })
}

/// Books, or changes, what a form asks for.
pub async fn send(wish: Wish) -> Result<Sent, ApiError> {
    let portal = portal()?;
    let (reservations, refused) = match wish {
        Wish::Book(ask) => (vec![portal.book(ask).await?], Vec::new()),
        Wish::Series(ask) => {
            let outcome = portal.book_series(ask).await?;
            (outcome.booked, outcome.refused)
        }
        Wish::Change(ask) => (portal.edit(ask).await?.reservations, Vec::new()),
    };
    Ok(Sent { reservations, refused, next_key: Uuid::new_v4() })
}

/// Books, and says where to go next. Every failure leads back to the form with all that was typed.
pub async fn answer(form: PlainForm) -> String {
    match book(&form).await {
        Ok(path) => path,
        Err(error) if error.code == ErrorCode::SignInNeeded => sign_in_path(&address(&form.draft, None)),
        Err(error) => address(&form.draft, Some(error.code.as_str())),
    }
}

async fn book(form: &PlainForm) -> Result<String, ApiError> {
    let frame = portal()?.frame().await?;
    let words = domain::text::t();
    if frame.viewer.is_none() {
        return Err(ApiError::new(ErrorCode::SignInNeeded, words.errors.sign_in_needed));
    }
    if form.zone != frame.zone.name() {
        // The times were typed in another zone than the one that they would be read in now.
        return Ok(address(&form.draft, Some(&format!("zone:{}", frame.zone.name()))));
    }
    // What is wrong is said by the page, which judges the same fields in the same way.
    let mut draft = form.draft.clone();
    if draft.hear(&frame.zone, frame.now).is_err() {
        return Ok(address(&draft, Some(ErrorCode::BadInput.as_str())));
    }
    let unreadable = |_| ApiError::new(ErrorCode::BadInput, words.errors.malformed);
    if form.act == "wait" {
        let page = page(None).await?;
        return match wait_for(&draft, &page.scene, frame.now) {
            Some(ask) => portal()?.wait(ask).await.map(|_| "/bookings#waiting".to_owned()),
            None => Ok(address(&draft, Some(ErrorCode::BadInput.as_str()))),
        };
    }
    let sent = match draft.wish(&frame.zone).map_err(unreadable) {
        Ok(wish) => send(wish).await,
        Err(error) => Err(error),
    };
    Ok(match sent {
        Ok(sent) => match sent.reservations.first() {
            Some(first) => format!("/bookings/{first}"),
            // Of all that repeat none was booked: the page lists them, and why.
            None => address(&draft, Some("series")),
        },
        Err(error) if error.code == ErrorCode::SignInNeeded => return Err(error),
        Err(error) => address(&draft, Some(error.code.as_str())),
    })
}
