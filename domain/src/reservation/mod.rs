//! What may be booked, and what state a booking is in.
//!
//! - here: the wish, what is wrong with it whatever else is booked, and where a booking stands
//! - [`edit`]: what can be done to a booking that exists
//! - [`series`]: bookings that repeat

pub mod edit;
pub mod series;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::card::CardNumber;
use crate::id::{CardUuid, ReservationId, UserId};
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
    /// Of these of the cards only so many shares; the others are taken whole.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shares: BTreeMap<CardUuid, u32>,
    /// When.
    pub window: Window,
    /// IANA zone in which the times were meant; `None`: the booker's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// What for; may be empty.
    pub purpose: String,
    /// For whom; `None`: for oneself. For somebody else only administrators book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserId>,
    /// Who may launch on it as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub co_users: Vec<UserId>,
    /// Made up by the client; the same key never books twice.
    pub idempotency_key: uuid::Uuid,
}

impl NewReservation {
    /// Whole cards, for oneself, in one's own zone.
    #[must_use]
    pub fn of_cards(cards: Vec<CardUuid>, window: Window, purpose: impl Into<String>, key: uuid::Uuid) -> Self {
        Self {
            cards,
            shares: BTreeMap::new(),
            window,
            zone: None,
            purpose: purpose.into(),
            owner: None,
            co_users: Vec::new(),
            idempotency_key: key,
        }
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Holds its cards until somebody approves or refuses it.
    Awaiting,
    /// Holds its cards until its owner, who waited for them, takes them or not.
    Offered,
    /// Not begun.
    Scheduled,
    /// Its cards are its owner's now.
    Active,
    /// Over, at its end or earlier by its owner's wish. Stays on record.
    Ended,
    /// Called off, refused or never approved. Stays on record.
    Cancelled,
    /// Given back before its end by a rule, because it was idle. Stays on record.
    Released,
    /// Given back by a rule, because nobody came. Stays on record.
    Missed,
}

impl State {
    /// It holds its cards, now or later.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Awaiting | Self::Offered | Self::Scheduled | Self::Active)
    }
}

/// What a booking waits for before it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Awaits {
    /// A manager of its owner's group, or an administrator.
    Approval,
    /// Its owner, to whom it is offered.
    Answer,
}

/// What became of a booking, where that is not what its times say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Called off before it began.
    Cancelled,
    /// Not approved.
    Refused,
    /// Nobody approved it, or took the offer, in time.
    Lapsed,
    /// All its cards were idle, and a rule gave them back.
    Released,
    /// Nobody came, and a rule gave its cards back.
    Missed,
}

macro_rules! stored_words {
    ($name:ident { $($variant:ident = $word:literal),* }) => {
        impl $name {
            /// The word that is stored.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Reads the stored word.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

stored_words!(Awaits { Approval = "approval", Answer = "answer" });
stored_words!(Fate {
    Cancelled = "cancelled",
    Refused = "refused",
    Lapsed = "lapsed",
    Released = "released",
    Missed = "missed"
});

/// Derives the state; `window` is the one that holds after an early end.
#[must_use]
pub fn state(window: &Window, awaits: Option<Awaits>, fate: Option<Fate>, now: OffsetDateTime) -> State {
    match (fate, awaits) {
        (Some(Fate::Cancelled | Fate::Refused | Fate::Lapsed), _) => State::Cancelled,
        (Some(Fate::Released), _) => State::Released,
        (Some(Fate::Missed), _) => State::Missed,
        (None, Some(Awaits::Approval)) => State::Awaiting,
        (None, Some(Awaits::Answer)) => State::Offered,
        (None, None) if now < window.start() => State::Scheduled,
        (None, None) if window.contains(now) => State::Active,
        (None, None) => State::Ended,
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
        let window = Window::new(start, start + Duration::minutes(length_min)).expect("not empty");
        NewReservation::of_cards(vec![card(1)], window, " train ", uuid::Uuid::nil())
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
        assert_eq!(state(&window, None, None, window.start() - Duration::seconds(1)), State::Scheduled);
        assert_eq!(state(&window, None, None, window.start()), State::Active);
        assert_eq!(state(&window, None, None, window.end()), State::Ended);
        assert_eq!(state(&window, None, Some(Fate::Cancelled), window.start()), State::Cancelled);
    }
}
