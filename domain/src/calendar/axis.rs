//! The axis of time: days of one zone from left to right, in hours that really pass. A day on which clocks change is an
//! hour narrower or wider than the others.

use time::{Date, Duration, OffsetDateTime, Weekday};

use crate::window::Window;
use crate::wire::calendar::CalendarAsk;
use crate::zone::ZoneTable;

/// When the night ends and begins, by the clock on the wall.
const DAWN: u8 = 7;
const DUSK: u8 = 20;

/// A stretch of whole local days.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its days, in order.
    pub days: Vec<Day>,
    from: OffsetDateTime,
    to: OffsetDateTime,
}

/// One local day.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    /// Which.
    pub date: Date,
    /// Where it begins, in hours from the left.
    pub at: f64,
    /// Hours that it has: 24, mostly.
    pub length: f64,
    /// Hours into the day at which the night ends, and at which the next one begins.
    pub light: (f64, f64),
    /// Saturday or Sunday.
    pub weekend: bool,
}

/// An hour that is written at the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Where, in hours from the beginning of its day.
    pub at: f64,
    /// What clocks show then.
    pub hour: u8,
}

impl Axis {
    /// So many days from `first` on.
    #[must_use]
    pub fn new(zone: &ZoneTable, first: Date, days: u16) -> Self {
        let from = zone.day_start(first);
        let mut axis = Self { days: Vec::with_capacity(days.into()), from, to: from };
        let mut date = first;
        for _ in 0..days {
            let (start, length) = (zone.day_start(date), zone.day_length(date));
            let wall = |hour: u8| hours(wall_hour(zone, date, hour) - start);
            axis.days.push(Day {
                date,
                at: axis.at(start),
                length: hours(length),
                light: (wall(DAWN), wall(DUSK)),
                weekend: matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday),
            });
            axis.to = start + length;
            let Some(next) = date.next_day() else { break };
            date = next;
        }
        axis
    }

    /// What it spans.
    #[must_use]
    pub fn span(&self) -> CalendarAsk {
        CalendarAsk { from: self.from, to: self.to }
    }

    /// First instant.
    #[must_use]
    pub fn from(&self) -> OffsetDateTime {
        self.from
    }

    /// First instant after it.
    #[must_use]
    pub fn to(&self) -> OffsetDateTime {
        self.to
    }

    /// Hours in all.
    #[must_use]
    pub fn length(&self) -> f64 {
        hours(self.to - self.from)
    }

    /// Where an instant is, in hours from the left; may lie outside.
    #[must_use]
    pub fn at(&self, instant: OffsetDateTime) -> f64 {
        hours(instant - self.from)
    }

    /// The instant at so many hours from the left, to the second.
    #[must_use]
    pub fn instant(&self, at: f64) -> OffsetDateTime {
        #[expect(clippy::cast_possible_truncation, reason = "seconds of a few weeks")]
        let seconds = (at * 3600.0).round() as i64;
        self.from + Duration::seconds(seconds)
    }

    /// The part of a window that is on the axis: where it begins and how long it is, in hours.
    #[must_use]
    pub fn clip(&self, window: &Window) -> Option<(f64, f64)> {
        let (start, end) = (window.start().max(self.from), window.end().min(self.to));
        (start < end).then(|| (self.at(start), hours(end - start)))
    }

    /// The hours of a day that are written, every `every` hours by the clock.
    #[must_use]
    pub fn ticks(&self, zone: &ZoneTable, day: &Day, every: u8) -> Vec<Tick> {
        let start = self.instant(day.at);
        let mut ticks: Vec<Tick> = Vec::new();
        // By the hours that pass, so that each shows what a clock shows then; half-hour zones change by halves.
        let halves = (day.length * 2.0).round();
        let mut half = 0.0;
        while half < halves {
            let local = zone.local(start + Duration::minutes(30) * half);
            let new = ticks.last().is_none_or(|last| last.hour != local.hour());
            if local.minute() == 0 && local.hour().is_multiple_of(every.max(1)) && new {
                ticks.push(Tick { at: half / 2.0, hour: local.hour() });
            }
            half += 1.0;
        }
        ticks
    }
}

