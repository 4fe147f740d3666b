//! A suggestion's button: books, and says where to go next.

use domain::address::with_query;
use domain::error::{ApiError, ErrorCode};
use domain::id::CardUuid;
use domain::reservation::{NewReservation, PAST_GRACE};
use domain::window::Window;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use crate::api::finder::FoundForm;
use crate::frame::{safe_next, sign_in_path};
use crate::port::portal;

/// To the booking; back to the suggestions where somebody was faster; to the form, filled in, where something else is wrong.
pub async fn answer(form: FoundForm) -> String {
    let back = safe_next(Some(form.back.clone()));
    match book(&form).await {
        Ok(path) => path,
        Err(error) if error.code == ErrorCode::SignInNeeded => sign_in_path(&back),
        Err(error) if error.code == ErrorCode::Overlap => {
            let mark = if back.contains('?') { '&' } else { '?' };
            format!("{back}{mark}refused=overlap#finder")
        }
        Err(error) => filled(&form, error.code),
    }
}

async fn book(form: &FoundForm) -> Result<String, ApiError> {
    let portal = portal()?;
    let frame = portal.frame().await?;
    let words = &domain::text::t().errors;
    if frame.viewer.is_none() {
        return Err(ApiError::new(ErrorCode::SignInNeeded, words.sign_in_needed));
    }
    let unreadable = || ApiError::new(ErrorCode::BadInput, words.malformed);
    let read = |text: &str| OffsetDateTime::parse(text, &Rfc3339).map_err(|_| unreadable());
    let cards = form.cards.iter().map(|card| CardUuid::parse(card));
    let cards = cards.collect::<Result<Vec<_>, _>>().map_err(|_| unreadable())?;
    let asked = Window::new(read(&form.start)?, read(&form.end)?).map_err(|_| unreadable())?;
    let window = of_now(&asked, frame.now);
    let ask = NewReservation {
        zone: Some(frame.zone.name().to_owned()),
        ..NewReservation::of_cards(cards, window, "", key(form))
    };
    portal.book(ask).await.map(|id| format!("/bookings/{id}"))
}

/// What began a while ago, on a page that was left open, begins now and is as long.
fn of_now(asked: &Window, now: OffsetDateTime) -> Window {
    if asked.start() >= now - PAST_GRACE {
        return *asked;
    }
    // To the minute: the second of two clicks asks for the same.
    let start = domain::draft::wall::minute(now);
    Window::new(start, start + asked.length()).unwrap_or(*asked)
}

/// A key of its own for each suggestion of a page: its content, mixed into the page's key.
fn key(form: &FoundForm) -> Uuid {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let content = form.cards.iter().chain([&form.start, &form.end]);
    let bytes = content.flat_map(|part| part.bytes().chain(std::iter::once(b'\n')));
    let mixed = bytes.fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    Uuid::from_u128(form.key.as_u128() ^ mixed)
}

/// The booking form with all that was asked for.
fn filled(form: &FoundForm, code: ErrorCode) -> String {
    let cards = form.cards.iter().map(|card| ("card", card.as_str()));
    let times = [("start", form.start.as_str()), ("end", &form.end)];
    with_query("/book", std::iter::once(("error", code.as_str())).chain(cards).chain(times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::Duration;
    use time::macros::datetime;

    fn form(cards: &[&str]) -> FoundForm {
        FoundForm {
            cards: cards.iter().map(|&card| card.to_owned()).collect(),
            start: "2026-11-30T10:00:00Z".to_owned(),
            end: "2026-11-30T14:00:00Z".to_owned(),
            key: Uuid::from_u128(7),
            back: "/".to_owned(),
        }
    }

    #[test]
    fn the_same_click_has_the_same_key_and_no_other() {
        assert_eq!(key(&form(&["GPU-1", "GPU-2"])), key(&form(&["GPU-1", "GPU-2"])));
        assert_ne!(key(&form(&["GPU-1"])), key(&form(&["GPU-2"])));
        assert_ne!(key(&form(&["GPU-12"])), key(&form(&["GPU-1", "2"])));
        let other = FoundForm { key: Uuid::from_u128(8), ..form(&["GPU-1"]) };
        assert_ne!(key(&form(&["GPU-1"])), key(&other));
    }

    #[test]
    fn a_page_that_was_left_open_books_from_now() {
        let start = datetime!(2026-11-30 10:00 UTC);
        let asked = Window::new(start, start + Duration::hours(4)).expect("not empty");
        assert_eq!(of_now(&asked, start + Duration::minutes(4)), asked);
        let late = of_now(&asked, start + Duration::seconds(3_645));
        assert_eq!((late.start(), late.length()), (start + Duration::hours(1), Duration::hours(4)));
        assert_eq!(late, of_now(&asked, start + Duration::seconds(3_650)));
    }

    #[test]
    fn what_cannot_be_booked_is_filled_into_the_form() {
        assert_eq!(
            filled(&form(&["GPU-1"]), ErrorCode::AgainstRule),
            "/book?error=rule.broken&card=GPU-1&start=2026-11-30T10:00:00Z&end=2026-11-30T14:00:00Z"
        );
    }
}
