//! Bookings that repeat: asked for at once, expanded by the wall clock of the booker's zone, each then a booking of its own.

use serde::{Deserialize, Serialize};
use time::Date;

use super::NewReservation;
use crate::draft::wall::Which;
use crate::error::ApiError;
use crate::id::{ReservationId, SeriesId};
use crate::window::Window;

/// Most bookings of one series.
pub const OCCURRENCES_MAX: usize = 100;

/// How a booking repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// How often.
    pub every: Every,
    /// Until when.
    pub end: RepeatEnd,
}

/// How often a booking repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Every {
    /// Every day.
    Day,
    /// Monday to Friday.
    Weekday,
    /// The same day of each week.
    Week,
}

/// When repeating ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatEnd {
    /// The last local day on which one may begin.
    Until(Date),
    /// So many in all, the first one included.
    Times(u16),
}

/// A series as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSeries {
    /// The first one. Its key is the key of the whole request.
    pub first: NewReservation,
    /// How it repeats.
    pub repeat: Repeat,
    /// What to do where some of them cannot be booked.
    pub take: Take,
    /// Which of two equal times is meant where clocks are set back. `None`: such a day is asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubled: Option<Which>,
}

/// What to do where some of a series cannot be booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// Book all or none.
    AllOrNothing,
    /// Book those that are free.
    FreeOnes,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesOutcome {
    /// The series; `None` where nothing was booked.
    pub series: Option<SeriesId>,
    /// Those that are booked, in order of time.
    pub booked: Vec<ReservationId>,
    /// Those that are not, in order of time.
    pub refused: Vec<RefusedOccurrence>,
}

/// One of a series that cannot be booked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedOccurrence {
    /// Its local day.
    pub day: Date,
    /// When it would have been; `None` where its time does not exist, or comes twice.
    pub window: Option<Window>,
    /// Why.
    pub why: ApiError,
}
