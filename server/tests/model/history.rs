//! Judges what many clients were told, without asking the database: when could which booking have held what, and was
//! there ever a reason for each refusal?
//!
//! Instants are numbers that every client takes from one counter, before it asks and after it was answered. What was
//! asked for may have been done at any instant between the two.

use std::collections::BTreeSet;
use std::fmt;

use domain::id::{CardUuid, ReservationId};
use domain::window::Window;

use crate::naive::{Booking, Part};
use crate::park::Park;

/// From before a request was sent until after it was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    pub asked: u64,
    pub answered: u64,
}

/// A card that somebody holds, or wants.
#[derive(Clone, Debug)]
pub struct Hold {
    pub card: CardUuid,
    pub part: Part,
    pub window: Window,
}

impl Hold {
    /// Both are of the same thing at one time.
    pub fn clashes(&self, other: &Self) -> bool {
        self.part.meets(&other.part) && self.window.overlaps(&other.window)
    }

    /// Everything that a booking of whole cards holds.
    pub fn all_of(booking: &Booking, park: &Park) -> Vec<Self> {
        let pieces = booking.cards.pieces().filter(|_| !booking.released);
        pieces
            .map(|(card, window, _)| Self { card: card.clone(), part: park.card(card).unwrap().part.clone(), window })
            .collect()
    }
}

/// What a booking held for a while.
#[derive(Clone, Debug)]
pub struct Claim {
    pub booking: ReservationId,
    pub holds: Vec<Hold>,
    /// When it came about.
    pub since: Between,
    /// When it was given up, or became another claim.
    pub until: Option<Between>,
}

/// Somebody was told that a card is held.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub wanted: Vec<Hold>,
    /// The bookings that were to change, which are in nobody's way.
    pub of: BTreeSet<ReservationId>,
    pub during: Between,
    /// Who was named as being in the way.
    pub named: Vec<(ReservationId, CardUuid, Window)>,
}

/// Something that cannot have been right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Two bookings held the same at the same time, and both were acknowledged.
    Doubled(ReservationId, ReservationId),
    /// Refused, though nobody can have held it.
    Groundless(Between),
    /// Refused because of a booking that cannot have held it.
    NamedWrongly(Between, ReservationId),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Doubled(a, b) => write!(f, "{a} and {b} held the same card at the same time"),
            Self::Groundless(when) => write!(f, "refused at {when:?}, though nobody can have held it"),
            Self::NamedWrongly(when, id) => write!(f, "{id} was named at {when:?}, and cannot have been in the way"),
        }
    }
}

impl Claim {
    /// May it have held at some instant of these?
    fn may_hold(&self, during: Between) -> bool {
        self.since.asked < during.answered && self.until.is_none_or(|until| during.asked < until.answered)
    }

    /// Instants at which it certainly held: from, until.
    fn surely(&self) -> (u64, u64) {
        (self.since.answered, self.until.map_or(u64::MAX, |until| until.asked))
    }

    fn meets(&self, holds: &[Hold]) -> bool {
        self.holds.iter().any(|held| holds.iter().any(|hold| hold.clashes(held)))
    }
}

