//! Wall time of one IANA zone, from a table of its offset changes.
//!
//! The server cuts the table out of the tz database for the years around now and sends it along, so the browser
//! needs no tz database and both sides give the same words for the same instant.

#[cfg(test)]
pub(crate) mod samples;

use serde::{Deserialize, Serialize};
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

/// One span with a constant offset, from `from` until the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offset {
    /// First instant at which it holds, in seconds since 1970.
    pub from: i64,
    /// Seconds east of UTC.
    pub seconds: i32,
    /// The usual letters (`CET`), or `+0545` where a zone has none.
    pub letters: String,
}

/// A zone's offsets over a span of years.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneTable {
    name: String,
    /// In order; the first holds for all earlier instants too.
    offsets: Vec<Offset>,
}

/// What a wall time means in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// One instant.
    Once(OffsetDateTime),
    /// Clocks jump over it: no such time that day.
    Never,
    /// Clocks are set back over it: it comes twice.
    Twice(OffsetDateTime, OffsetDateTime),
}

impl ZoneTable {
    /// A table from spans in any order; without spans it is UTC.
    #[must_use]
    pub fn new(name: String, mut offsets: Vec<Offset>) -> Self {
        offsets.sort_by_key(|offset| offset.from);
        Self { name, offsets }
    }

    /// Coordinated universal time.
    #[must_use]
    pub fn utc() -> Self {
        Self::new("UTC".to_owned(), vec![Offset { from: i64::MIN, seconds: 0, letters: "UTC".to_owned() }])
    }

    /// IANA name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn offset_at(&self, at: OffsetDateTime) -> Option<&Offset> {
        let seconds = at.unix_timestamp();
        let later = self.offsets.partition_point(|offset| offset.from <= seconds);
        self.offsets.get(later.saturating_sub(1))
    }

    /// The letters of the zone at an instant, such as `CET`.
    #[must_use]
    pub fn letters(&self, at: OffsetDateTime) -> &str {
        self.offset_at(at).map_or("UTC", |offset| &offset.letters)
    }

    /// The instant as this zone's clocks show it.
    #[must_use]
    pub fn local(&self, at: OffsetDateTime) -> OffsetDateTime {
        let seconds = self.offset_at(at).map_or(0, |offset| offset.seconds);
        let offset = UtcOffset::from_whole_seconds(seconds).unwrap_or(UtcOffset::UTC);
        at.checked_to_offset(offset).unwrap_or(at)
    }

    /// What instant a wall time names.
    #[must_use]
    pub fn resolve(&self, wall: PrimitiveDateTime) -> Wall {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        for offset in self.offsets.iter().map(|offset| offset.seconds).chain(self.offsets.is_empty().then_some(0)) {
            if seen.contains(&offset) {
                continue;
            }
            seen.push(offset);
            let Ok(utc_offset) = UtcOffset::from_whole_seconds(offset) else { continue };
            // The last hours of the year 9999 are beyond what can be counted.
            let Some(instant) = wall.assume_offset(utc_offset).checked_to_offset(UtcOffset::UTC) else { continue };
            if self.offset_at(instant).map_or(0, |o| o.seconds) == offset {
                found.push(instant);
            }
        }
        found.sort();
        match found.as_slice() {
            [] => Wall::Never,
            [once] => Wall::Once(*once),
            [first, .., second] => Wall::Twice(*first, *second),
        }
    }

    /// The instant at which a local day begins: midnight, or the first time after it that exists.
    #[must_use]
    pub fn day_start(&self, day: Date) -> OffsetDateTime {
        let mut wall = PrimitiveDateTime::new(day, Time::MIDNIGHT);
        for _ in 0..8 {
            match self.resolve(wall) {
                Wall::Once(at) | Wall::Twice(at, _) => return at,
                Wall::Never => wall = wall.checked_add(Duration::minutes(30)).unwrap_or(wall),
            }
        }
        wall.assume_utc()
    }

    /// Length of a local day: 24 hours, or 23 or 25 (or 23.5 and 24.5) when clocks change.
    #[must_use]
    pub fn day_length(&self, day: Date) -> Duration {
        let next = day.next_day().unwrap_or(day);
        self.day_start(next) - self.day_start(day)
    }
}

#[cfg(test)]
mod tests {
    use super::samples::berlin;
    use super::*;
    use time::macros::{date, datetime};

    #[test]
    fn ordinary_times() {
        let zone = berlin();
        assert_eq!(zone.resolve(datetime!(2026-07-01 09:00)), Wall::Once(datetime!(2026-07-01 07:00 UTC)));
        assert_eq!(zone.local(datetime!(2026-12-01 08:00 UTC)), datetime!(2026-12-01 09:00 +1));
        assert_eq!(zone.letters(datetime!(2026-07-01 07:00 UTC)), "CEST");
    }

    #[test]
    fn the_hour_that_is_missing_and_the_hour_that_comes_twice() {
        let zone = berlin();
        assert_eq!(zone.resolve(datetime!(2026-03-29 02:30)), Wall::Never);
        assert_eq!(
            zone.resolve(datetime!(2026-10-25 02:30)),
            Wall::Twice(datetime!(2026-10-25 00:30 UTC), datetime!(2026-10-25 01:30 UTC))
        );
        assert_eq!(zone.resolve(datetime!(2026-10-25 03:00)), Wall::Once(datetime!(2026-10-25 02:00 UTC)));
    }

    #[test]
    fn days_of_23_24_and_25_hours() {
        let zone = berlin();
        assert_eq!(zone.day_length(date!(2026 - 03 - 28)), Duration::hours(24));
        assert_eq!(zone.day_length(date!(2026 - 03 - 29)), Duration::hours(23));
        assert_eq!(zone.day_length(date!(2026 - 10 - 25)), Duration::hours(25));
    }

    #[test]
    fn utc_never_changes() {
        let zone = ZoneTable::utc();
        assert_eq!(zone.resolve(datetime!(2026-03-29 02:30)), Wall::Once(datetime!(2026-03-29 02:30 UTC)));
    }
}