/// The instant at which clocks show a full hour of a day, or the first one after it.
fn wall_hour(zone: &ZoneTable, date: Date, hour: u8) -> OffsetDateTime {
    let start = zone.day_start(date);
    let guess = start + Duration::hours(hour.into());
    let off = zone.local(guess).offset().whole_seconds() - zone.local(start).offset().whole_seconds();
    guess - Duration::seconds(off.into())
}

/// A length in hours.
#[must_use]
pub fn hours(length: Duration) -> f64 {
    length.as_seconds_f64() / 3600.0
}

/// The nearest instant at which the zone's clocks show a multiple of `step` after midnight.
#[must_use]
pub fn snap(zone: &ZoneTable, at: OffsetDateTime, step: Duration) -> OffsetDateTime {
    let local = zone.local(at);
    let past = local.time() - time::Time::MIDNIGHT;
    let step = step.whole_seconds().max(60);
    let wanted = (past.whole_seconds() + step / 2).div_euclid(step) * step;
    let near = at + Duration::seconds(wanted) - past;
    // Clocks may change between the two.
    let off = zone.local(near).offset().whole_seconds() - local.offset().whole_seconds();
    near - Duration::seconds(off.into())
}

/// The instant so many steps away, on the grid of [`snap`].
#[must_use]
pub fn step(zone: &ZoneTable, at: OffsetDateTime, step: Duration, by: i32) -> OffsetDateTime {
    let on_grid = snap(zone, at, step);
    snap(zone, on_grid + step * by, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zone::Offset;
    use time::macros::{date, datetime};

    fn zone(name: &str, spans: &[(OffsetDateTime, i32)]) -> ZoneTable {
        let span = |(at, minutes): &(OffsetDateTime, i32)| Offset {
            from: at.unix_timestamp(),
            seconds: minutes * 60,
            letters: String::new(),
        };
        ZoneTable::new(name.to_owned(), spans.iter().map(span).collect())
    }

    fn berlin() -> ZoneTable {
        zone(
            "Europe/Berlin",
            &[
                (datetime!(2025-10-26 01:00 UTC), 60),
                (datetime!(2026-03-29 01:00 UTC), 120),
                (datetime!(2026-10-25 01:00 UTC), 60),
            ],
        )
    }

    /// Lord Howe Island changes its clocks by half an hour.
    fn lord_howe() -> ZoneTable {
        zone("Australia/Lord_Howe", &[(datetime!(2026-04-04 15:00 UTC), 630), (datetime!(2026-10-03 15:30 UTC), 660)])
    }

    #[test]
    fn an_ordinary_day_has_24_hours() {
        let zone = berlin();
        let axis = Axis::new(&zone, date!(2026 - 11 - 30), 2);
        assert_eq!(axis.from(), datetime!(2026-11-29 23:00 UTC));
        assert_eq!((axis.length(), axis.days[1].at), (48.0, 24.0));
        assert_eq!(axis.days[0].light, (7.0, 20.0));
        let ticks = axis.ticks(&zone, &axis.days[0], 6);
        assert_eq!(
            ticks.iter().map(|tick| (tick.at, tick.hour)).collect::<Vec<_>>(),
            [(0.0, 0), (6.0, 6), (12.0, 12), (18.0, 18)]
        );
    }

    #[test]
    fn the_days_of_23_and_25_hours() {
        let zone = berlin();
        let short = Axis::new(&zone, date!(2026 - 03 - 29), 2);
        assert_eq!((short.days[0].length, short.days[1].at), (23.0, 23.0));
        assert_eq!(short.days[0].light, (6.0, 19.0));
        let ticks = short.ticks(&zone, &short.days[0], 2);
        // 02:00 does not exist: 04:00 is three hours after midnight.
        assert_eq!(
            ticks[..3].iter().map(|tick| (tick.at, tick.hour)).collect::<Vec<_>>(),
            [(0.0, 0), (3.0, 4), (5.0, 6)]
        );

        let long = Axis::new(&zone, date!(2026 - 10 - 25), 2);
        assert_eq!((long.days[0].length, long.days[1].at), (25.0, 25.0));
        assert_eq!(long.days[0].light, (8.0, 21.0));
        let ticks = long.ticks(&zone, &long.days[0], 2);
        assert_eq!(
            ticks[..3].iter().map(|tick| (tick.at, tick.hour)).collect::<Vec<_>>(),
            [(0.0, 0), (2.0, 2), (5.0, 4)]
        );
    }

    #[test]
    fn a_day_of_half_an_hour_more() {
        let zone = lord_howe();
        let axis = Axis::new(&zone, date!(2026 - 10 - 04), 1);
        assert_eq!(axis.length(), 23.5);
        let ticks = axis.ticks(&zone, &axis.days[0], 6);
        assert_eq!(
            ticks.iter().map(|tick| (tick.at, tick.hour)).collect::<Vec<_>>(),
            [(0.0, 0), (5.5, 6), (11.5, 12), (17.5, 18)]
        );
    }

    #[test]
    fn instants_and_places_are_the_same_thing() {
        let axis = Axis::new(&berlin(), date!(2026 - 10 - 25), 7);
        let at = datetime!(2026-10-27 13:45 UTC);
        assert_eq!(axis.instant(axis.at(at)), at);
        let window = Window::new(datetime!(2026-10-20 00:00 UTC), datetime!(2026-10-24 23:00 UTC)).expect("not empty");
        assert_eq!(axis.clip(&window), Some((0.0, 1.0)));
        let before = Window::new(datetime!(2026-10-20 00:00 UTC), datetime!(2026-10-24 22:00 UTC)).expect("not empty");
        assert_eq!(axis.clip(&before), None);
    }

    #[test]
    fn snapping_follows_the_clock_on_the_wall() {
        let zone = berlin();
        let quarter = Duration::minutes(15);
        assert_eq!(snap(&zone, datetime!(2026-11-30 09:07 UTC), quarter), datetime!(2026-11-30 09:00 UTC));
        assert_eq!(snap(&zone, datetime!(2026-11-30 09:08 UTC), quarter), datetime!(2026-11-30 09:15 UTC));
        // Six hours: 00, 06, 12, 18 by the clock in Berlin.
        let six = Duration::hours(6);
        assert_eq!(snap(&zone, datetime!(2026-11-30 09:12 UTC), six), datetime!(2026-11-30 11:00 UTC));
        // On the night of 23 hours, 06:00 is five hours after midnight.
        assert_eq!(snap(&zone, datetime!(2026-03-29 01:30 UTC), six), datetime!(2026-03-29 04:00 UTC));
        // On the night of 25 hours, the second 02:30 is nearer to midnight by the clock.
        assert_eq!(snap(&zone, datetime!(2026-10-25 01:30 UTC), six), datetime!(2026-10-24 22:00 UTC));
        assert_eq!(snap(&zone, datetime!(2026-10-25 02:30 UTC), six), datetime!(2026-10-25 05:00 UTC));
        // A zone that is not a whole hour from UTC.
        let kathmandu = self::zone("Asia/Kathmandu", &[(datetime!(1986-01-01 00:00 UTC), 345)]);
        assert_eq!(
            snap(&kathmandu, datetime!(2026-11-30 09:20 UTC), Duration::hours(1)),
            datetime!(2026-11-30 09:15 UTC)
        );
    }

    #[test]
    fn steps_stay_on_the_grid() {
        let zone = berlin();
        let six = Duration::hours(6);
        assert_eq!(step(&zone, datetime!(2026-11-30 11:00 UTC), six, 1), datetime!(2026-11-30 17:00 UTC));
        assert_eq!(step(&zone, datetime!(2026-11-30 11:00 UTC), six, -2), datetime!(2026-11-29 23:00 UTC));
        // Over the night of 25 hours: from 18:00 to midnight to 06:00.
        assert_eq!(step(&zone, datetime!(2026-10-24 16:00 UTC), six, 1), datetime!(2026-10-24 22:00 UTC));
        assert_eq!(step(&zone, datetime!(2026-10-24 22:00 UTC), six, 1), datetime!(2026-10-25 05:00 UTC));
    }
}
