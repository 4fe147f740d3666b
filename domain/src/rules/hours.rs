//! Hours of the week, by the clocks on the wall.

use serde::{Deserialize, Serialize};
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime, Time};

use crate::window::Window;
use crate::zone::{Wall, ZoneTable};

/// Minutes of a day by the clock.
pub const DAY_MINUTES: u16 = 1440;
/// Longest stretch that is looked at: no booking is longer than a month, and an opening comes each week.
const DAYS_MAX: usize = 60;

/// The same hours on some days of the week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeekSpan {
    /// Days on which it begins, 1 for Monday to 7 for Sunday.
    pub days: Vec<u8>,
    /// Minutes after midnight, less than 1440.
    pub from: u16,
    /// Minutes after midnight, up to 1440; where it is not after `from`, on the next day.
    pub to: u16,
}

impl WeekSpan {
    /// Something on its own that makes sense.
    #[must_use]
    pub fn check(&self) -> Option<()> {
        let days = !self.days.is_empty() && self.days.iter().all(|day| (1..=7).contains(day));
        (days && self.from < DAY_MINUTES && self.to <= DAY_MINUTES && self.from != self.to).then_some(())
    }

    /// Into the next day.
    #[must_use]
    pub fn is_overnight(&self) -> bool {
        self.to <= self.from
    }
}

/// When the spans are open from the day before `within` to a week after it: in order, none touching the next.
#[must_use]
pub fn open(spans: &[WeekSpan], within: &Window, zone: &ZoneTable) -> Vec<Window> {
    let first = zone.local(within.start()).date();
    let first = first.previous_day().unwrap_or(first);
    let last = zone.local(within.end()).date().checked_add(Duration::days(8)).unwrap_or(Date::MAX);
    let days = std::iter::successors(Some(first), |day| day.next_day()).take_while(|day| *day <= last).take(DAYS_MAX);
    let mut all: Vec<Window> = days.flat_map(|day| spans.iter().filter_map(move |span| on(span, day, zone))).collect();
    all.sort_by_key(Window::start);
    let mut joined: Vec<Window> = Vec::new();
    for next in all {
        match joined.last_mut() {
            Some(last) if next.start() <= last.end() => {
                *last = Window::new(last.start(), last.end().max(next.end())).unwrap_or(*last);
            }
            _ => joined.push(next),
        }
    }
    joined
}

fn on(span: &WeekSpan, day: Date, zone: &ZoneTable) -> Option<Window> {
    if !span.days.contains(&day.weekday().number_from_monday()) {
        return None;
    }
    let end = if span.is_overnight() { day.next_day()? } else { day };
    Window::new(instant(day, span.from, zone, false)?, instant(end, span.to, zone, true)?).ok()
}

/// Where clocks show a time twice, a span is open from the first to the last of them.
fn instant(day: Date, minutes: u16, zone: &ZoneTable, last: bool) -> Option<OffsetDateTime> {
    let wall = PrimitiveDateTime::new(day, Time::MIDNIGHT).checked_add(Duration::minutes(minutes.into()))?;
    match zone.resolve(wall) {
        Wall::Once(at) => Some(at),
        Wall::Twice(first, second) => Some(if last { second } else { first }),
        Wall::Never => Some(crate::draft::wall::after_gap(wall, zone)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zone::samples::{berlin, lord_howe};
    use time::macros::datetime;

    fn span(days: &[u8], from: u16, to: u16) -> WeekSpan {
        WeekSpan { days: days.to_vec(), from: from * 60, to: to * 60 }
    }

    fn opened(spans: &[WeekSpan], within: (OffsetDateTime, OffsetDateTime), zone: &ZoneTable) -> Vec<(i64, i64)> {
        let within = Window::new(within.0, within.1).expect("not empty");
        let hours = |at: OffsetDateTime| (at - within.start()).whole_minutes();
        let overlapping = open(spans, &within, zone).into_iter().filter(|open| open.overlaps(&within));
        overlapping.map(|open| (hours(open.start()), hours(open.end()))).collect()
    }

    #[test]
    fn nights_and_weekends_join_into_one() {
        let spans = [span(&[1, 2, 3, 4, 5], 18, 8), span(&[6, 7], 0, 24)];
        // Friday 12:00 to Monday 12:00 in Berlin: open from 18:00 to Monday 00:00, as nobody has opened Monday's night.
        let weekend = (datetime!(2026-12-04 11:00 UTC), datetime!(2026-12-07 11:00 UTC));
        assert_eq!(opened(&spans, weekend, &berlin()), [(6 * 60, 60 * 60)]);
    }

    #[test]
    fn the_nights_on_which_clocks_change_are_an_hour_shorter_and_longer() {
        let nights = [span(&[1, 2, 3, 4, 5, 6, 7], 22, 6)];
        let spring = (datetime!(2026-03-28 12:00 UTC), datetime!(2026-03-29 12:00 UTC));
        assert_eq!(opened(&nights, spring, &berlin()), [(9 * 60, 16 * 60)]);
        let autumn = (datetime!(2026-10-24 12:00 UTC), datetime!(2026-10-25 12:00 UTC));
        assert_eq!(opened(&nights, autumn, &berlin()), [(8 * 60, 17 * 60)]);
    }

    #[test]
    fn a_span_that_begins_in_the_gap_begins_after_it() {
        let early = [WeekSpan { days: vec![7], from: 130, to: 180 }];
        let spring = (datetime!(2026-10-03 15:00 UTC), datetime!(2026-10-03 17:00 UTC));
        // 02:10 does not exist on Lord Howe on that day: clocks go from 02:00 to 02:30.
        assert_eq!(opened(&early, spring, &lord_howe()), [(30, 60)]);
    }

    #[test]
    fn spans_that_say_nothing_are_refused() {
        for bad in [span(&[], 8, 9), span(&[0], 8, 9), span(&[8], 8, 9), span(&[1], 8, 8), span(&[1], 24, 8)] {
            assert_eq!(bad.check(), None, "{bad:?}");
        }
        assert!(span(&[1, 7], 8, 24).check().is_some());
    }
}
