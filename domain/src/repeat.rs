//! Bookings that repeat, by the wall clock: 09:00 stays 09:00 on the days on which clocks change.
//!
//! Zone and clock of the server play no part. What the clocks of the booker's zone do not show, or show twice, is said
//! of the day on which it happens; the other days are not touched by it.

#[cfg(test)]
mod tests;

use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime, Weekday};

use crate::draft::Unreadable;
use crate::draft::wall::{self, BadWall, Which};
use crate::reservation::series::{Every, OCCURRENCES_MAX, Repeat, RepeatEnd};
use crate::window::Window;
use crate::zone::ZoneTable;

/// One of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The local day on which it begins.
    pub day: Date,
    /// When; or what is wrong with the first of its two times that is not one instant.
    pub window: Result<Window, BadWall>,
}

/// Every day of a series, in order, the first one as it is asked for, whatever day of the week that is.
///
/// Both ends go by the wall clock, so an overnight booking ends at the next day's time, and one over the night of a
/// change is an hour longer or shorter than the others. `doubled` says which of two equal times is meant.
///
/// Nothing comes out of a repeat that ends before its first day or of no times; more than [`OCCURRENCES_MAX`] are cut off
/// (see [`is_too_long`]).
#[must_use]
pub fn expand(first: &Window, repeat: &Repeat, zone: &ZoneTable, doubled: Option<Which>) -> Vec<Occurrence> {
    let pattern = Pattern::of(first, zone);
    let later =
        days(pattern.start.date(), repeat).map(|day| Occurrence { day, window: pattern.on(day, zone, doubled) });
    let mut all: Vec<Occurrence> = later.take(OCCURRENCES_MAX).collect();
    // What is asked for is an instant already: a choice for the other days does not move it.
    if let Some(occurrence) = all.first_mut() {
        occurrence.window = Ok(*first);
    }
    all
}

/// Whether a repeat asks for more days than a series may have.
#[must_use]
pub fn is_too_long(first: &Window, repeat: &Repeat, zone: &ZoneTable) -> bool {
    days(zone.local(first.start()).date(), repeat).nth(OCCURRENCES_MAX).is_some()
}

/// Moves one of a series as another one was moved: each end by as much as the clocks on the wall say that it was.
///
/// An end that was not moved stays the instant that it is.
///
/// # Errors
/// [`Unreadable::Start`] and [`Unreadable::End`] where clocks do not show the time, or show it twice and `doubled` does
/// not say which; [`Unreadable::EndsFirst`] where nothing is left of it: it was shorter than the one that was moved.
pub fn follow(
    each: &Window,
    was: &Window,
    becomes: &Window,
    zone: &ZoneTable,
    doubled: Option<Which>,
) -> Result<Window, Unreadable> {
    let moved = |each: OffsetDateTime, was: OffsetDateTime, becomes: OffsetDateTime| {
        if was == becomes {
            return Ok(each);
        }
        let by = plain(becomes, zone) - plain(was, zone);
        wall::resolve(plain(each, zone).checked_add(by).ok_or(BadWall::Unreadable)?, doubled, zone)
    };
    let start = moved(each.start(), was.start(), becomes.start()).map_err(Unreadable::Start)?;
    let end = moved(each.end(), was.end(), becomes.end()).map_err(Unreadable::End)?;
    Window::new(start, end).map_err(|_| Unreadable::EndsFirst { meant: None })
}

/// A booking by the clocks on the wall.
struct Pattern {
    start: PrimitiveDateTime,
    end: PrimitiveDateTime,
    length: Duration,
}

impl Pattern {
    fn of(first: &Window, zone: &ZoneTable) -> Self {
        Self { start: plain(first.start(), zone), end: plain(first.end(), zone), length: first.length() }
    }

    fn on(&self, day: Date, zone: &ZoneTable, doubled: Option<Which>) -> Result<Window, BadWall> {
        let start = wall::resolve(PrimitiveDateTime::new(day, self.start.time()), doubled, zone)?;
        let end = if self.start < self.end {
            let last = day.checked_add(self.end.date() - self.start.date()).ok_or(BadWall::Unreadable)?;
            wall::resolve(PrimitiveDateTime::new(last, self.end.time()), doubled, zone)?
        } else {
            // From 02:45 to 02:15, in the one night in which clocks are set back between the two. What other days can
            // have in common with that is its length.
            start.checked_add(self.length).ok_or(BadWall::Unreadable)?
        };
        Window::new(start, end).map_err(|_| BadWall::Unreadable)
    }
}

fn plain(at: OffsetDateTime, zone: &ZoneTable) -> PrimitiveDateTime {
    let local = zone.local(at);
    PrimitiveDateTime::new(local.date(), local.time())
}

/// The days on which a repeat begins, without an upper bound of their own.
fn days(first: Date, repeat: &Repeat) -> impl Iterator<Item = Date> {
    let Repeat { every, end } = *repeat;
    let step = if every == Every::Week { 7 } else { 1 };
    let wanted = move |day: &Date| {
        let weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
        every != Every::Weekday || !weekend || *day == first
    };
    let (until, times) = match end {
        RepeatEnd::Until(until) => (until, usize::MAX),
        RepeatEnd::Times(times) => (Date::MAX, usize::from(times)),
    };
    std::iter::successors(Some(first), move |day| day.checked_add(Duration::days(step)))
        .take_while(move |day| *day <= until)
        .filter(wanted)
        .take(times)
}
