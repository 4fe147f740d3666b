//! Instants as people read them: "14:00" today, "Tue 18:00" within a week, "8 Dec 18:00" later.

use time::{OffsetDateTime, PrimitiveDateTime};

use super::Text;
use crate::window::Window;
use crate::zone::{Wall, ZoneTable};

/// Words and order of a date and a time of day.
#[derive(Debug)]
pub struct WhenText {
    /// Short names, Monday first.
    pub weekdays: [&'static str; 7],
    /// Short names, January first.
    pub months: [&'static str; 12],
    /// Hour and minute.
    pub clock: fn(u8, u8) -> String,
    /// A time of day that comes twice in its night; arguments: the time, the zone's letters.
    pub clock_in_fold: fn(&str, &str) -> String,
    /// Arguments: name of the day, time of day.
    pub weekday: fn(&str, &str) -> String,
    /// Arguments: day, name of the month, the year where it is not this one, time of day.
    pub date: fn(u8, &str, Option<i32>, &str) -> String,
    /// Arguments: start and end.
    pub span: fn(&str, &str) -> String,
}

impl Text {
    /// An instant on the clocks of a zone, no longer than it must be seen from `now`.
    #[must_use]
    pub fn moment(&self, zone: &ZoneTable, at: OffsetDateTime, now: OffsetDateTime) -> String {
        let (local, today) = (zone.local(at), zone.local(now));
        let mut clock = (self.when.clock)(local.hour(), local.minute());
        if let Wall::Twice(..) = zone.resolve(PrimitiveDateTime::new(local.date(), local.time())) {
            clock = (self.when.clock_in_fold)(&clock, zone.letters(at));
        }
        let days = i64::from(local.to_julian_day()) - i64::from(today.to_julian_day());
        match days {
            0 => clock,
            -6..=6 => {
                let day = usize::from(local.weekday().number_days_from_monday());
                (self.when.weekday)(self.when.weekdays.get(day).copied().unwrap_or_default(), &clock)
            }
            _ => {
                let month = usize::from(u8::from(local.month())) - 1;
                let year = (local.year() != today.year()).then(|| local.year());
                (self.when.date)(local.day(), self.when.months.get(month).copied().unwrap_or_default(), year, &clock)
            }
        }
    }

    /// A span on the clocks of a zone. The end is told as seen from the start, so its day is not said twice.
    #[must_use]
    pub fn span(&self, zone: &ZoneTable, window: &Window, now: OffsetDateTime) -> String {
        let start = self.moment(zone, window.start(), now);
        let one_day = zone.local(window.start()).date() == zone.local(window.end()).date();
        let end = self.moment(zone, window.end(), if one_day { window.end() } else { now });
        (self.when.span)(&start, &end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::en;
    use crate::zone::Offset;
    use time::Duration;
    use time::macros::datetime;

    fn berlin() -> ZoneTable {
        let span = |at: OffsetDateTime, hours: i32, letters: &str| Offset {
            from: at.unix_timestamp(),
            seconds: hours * 3600,
            letters: letters.to_owned(),
        };
        ZoneTable::new(
            "Europe/Berlin".to_owned(),
            vec![span(datetime!(2026-03-29 01:00 UTC), 2, "CEST"), span(datetime!(2026-10-25 01:00 UTC), 1, "CET")],
        )
    }

    // A Monday.
    const NOW: OffsetDateTime = datetime!(2026-11-30 09:00 UTC);

    #[test]
    fn near_and_far() {
        let said = |at| en().moment(&berlin(), at, NOW);
        assert_eq!(said(datetime!(2026-11-30 13:00 UTC)), "14:00");
        assert_eq!(said(datetime!(2026-11-30 23:30 UTC)), "Tue 00:30");
        assert_eq!(said(datetime!(2026-12-06 17:00 UTC)), "Sun 18:00");
        assert_eq!(said(datetime!(2026-12-07 17:00 UTC)), "7 Dec 18:00");
        assert_eq!(said(datetime!(2027-01-08 17:00 UTC)), "8 Jan 2027 18:00");
        assert_eq!(said(datetime!(2026-11-24 08:05 UTC)), "Tue 09:05");
    }

    #[test]
    fn the_hour_that_comes_twice_says_which() {
        let first = datetime!(2026-10-25 00:30 UTC);
        let said = |at| en().moment(&berlin(), at, first);
        assert_eq!(said(first), "02:30 CEST");
        assert_eq!(said(first + Duration::hours(1)), "02:30 CET");
        assert_eq!(said(first + Duration::hours(2)), "03:30");
    }

    #[test]
    fn spans_name_a_day_once() {
        let said = |hours| {
            let window =
                Window::new(datetime!(2026-12-01 07:00 UTC), datetime!(2026-12-01 07:00 UTC) + Duration::hours(hours));
            en().span(&berlin(), &window.expect("not empty"), NOW)
        };
        assert_eq!(said(4), "Tue 08:00 – 12:00");
        assert_eq!(said(34), "Tue 08:00 – Wed 18:00");
    }
}
