//! What is asked of the agent about jobs and bookings, and the reasons for which nothing is started that have to do with it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::id::ReservationId;
use crate::window::Window;
use crate::wire::guard_v1::CardName;

/// On which cards a job is to start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchAsk {
    /// Cards by index or UUID, in this order; empty for all that are the caller's now.
    pub cards: Vec<String>,
    /// On this booking alone: its id, the beginning or the end of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<String>,
    /// On so many cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u32>,
    /// Where the caller has no booking: cards are booked for so long at first, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// Also on cards that others use without a booking.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

/// A booking of the caller's, as one of several is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnBooking {
    /// Which.
    pub id: ReservationId,
    /// Display name of the holder, where that is somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Its cards on this host.
    pub cards: Vec<CardName>,
    /// When.
    pub window: Window,
}

impl OwnBooking {
    /// A short name: the last eight digits of the id, where two that were made together differ.
    #[must_use]
    pub fn short(&self) -> String {
        short(self.id)
    }
}

/// The last eight digits of a booking's id.
#[must_use]
pub fn short(id: ReservationId) -> String {
    let whole = id.0.simple().to_string();
    whole.get(24..).unwrap_or(&whole).to_owned()
}

/// Whether this is what somebody calls that booking: its id, or four digits or more from either end of it.
#[must_use]
pub fn is_called(id: ReservationId, text: &str) -> bool {
    let digits: String = text.trim().chars().filter(|c| *c != '-').collect::<String>().to_ascii_lowercase();
    let whole = id.0.simple().to_string();
    digits.len() >= 4 && (whole.starts_with(&digits) || whole.ends_with(&digits))
}

/// What is to be booked on this host, for whoever asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookAsk {
    /// Cards by index or UUID; empty for the best linked `count`.
    pub cards: Vec<String>,
    /// So many cards, where none are named.
    pub count: u32,
    /// When it begins; `None`: now.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub start: Option<OffsetDateTime>,
    /// How long, in minutes.
    pub minutes: u32,
    /// What for; may be empty.
    #[serde(default)]
    pub purpose: String,
}

/// The caller's bookings on this host, those that run and those of the next days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnBookings {
    /// Name of the host in the portal.
    pub host_name: String,
    /// In order of their start.
    pub bookings: Vec<OwnBooking>,
    /// Age of what is known, in seconds; `None` where nothing is.
    pub table_age_s: Option<u64>,
}

/// Somebody is on a card, or is about to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Which.
    pub card: CardName,
    /// Account.
    pub os_user: String,
    /// Whose that is, where one person is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Its process.
    pub pid: u32,
    /// Since when, where known.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub since: Option<OffsetDateTime>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn bookings_are_called_by_either_end_of_their_id() {
        let id = ReservationId(Uuid::from_u128(0x0190_aaaa_bbbb_7ccc_8ddd_eeee_1234_5678));
        assert_eq!(short(id), "12345678");
        for name in [id.to_string().as_str(), "0190aaaa", "0190-AAAA", "5678", " 12345678 "] {
            assert!(is_called(id, name), "{name}");
        }
        for name in ["", "678", "0190aaab", "aaaa"] {
            assert!(!is_called(id, name), "{name}");
        }
    }
}
