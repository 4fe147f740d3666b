//! Times as `datetime-local` fields hold them, `2026-11-30T14:00`, in one zone.

use serde::{Deserialize, Serialize};
use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time};

use crate::zone::{Wall, ZoneTable};

/// Which of two equal times is meant, on the night when clocks are set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// Before clocks are set back.
    First,
    /// After.
    Second,
}

impl Which {
    /// As a form field holds it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }

    /// From a form field; anything else is no choice.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "first" => Some(Self::First),
            "second" => Some(Self::Second),
            _ => None,
        }
    }
}

/// Why a field is not one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadWall {
    /// Nothing is in it.
    Empty,
    /// It is not a date and a time.
    Unreadable,
    /// Clocks jump over it; the first time after the jump.
    Never {
        /// When clocks go on.
        next: OffsetDateTime,
    },
    /// It comes twice, and nobody has said which is meant.
    Twice {
        /// The earlier one.
        first: OffsetDateTime,
        /// The later one.
        second: OffsetDateTime,
    },
}

/// Reads `YYYY-MM-DDTHH:MM`, also with a space and with seconds, which are dropped.
#[must_use]
pub fn parse(text: &str) -> Option<PrimitiveDateTime> {
    let (date, clock) = text.trim().split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-');
    let (year, month, day) = (number(date.next()?, 4)?, number(date.next()?, 2)?, number(date.next()?, 2)?);
    let mut clock = clock.splitn(3, ':');
    let (hour, minute) = (number(clock.next()?, 2)?, number(clock.next()?, 2)?);
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(i32::from(year), month, u8::try_from(day).ok()?).ok()?;
    let time = Time::from_hms(u8::try_from(hour).ok()?, u8::try_from(minute).ok()?, 0).ok()?;
    Some(PrimitiveDateTime::new(date, time))
}

/// Digits, exactly so many: `u16::from_str` would take `+5` too.
fn number(text: &str, digits: usize) -> Option<u16> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// The instant that a field names in a zone.
///
/// # Errors
/// [`BadWall`] where it names none, or two and `which` is not said.
pub fn read(text: &str, which: Option<Which>, zone: &ZoneTable) -> Result<OffsetDateTime, BadWall> {
    if text.trim().is_empty() {
        return Err(BadWall::Empty);
    }
    resolve(parse(text).ok_or(BadWall::Unreadable)?, which, zone)
}

/// The instant that a wall time names in a zone.
///
/// # Errors
/// [`BadWall::Never`] where clocks jump over it, [`BadWall::Twice`] where it comes twice and `which` is not said.
pub fn resolve(wall: PrimitiveDateTime, which: Option<Which>, zone: &ZoneTable) -> Result<OffsetDateTime, BadWall> {
    match (zone.resolve(wall), which) {
        (Wall::Once(at), _) | (Wall::Twice(at, _), Some(Which::First)) | (Wall::Twice(_, at), Some(Which::Second)) => {
            Ok(at)
        }
        (Wall::Twice(first, second), None) => Err(BadWall::Twice { first, second }),
        (Wall::Never, _) => Err(BadWall::Never { next: after_gap(wall, zone) }),
    }
}

/// The first time that exists after one that does not. No gap is longer than a day.
#[must_use]
pub fn after_gap(wall: PrimitiveDateTime, zone: &ZoneTable) -> OffsetDateTime {
    let minutes = (1..=24 * 60).map_while(|minute| wall.checked_add(Duration::minutes(minute)));
    let exists = |wall| match zone.resolve(wall) {
        Wall::Once(at) | Wall::Twice(at, _) => Some(at),
        Wall::Never => None,
    };
    minutes.into_iter().find_map(exists).unwrap_or_else(|| wall.assume_utc())
}

/// What a field holds for an instant; seconds are dropped. Says which of two equal times it is.
#[must_use]
pub fn write(at: OffsetDateTime, zone: &ZoneTable) -> (String, Option<Which>) {
    let local = zone.local(at);
    let text = format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}",
        local.year(),
        u8::from(local.month()),
        local.day(),
        local.hour(),
        local.minute()
    );
    let which = match zone.resolve(PrimitiveDateTime::new(local.date(), local.time())) {
        Wall::Twice(_, second) => Some(if at < second { Which::First } else { Which::Second }),
        _ => None,
    };
    (text, which)
}

