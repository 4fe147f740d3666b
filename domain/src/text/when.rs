//! Times and lengths in words, in one zone: "14:00" today, "Tue 18:00" within a week, "8 Dec 18:00" later.

use time::{Date, Duration, OffsetDateTime};

use crate::window::Window;
use crate::zone::{Wall, ZoneTable};

/// Words that times are made of.
#[derive(Debug)]
pub struct WhenText {
    /// Monday first.
    pub weekdays: [&'static str; 7],
    /// January first.
    pub months: [&'static str; 12],
    /// Day of a month: day, month.
    pub day: fn(u8, &str) -> String,
    /// The same with the year.
    pub day_of_year: fn(u8, &str, i32) -> String,
    /// A day and a time on it.
    pub on_day: fn(&str, &str) -> String,
    /// From one time to another.
    pub range: fn(&str, &str) -> String,
    /// The first of two equal times, on the night when clocks are set back.
    pub first: fn(&str) -> String,
    /// The second of them.
    pub second: fn(&str) -> String,
    /// Less than a minute.
    pub seconds: fn(i64) -> String,
    /// Less than an hour.
    pub minutes: fn(i64) -> String,
    /// Hours and minutes; the minutes may be 0.
    pub hours: fn(i64, i64) -> String,
    /// Days and hours; the hours may be 0.
    pub days: fn(i64, i64) -> String,
}

/// Turns instants into words for one person at one moment.
#[derive(Clone, Copy, Debug)]
pub struct When<'a> {
    /// Whose clocks.
    pub zone: &'a ZoneTable,
    /// What "today" is measured from.
    pub now: OffsetDateTime,
    /// In which language.
    pub text: &'a WhenText,
}

impl<'a> When<'a> {
    /// In the catalogue's language.
    #[must_use]
    pub fn new(zone: &'a ZoneTable, now: OffsetDateTime) -> Self {
        Self { zone, now, text: &crate::text::t().when }
    }

    /// Hours and minutes alone: `14:00`. Where clocks show a time twice, which of the two it is.
    #[must_use]
    pub fn clock(&self, at: OffsetDateTime) -> String {
        let local = self.zone.local(at);
        let clock = format!("{:02}:{:02}", local.hour(), local.minute());
        match self.zone.resolve(time::PrimitiveDateTime::new(local.date(), local.time())) {
            Wall::Twice(first, second) if first != second => {
                if at < second {
                    (self.text.first)(&clock)
                } else {
                    (self.text.second)(&clock)
                }
            }
            _ => clock,
        }
    }

    /// A point in time: `14:00`, `Tue 18:00`, `8 Dec 18:00` or `8 Dec 2027 18:00`.
    #[must_use]
    pub fn at(&self, at: OffsetDateTime) -> String {
        let clock = self.clock(at);
        match self.day(self.zone.local(at).date()) {
            None => clock,
            Some(day) => (self.text.on_day)(&day, &clock),
        }
    }

    /// From start to end; the day is not said twice.
    #[must_use]
    pub fn range(&self, window: &Window) -> String {
        let same_day = self.zone.local(window.start()).date() == self.zone.local(window.end()).date();
        let end = if same_day { self.clock(window.end()) } else { self.at(window.end()) };
        (self.text.range)(&self.at(window.start()), &end)
    }

    /// A day without its time; `None` for today.
    #[must_use]
    pub fn day(&self, day: Date) -> Option<String> {
        let today = self.zone.local(self.now).date();
        let away = (day - today).whole_days();
        if away == 0 {
            return None;
        }
        // Seven days from now the weekday would be today's.
        if away.abs() < 7 {
            let index = usize::from(day.weekday().number_days_from_monday());
            return self.text.weekdays.get(index).map(|&name| name.to_owned());
        }
        Some(self.text.date(day, today.year()))
    }

    /// [`WhenText::length`].
    #[must_use]
    pub fn length(&self, length: Duration) -> String {
        self.text.length(length)
    }
}

impl WhenText {
    /// A length: `40 s`, `26 min`, `3 h 48 m`, `2 d 4 h`; rounded down, never negative.
    #[must_use]
    pub fn length(&self, length: Duration) -> String {
        let seconds = length.whole_seconds().max(0);
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
        if minutes == 0 {
            (self.seconds)(seconds)
        } else if hours == 0 {
            (self.minutes)(minutes)
        } else if days < 2 {
            (self.hours)(hours, minutes % 60)
        } else {
            (self.days)(days, hours % 24)
        }
    }