/// Everything that cannot have been right.
pub fn violations(claims: &[Claim], refusals: &[Refusal]) -> Vec<Violation> {
    let mut found = Vec::new();
    for (n, a) in claims.iter().enumerate() {
        let (from, until) = a.surely();
        for b in &claims[n + 1..] {
            let (b_from, b_until) = b.surely();
            if a.booking != b.booking && from.max(b_from) < until.min(b_until) && a.meets(&b.holds) {
                found.push(Violation::Doubled(a.booking, b.booking));
            }
        }
    }
    for refusal in refusals {
        let possible: Vec<&Claim> = claims
            .iter()
            .filter(|claim| !refusal.of.contains(&claim.booking) && claim.may_hold(refusal.during))
            .filter(|claim| claim.meets(&refusal.wanted))
            .collect();
        if possible.is_empty() {
            found.push(Violation::Groundless(refusal.during));
        }
        for (id, card, window) in &refusal.named {
            // Of a card that was taken out and put back, the rows know of two pieces where there is one here.
            let held = |hold: &Hold| {
                hold.window.overlaps(window)
                    && refusal.wanted.iter().any(|want| want.card == *card && want.clashes(hold))
            };
            if !possible.iter().any(|claim| claim.booking == *id && claim.holds.iter().any(held)) {
                found.push(Violation::NamedWrongly(refusal.during, *id));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MORNING;
    use time::Duration;
    use uuid::Uuid;

    fn hold(card: &str, from: i64, until: i64) -> Hold {
        Hold {
            card: CardUuid::parse(card).unwrap(),
            part: Part { gpu: card.to_owned(), from: 0, to: None },
            window: Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(until)).unwrap(),
        }
    }

    fn claim(n: u128, hold: Hold, since: (u64, u64), until: Option<(u64, u64)>) -> Claim {
        let between = |(asked, answered)| Between { asked, answered };
        Claim {
            booking: ReservationId(Uuid::from_u128(n)),
            holds: vec![hold],
            since: between(since),
            until: until.map(between),
        }
    }

    fn refusal(wanted: Hold, during: (u64, u64), named: &[&Claim]) -> Refusal {
        let named = named.iter().map(|claim| (claim.booking, wanted.card.clone(), claim.holds[0].window)).collect();
        Refusal {
            wanted: vec![wanted],
            of: BTreeSet::new(),
            during: Between { asked: during.0, answered: during.1 },
            named,
        }
    }

    #[test]
    fn two_who_surely_held_the_same_are_seen() {
        let first = claim(1, hold("GPU-a", 1, 3), (1, 2), None);
        for (second, doubled) in [
            (claim(2, hold("GPU-a", 2, 4), (3, 4), None), true),
            (claim(2, hold("GPU-a", 3, 4), (3, 4), None), false),
            (claim(2, hold("GPU-b", 2, 4), (3, 4), None), false),
        ] {
            assert_eq!(!violations(&[first.clone(), second], &[]).is_empty(), doubled);
        }
        // Given up while the other one was asked for: that may have been in the right order.
        let given_up = claim(1, hold("GPU-a", 1, 3), (1, 2), Some((4, 8)));
        assert!(violations(&[given_up.clone(), claim(2, hold("GPU-a", 1, 3), (3, 6), None)], &[]).is_empty());
        // Acknowledged before anybody asked to give the first one up: it was not.
        assert_eq!(violations(&[given_up, claim(2, hold("GPU-a", 1, 3), (1, 3), None)], &[]).len(), 1);
    }

    #[test]
    fn a_refusal_needs_somebody_who_may_have_been_in_the_way() {
        let held = claim(1, hold("GPU-a", 1, 3), (5, 8), Some((20, 30)));
        for (wanted, during, ground) in [
            (hold("GPU-a", 2, 3), (6, 7), true),
            (hold("GPU-a", 2, 3), (25, 28), true),
            (hold("GPU-a", 2, 3), (1, 4), false),
            (hold("GPU-a", 2, 3), (31, 32), false),
            (hold("GPU-a", 3, 4), (10, 12), false),
            (hold("GPU-b", 2, 3), (10, 12), false),
        ] {
            let told = refusal(wanted, during, &[]);
            assert_eq!(violations(std::slice::from_ref(&held), &[told]).is_empty(), ground, "{during:?}");
        }
    }

    #[test]
    fn who_is_named_must_have_been_in_the_way() {
        let held = claim(1, hold("GPU-a", 1, 3), (1, 2), None);
        let innocent = claim(2, hold("GPU-a", 5, 6), (1, 2), None);
        let claims = [held.clone(), innocent.clone()];
        assert!(violations(&claims, &[refusal(hold("GPU-a", 2, 3), (4, 5), &[&held])]).is_empty());
        let told = refusal(hold("GPU-a", 2, 3), (4, 5), &[&held, &innocent]);
        let wrong = Violation::NamedWrongly(told.during, innocent.booking);
        assert_eq!(violations(&claims, &[told]), [wrong]);
    }
}
