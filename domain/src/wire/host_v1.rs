//! Agent to server: bookings that a host makes and changes in the name of whoever has an account on it. Only what lies
//! wholly on that host; everything else needs the person.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::id::{CardUuid, ReservationId};
use crate::window::Window;

/// Path of [`HostBooking`]; answers [`HostBooked`]. `Authorization: Bearer` with the host's credential.
pub const BOOK_PATH: &str = "/api/v1/agent/book";
/// Path of [`HostChange`]; answers [`HostChanged`]. `Authorization: Bearer` with the host's credential.
pub const CHANGE_PATH: &str = "/api/v1/agent/change";

/// Books cards of this host for the person whose account asks there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostBooking {
    /// The account, as the host's kernel names it.
    pub os_user: String,
    /// Made up by the host; the same key never books twice.
    pub key: Uuid,
    /// Just these cards. Empty: `count` of them, the best linked that are free for all of the time.
    #[serde(default)]
    pub cards: Vec<CardUuid>,
    /// So many cards, where none are named.
    #[serde(default)]
    pub count: u32,
    /// Cards that are not to be taken, as somebody uses them.
    #[serde(default)]
    pub avoid: Vec<CardUuid>,
    /// When it begins; `None`: now, by the server's clock.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub start: Option<OffsetDateTime>,
    /// How long, in minutes.
    pub minutes: u32,
    /// What for; may be empty.
    #[serde(default)]
    pub purpose: String,
}

/// What was booked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostBooked {
    /// The booking.
    pub reservation: ReservationId,
    /// Its cards.
    pub cards: Vec<CardUuid>,
    /// When.
    pub window: Window,
    /// It waits for approval: nothing is started on it yet.
    #[serde(default)]
    pub awaits: bool,
}

/// Changes a booking of the person whose account asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostChange {
    /// The account, as the host's kernel names it.
    pub os_user: String,
    /// Which booking.
    pub booking: Which,
    /// What is done.
    pub act: HostAct,
}

/// Which booking is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// By its id.
    Id(ReservationId),
    /// The one that this key has made, where the answer was lost.
    Key(Uuid),
}

/// What is done to a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAct {
    /// It is to last until then.
    Until(#[serde(with = "time::serde::rfc3339")] OffsetDateTime),
    /// It ends now; one that has not begun is called off. What is over stays as it is.
    End,
}

/// What has become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostChanged {
    /// The booking; `None` where the key has made none.
    pub reservation: Option<ReservationId>,
    /// When it is now; `None` where it is over or was called off.
    pub window: Option<Window>,
}