    /// A day as a date, however near it is: `7 Dec`, `7 Dec 2027` where `year` is another one.
    #[must_use]
    pub fn date(&self, day: Date, year: i32) -> String {
        let month = self.months.get(usize::from(u8::from(day.month())) - 1).copied().unwrap_or_default();
        if day.year() == year { (self.day)(day.day(), month) } else { (self.day_of_year)(day.day(), month, day.year()) }
    }
}

impl super::Text {
    /// [`When::at`] in this language.
    #[must_use]
    pub fn moment(&self, zone: &ZoneTable, at: OffsetDateTime, now: OffsetDateTime) -> String {
        When { zone, now, text: &self.when }.at(at)
    }

    /// [`When::range`] in this language.
    #[must_use]
    pub fn span(&self, zone: &ZoneTable, window: &Window, now: OffsetDateTime) -> String {
        When { zone, now, text: &self.when }.range(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zone::samples::berlin;
    use time::macros::datetime;

    /// Monday, 30 November 2026, 10:12 in Berlin.
    const NOW: OffsetDateTime = datetime!(2026-11-30 09:12 UTC);

    fn window(start: OffsetDateTime, end: OffsetDateTime) -> Window {
        Window::new(start, end).expect("not empty")
    }

    #[test]
    fn the_farther_the_more_is_said() {
        let zone = berlin();
        let when = When::new(&zone, NOW);
        assert_eq!(when.at(datetime!(2026-11-30 13:00 UTC)), "14:00");
        assert_eq!(when.at(datetime!(2026-12-01 17:00 UTC)), "Tue 18:00");
        assert_eq!(when.at(datetime!(2026-12-06 17:00 UTC)), "Sun 18:00");
        assert_eq!(when.at(datetime!(2026-12-07 17:00 UTC)), "7 Dec 18:00");
        assert_eq!(when.at(datetime!(2027-01-08 17:00 UTC)), "8 Jan 2027 18:00");
        assert_eq!(when.at(datetime!(2026-11-24 17:00 UTC)), "Tue 18:00");
        assert_eq!(when.at(datetime!(2026-11-23 17:00 UTC)), "23 Nov 18:00");
    }

    #[test]
    fn the_day_is_the_zones_day() {
        let zone = berlin();
        let when = When::new(&zone, NOW);
        // 23:30 UTC on Monday is Tuesday in Berlin.
        assert_eq!(when.at(datetime!(2026-11-30 23:30 UTC)), "Tue 00:30");
        let utc = ZoneTable::utc();
        assert_eq!(When::new(&utc, NOW).at(datetime!(2026-11-30 23:30 UTC)), "23:30");
    }

    #[test]
    fn ranges_name_the_day_once() {
        let zone = berlin();
        let when = When::new(&zone, NOW);
        let range = |start, end| when.range(&window(start, end));
        assert_eq!(range(datetime!(2026-11-30 13:00 UTC), datetime!(2026-11-30 17:00 UTC)), "14:00 – 18:00");
        assert_eq!(range(datetime!(2026-12-01 13:00 UTC), datetime!(2026-12-01 17:00 UTC)), "Tue 14:00 – 18:00");
        assert_eq!(range(datetime!(2026-11-30 21:00 UTC), datetime!(2026-12-01 05:00 UTC)), "22:00 – Tue 06:00");
        assert_eq!(
            range(datetime!(2026-12-20 13:00 UTC), datetime!(2027-01-02 17:00 UTC)),
            "20 Dec 14:00 – 2 Jan 2027 18:00"
        );
    }

    #[test]
    fn the_hour_that_comes_twice_says_which() {
        let zone = berlin();
        let when = When::new(&zone, datetime!(2026-10-24 20:00 UTC));
        assert_eq!(when.at(datetime!(2026-10-25 00:30 UTC)), "Sun 02:30 (first)");
        assert_eq!(when.at(datetime!(2026-10-25 01:30 UTC)), "Sun 02:30 (second)");
        assert_eq!(when.at(datetime!(2026-10-25 02:00 UTC)), "Sun 03:00");
        assert_eq!(when.at(datetime!(2026-10-24 23:59 UTC)), "Sun 01:59");
    }

    #[test]
    fn lengths() {
        let zone = ZoneTable::utc();
        let when = When::new(&zone, NOW);
        let length = |seconds| when.length(Duration::seconds(seconds));
        assert_eq!(length(-5), "0 s");
        assert_eq!(length(59), "59 s");
        assert_eq!(length(60), "1 min");
        assert_eq!(length(26 * 60 + 59), "26 min");
        assert_eq!(length(4 * 3600), "4 h");
        assert_eq!(length(3 * 3600 + 48 * 60), "3 h 48 m");
        assert_eq!(length(47 * 3600), "47 h");
        assert_eq!(length(48 * 3600), "2 d");
        assert_eq!(length(52 * 3600 + 1800), "2 d 4 h");
    }
}
