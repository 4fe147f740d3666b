//! What may be booked, and what state a booking is in.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::card::CardNumber;
use crate::id::{CardUuid, ReservationId};
use crate::window::Window;

/// Longest purpose, in characters.
pub const PURPOSE_MAX_CHARS: usize = 200;
/// Most cards in one booking.
pub const CARDS_MAX: usize = 256;
/// Longest booking. A portal-wide limit until administrators set their own.
pub const LENGTH_MAX: Duration = Duration::days(31);
/// Shortest booking.
pub const LENGTH_MIN: Duration = Duration::minutes(5);
/// How far ahead a booking may begin.
pub const AHEAD_MAX: Duration = Duration::days(366);
/// A start this far in the past counts as "now": typing takes time, and clocks differ a little.
pub const PAST_GRACE: Duration = Duration::minutes(5);

/// What somebody wants to book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewReservation {
    /// Every card, on one or many hosts. All or nothing.
    pub cards: Vec<CardUuid>,
    /// When.
    pub window: Window,
    /// What for; may be empty.
    pub purpose: String,
    /// Made up by the client; the same key never books twice.
    pub idempotency_key: uuid::Uuid,
}

/// Why a wish cannot be booked whatever else is booked. The clock is the server's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unbookable {
    /// No card was picked.
    #[error("no cards")]
    NoCards,
    /// More than [`CARDS_MAX`].
    #[error("too many cards")]
    TooManyCards,
    /// The start is more than [`PAST_GRACE`] ago, or the end is not in the future.
    #[error("in the past")]
    InThePast,
    /// Shorter than [`LENGTH_MIN`].
    #[error("too short")]
    TooShort,
    /// Longer than [`LENGTH_MAX`].
    #[error("too long")]
    TooLong,
    /// Begins later than [`AHEAD_MAX`] from now.
    #[error("too far ahead")]
    TooFarAhead,
    /// The purpose is too long or holds characters that deceive the eye.
    #[error("bad purpose")]
    BadPurpose,
}

/// A wish that has passed the rules: cards in one order without repeats, the start not in the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookable {
    /// Sorted, each once: the order in which rows are locked.
    pub cards: Vec<CardUuid>,
    /// Begins now at the earliest.
    pub window: Window,
    /// Trimmed.
    pub purpose: String,
}

impl NewReservation {
    /// Checks everything that needs no knowledge of other bookings; the browser and the server both call it.
    ///
    /// # Errors
    /// The first [`Unbookable`] that applies.
    pub fn check(&self, now: OffsetDateTime) -> Result<Bookable, Unbookable> {
        let mut cards = self.cards.clone();
        cards.sort();
        cards.dedup();
        if cards.is_empty() {
            return Err(Unbookable::NoCards);
        }
        if cards.len() > CARDS_MAX {
            return Err(Unbookable::TooManyCards);
        }
        if self.window.start() < now - PAST_GRACE || self.window.end() <= now {
            return Err(Unbookable::InThePast);
        }
        if self.window.start() > now + AHEAD_MAX {
            return Err(Unbookable::TooFarAhead);
        }
        let start = self.window.start().max(now);
        let window = Window::new(start, self.window.end()).map_err(|_| Unbookable::InThePast)?;
        // Measured as asked for, so that typing for a minute does not make a five minute booking too short.
        if self.window.length() < LENGTH_MIN {
            return Err(Unbookable::TooShort);
        }
        if window.length() > LENGTH_MAX {
            return Err(Unbookable::TooLong);
        }
        let purpose = self.purpose.trim();
        if purpose.chars().count() > PURPOSE_MAX_CHARS || purpose.chars().any(crate::user::is_deceptive) {
            return Err(Unbookable::BadPurpose);
        }
        Ok(Bookable { cards, window, purpose: purpose.to_owned() })
    }
}

