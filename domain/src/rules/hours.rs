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

/// Reads `Mon-Fri 18:00-08:00, Sat-Sun all day`, as [`crate::text::Text::spans`] writes it: days, then hours, once or
/// several times. English.
#[must_use]
pub fn read(text: &str) -> Option<Vec<WeekSpan>> {
    let mut plain =
        text.to_lowercase().replace(['–', '—'], "-").replace([',', ';'], " ").replace("all day", "00:00-24:00");
    while plain.contains(" -") || plain.contains("- ") {
        plain = plain.replace(" -", "-").replace("- ", "-");
    }
    let mut spans = Vec::new();
    let mut days: Vec<u8> = Vec::new();
    for word in plain.split_whitespace() {
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let (from, to) = word.split_once('-')?;
            let span = WeekSpan { days: std::mem::take(&mut days), from: minutes(from)?, to: minutes(to)? };
            span.check()?;
            spans.push(span);
        } else {
            days.extend(named_days(word)?);
        }
    }
    for span in &mut spans {
        span.days.sort_unstable();
        span.days.dedup();
    }
    (days.is_empty() && !spans.is_empty()).then_some(spans)
}

/// `mon`, `mon-fri`, also over a Sunday; `daily`.
fn named_days(word: &str) -> Option<Vec<u8>> {
    const NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let number = |word: &str| {
        let place = NAMES.iter().position(|name| word.len() >= 3 && name.starts_with(word))?;
        u8::try_from(place).ok()
    };
    if word == "daily" {
        return Some((1..=7).collect());
    }
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (number(first)?, number(last)?);
    Some((0..=(last + 7 - first) % 7).map(|day| (first + day) % 7 + 1).collect())
}

/// `9:00`, `09:00`, `24:00`.
fn minutes(clock: &str) -> Option<u16> {
    let (hour, minute) = clock.split_once(':')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !(digits(hour) && digits(minute) && minute.len() == 2 && hour.len() <= 2) {
        return None;
    }
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    (minute < 60).then_some(hour * 60 + minute).filter(|minutes| *minutes <= DAY_MINUTES)
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
    fn what_is_written_is_read() {
        let spans = vec![span(&[1, 2, 3, 4, 5], 18, 8), span(&[6, 7], 0, 24)];
        assert_eq!(read(&crate::text::en().spans(&spans)), Some(spans.clone()));
        assert_eq!(read("mon-FRI 18:00-8:00; Saturday, sun all day"), Some(spans));
        let odd = vec![span(&[1, 3, 5], 9, 17)];
        assert_eq!(read(&crate::text::en().spans(&odd)), Some(odd));
        assert_eq!(read("fri-mon 9:00 - 17:00"), Some(vec![span(&[1, 5, 6, 7], 9, 17)]));
        assert_eq!(read("daily 9:00-17:00"), Some(vec![span(&[1, 2, 3, 4, 5, 6, 7], 9, 17)]));
        for bad in [
            "",
            "mon",
            "9:00-17:00",
            "mon 9-17",
            "mon 9:00",
            "mon 25:00-26:00",
            "mon 9:00-9:00",
            "m 9:00-17:00",
            "mon 9:60-17:00",
            "mon 9:00-17:00 tue",
            "mon 24:00-17:00",
            "mon 9:00-17:00 18:00-19:00",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn spans_that_say_nothing_are_refused() {
        for bad in [span(&[], 8, 9), span(&[0], 8, 9), span(&[8], 8, 9), span(&[1], 8, 8), span(&[1], 24, 8)] {
            assert_eq!(bad.check(), None, "{bad:?}");
        }
        assert!(span(&[1, 7], 8, 24).check().is_some());
    }
}
