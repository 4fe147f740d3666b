//! The calendar: who holds what when, for a stretch of time, and what the panel beside it needs.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::{CardNumber, Mib};
use crate::id::{CardUuid, HostId, MaintenanceId, ReservationId, UserId, WaitId};
use crate::reservation::State;
use crate::rules::Rule;
use crate::window::Window;

/// Which stretch of time, half-open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarAsk {
    /// First instant.
    #[serde(with = "time::serde::rfc3339")]
    pub from: OffsetDateTime,
    /// First instant after it; at most [`SPAN_MAX_DAYS`] later.
    #[serde(with = "time::serde::rfc3339")]
    pub to: OffsetDateTime,
}

/// Longest stretch that is given at once: two weeks shown, and as much on either side.
pub const SPAN_MAX_DAYS: i64 = 45;

/// The calendar of a stretch of time. What cards do now is in [`crate::wire::live_v1::Fleet`], which the page has too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calendar {
    /// What was asked for.
    pub span: CalendarAsk,
    /// The server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// Equal as long as no booking, card, rule or maintenance has changed.
    pub version: String,
    /// In order of their names.
    pub hosts: Vec<CalendarHost>,
    /// Open and past ones that held a card for a while, in order of their start.
    pub bookings: Vec<CalendarBooking>,
    /// When cards are not to be had, in order of their start.
    pub closures: Vec<Closure>,
    /// The viewer's own places in the queue.
    pub waiting: Vec<Waiting>,
    /// Rules that hold for the viewer.
    pub rules: Vec<Rule>,
    /// The viewer's groups, in order of their names.
    pub groups: Vec<String>,
}

/// A host's rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalendarHost {
    /// Identity.
    pub id: HostId,
    /// Name.
    pub name: String,
    /// Labels of the host, in order.
    pub labels: Vec<String>,
    /// Cards that can be or were booked: of a card that is cut up its instances. In index order.
    pub cards: Vec<CalendarCard>,
    /// Sets of cards that are linked by NVLink directly, as positions in `cards`, each with its word (`NV4`).
    pub linked: Vec<(Vec<u16>, String)>,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalendarCard {
    /// Identity.
    pub uuid: CardUuid,
    /// Number on its host.
    pub number: CardNumber,
    /// Model without the maker, or the MIG profile.
    pub model: String,
    /// Memory, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Mib>,
    /// Labels of the card itself, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Open for so many shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<u32>,
    /// What each share is asked to stay within.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_memory_mib: Option<Mib>,
}

/// A booking as the calendar draws it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalendarBooking {
    /// Identity.
    pub id: ReservationId,
    /// Version, for edits.
    pub version: i32,
    /// Holder.
    pub owner: UserId,
    /// Display name of the holder.
    pub holder: String,
    /// Colour of the holder, in degrees.
    pub hue: u16,
    /// What for; may be empty.
    pub purpose: String,
    /// Where it stands now.
    pub state: State,
    /// When, as a whole.
    pub window: Window,
    /// What it holds, by host and card.
    pub holds: Vec<Hold>,
    /// It is one of several that repeat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
    /// So many wait for a card of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiting: u32,
    /// The viewer may launch on it without being its owner.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub co_user: bool,
    /// Whether the viewer may change it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_change: bool,
    /// Whether the viewer may approve it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_approve: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// One card of a booking, or some shares of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Which.
    pub card: CardUuid,
    /// So many shares; `None`: the whole card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<u32>,
    /// When, where that is not the booking's own time: cards come and go while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// A time in which cards are not to be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closure {
    /// The maintenance; `None` where a card is not bookable at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maintenance: Option<MaintenanceId>,
    /// Why.
    pub reason: String,
    /// When; `None`: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Which cards.
    pub cards: Vec<CardUuid>,
}

/// A place in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Identity.
    pub id: WaitId,
    /// What is waited for.
    pub want: crate::finder::Want,
    /// What for.
    pub purpose: String,
    /// Told, or booked for.
    pub mode: WaitMode,
    /// Place among those who want cards of the same kind at the same time, 1 for whoever is served first: who had the
    /// fewest GPU-hours of late, then who came first.
    pub position: u32,
    /// It is given up then.
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
}

/// A place in the queue, as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitAsk {
    /// What is waited for.
    pub want: crate::finder::Want,
    /// What for; may be empty.
    pub purpose: String,
    /// Told, or booked for.
    pub mode: WaitMode,
    /// It is given up then.
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
}

/// What happens when cards become free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitMode {
    /// The waiter is told, and has a while to take them.
    Tell,
    /// They are booked for the waiter.
    Book,
}