/// The time of day of `end`, on the first day on which it lies after `start`; `None` where clocks make it doubtful.
pub(super) fn next_day(start: OffsetDateTime, end: OffsetDateTime, zone: &ZoneTable) -> Option<OffsetDateTime> {
    let clock = zone.local(end).time();
    let today = zone.local(start).date();
    [Some(today), today.next_day()].into_iter().flatten().find_map(|day| {
        match zone.resolve(PrimitiveDateTime::new(day, clock)) {
            Wall::Once(at) if at > start => Some(at),
            _ => None,
        }
    })
}

/// A time of day on the day after the one in which `at` lies, such as tomorrow 09:00; the next that exists.
#[must_use]
pub fn tomorrow(at: OffsetDateTime, clock: Time, zone: &ZoneTable) -> OffsetDateTime {
    let today = zone.local(at).date();
    let wall = PrimitiveDateTime::new(today.next_day().unwrap_or(today), clock);
    match zone.resolve(wall) {
        Wall::Once(at) | Wall::Twice(at, _) => at,
        Wall::Never => after_gap(wall, zone),
    }
}

/// The minute in which an instant lies: what a field can hold of it.
#[must_use]
pub fn minute(at: OffsetDateTime) -> OffsetDateTime {
    at - Duration::seconds(i64::from(at.second())) - Duration::nanoseconds(i64::from(at.nanosecond()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zone::samples::berlin;
    use time::macros::{datetime, time};

    #[test]
    fn what_browsers_write() {
        assert_eq!(parse("2026-11-30T14:05"), Some(datetime!(2026-11-30 14:05)));
        assert_eq!(parse(" 2026-11-30 14:05:59.999 "), Some(datetime!(2026-11-30 14:05)));
        for bad in ["", "2026-11-30", "2026-02-30T10:00", "2026-11-30T24:00", "2026-1-1T10:00", "+026-11-30T1:00"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_missing_hour_names_the_time_after_it() {
        assert_eq!(
            read("2026-03-29T02:30", None, &berlin()),
            Err(BadWall::Never { next: datetime!(2026-03-29 01:00 UTC) })
        );
    }

    #[test]
    fn the_doubled_hour_is_asked_about() {
        let (first, second) = (datetime!(2026-10-25 00:30 UTC), datetime!(2026-10-25 01:30 UTC));
        let zone = berlin();
        assert_eq!(read("2026-10-25T02:30", None, &zone), Err(BadWall::Twice { first, second }));
        assert_eq!(read("2026-10-25T02:30", Some(Which::First), &zone), Ok(first));
        assert_eq!(read("2026-10-25T02:30", Some(Which::Second), &zone), Ok(second));
        // A choice left over from another time does no harm.
        assert_eq!(read("2026-10-25T04:30", Some(Which::First), &zone), Ok(datetime!(2026-10-25 03:30 UTC)));
    }

    #[test]
    fn every_quarter_of_the_two_odd_nights_survives_its_field() {
        let zone = berlin();
        for night in [datetime!(2026-03-28 22:00 UTC), datetime!(2026-10-24 22:00 UTC)] {
            for quarter in 0..24 {
                let at = night + Duration::minutes(15 * quarter);
                let (text, which) = write(at, &zone);
                assert_eq!(read(&text, which, &zone), Ok(at), "{text}");
            }
        }
    }

    #[test]
    fn tomorrow_is_the_zones_tomorrow() {
        // 23:30 UTC is the next day already in Berlin.
        assert_eq!(tomorrow(datetime!(2026-11-30 23:30 UTC), time!(09:00), &berlin()), datetime!(2026-12-02 08:00 UTC));
        assert_eq!(tomorrow(datetime!(2026-03-28 12:00 UTC), time!(02:30), &berlin()), datetime!(2026-03-29 01:00 UTC));
    }

    #[test]
    fn a_field_holds_minutes() {
        assert_eq!(minute(datetime!(2026-11-30 14:05:59.25 UTC)), datetime!(2026-11-30 14:05 UTC));
    }
}