/// Where a booking stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not begun.
    Scheduled,
    /// Its cards are its owner's now.
    Active,
    /// Over, at its end or earlier by its owner's wish. Stays on record.
    Ended,
    /// Called off before it began. Stays on record.
    Cancelled,
}

/// Derives the state; `window` is the one that holds after an early end.
#[must_use]
pub fn state(window: &Window, cancelled: bool, now: OffsetDateTime) -> State {
    if cancelled {
        State::Cancelled
    } else if now < window.start() {
        State::Scheduled
    } else if window.contains(now) {
        State::Active
    } else {
        State::Ended
    }
}

/// One reason why a booking clashes: somebody holds a card that it wants, at a time that it wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clash {
    /// The booking that is in the way.
    pub reservation: ReservationId,
    /// The card.
    pub card: CardUuid,
    /// The host's name.
    pub host: String,
    /// The card's number on that host, as last reported.
    pub number: CardNumber,
    /// Who holds it: display name.
    pub holder: String,
    /// Whether that is the person who asks.
    pub own: bool,
    /// When it is held.
    pub window: Window,
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

    fn card(n: u32) -> CardUuid {
        CardUuid::parse(&format!("GPU-{n:08}")).expect("valid")
    }

    fn wish(start_min: i64, length_min: i64) -> NewReservation {
        let start = NOW + Duration::minutes(start_min);
        NewReservation {
            cards: vec![card(1)],
            window: Window::new(start, start + Duration::minutes(length_min)).expect("not empty"),
            purpose: " train ".to_owned(),
            idempotency_key: uuid::Uuid::nil(),
        }
    }

    #[test]
    fn cards_are_sorted_and_counted_once() {
        let mut ask = wish(0, 60);
        ask.cards = vec![card(3), card(1), card(3)];
        let ok = ask.check(NOW).expect("bookable");
        assert_eq!(ok.cards, vec![card(1), card(3)]);
        assert_eq!(ok.purpose, "train");
    }

    #[test]
    fn a_start_a_moment_ago_becomes_now_and_older_ones_are_past() {
        assert_eq!(wish(-2, 60).check(NOW).expect("bookable").window.start(), NOW);
        assert_eq!(wish(-6, 60).check(NOW), Err(Unbookable::InThePast));
        assert_eq!(wish(-4, 4).check(NOW), Err(Unbookable::InThePast));
    }

    #[test]
    fn lengths_and_distance() {
        assert_eq!(wish(10, 4).check(NOW), Err(Unbookable::TooShort));
        assert!(wish(10, 5).check(NOW).is_ok());
        assert!(wish(10, 31 * 24 * 60).check(NOW).is_ok());
        assert_eq!(wish(10, 31 * 24 * 60 + 1).check(NOW), Err(Unbookable::TooLong));
        assert_eq!(wish(367 * 24 * 60, 60).check(NOW), Err(Unbookable::TooFarAhead));
    }

    #[test]
    fn cards_and_purpose() {
        let mut ask = wish(0, 60);
        ask.cards.clear();
        assert_eq!(ask.check(NOW), Err(Unbookable::NoCards));
        ask.cards = (0..257).map(card).collect();
        assert_eq!(ask.check(NOW), Err(Unbookable::TooManyCards));
        ask.cards = vec![card(1)];
        ask.purpose = "x".repeat(201);
        assert_eq!(ask.check(NOW), Err(Unbookable::BadPurpose));
        ask.purpose = "a\u{202e}b".to_owned();
        assert_eq!(ask.check(NOW), Err(Unbookable::BadPurpose));
    }

    #[test]
    fn states_are_half_open() {
        let window = wish(0, 60).window;
        assert_eq!(state(&window, false, window.start() - Duration::seconds(1)), State::Scheduled);
        assert_eq!(state(&window, false, window.start()), State::Active);
        assert_eq!(state(&window, false, window.end()), State::Ended);
        assert_eq!(state(&window, true, window.start()), State::Cancelled);
    }
}
