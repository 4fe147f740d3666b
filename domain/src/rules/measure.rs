//! What each limit measures of a booking, by how much it is over, and what would not be.

use time::{Date, Duration, OffsetDateTime};

use super::hours::{self, WeekSpan};
use super::{Cards, Claim, Clocks, Held, Limit, Measure, Period, Way};
use crate::reservation::LENGTH_MIN;
use crate::window::Window;
use crate::zone::ZoneTable;

/// Most times that are tried for "begin later".
const STARTS_MAX: usize = 64;
/// A billionth of a card for a nanosecond, in GPU-hours.
const HOUR: i128 = 3_600_000_000_000 * 1_000_000_000;

/// What came of it. `over` is in the limit's own unit; what is not above 0 keeps it.
pub(super) struct Measured {
    pub measure: Measure,
    pub over: i128,
    pub way: Way,
}

/// Measures; `None` where the limit says nothing about this booking.
pub(super) fn measure(limit: &Limit, claim: &Claim, holds: &[&Held], clocks: &Clocks<'_>) -> Option<Measured> {
    let now = clocks.now;
    // What is past is past.
    let ahead = Window::new(claim.window.start().max(now), claim.window.end()).ok()?;
    match limit {
        Limit::Shortest { minutes } => {
            let (length, least) = (claim.window.length(), length(*minutes));
            let way = Way { end: Some(claim.window.start() + least), ..Way::default() };
            Some(Measured {
                measure: Measure::Shortest { length, least },
                over: (least - length).whole_nanoseconds(),
                way,
            })
        }
        Limit::Longest { minutes } => {
            let (length, most) = (ahead.length(), length(*minutes));
            let way = Way { end: Some(floor(ahead.start() + most)), ..Way::default() };
            Some(Measured {
                measure: Measure::Longest { length, most },
                over: (length - most).whole_nanoseconds(),
                way,
            })
        }
        Limit::Horizon { minutes } => {
            let last = now + length(*minutes);
            let way = Way { start: Some(floor(last)), ..Way::default() };
            Some(Measured {
                measure: Measure::Horizon { ahead: length(*minutes), last },
                over: (claim.window.start() - last).whole_nanoseconds(),
                way,
            })
        }
        Limit::MostCards { cards } => {
            let peak = Peak::of(claim, holds, &ahead, *cards);
            Some(Measured {
                measure: Measure::Cards { held: peak.held, most: *cards, others: peak.others },
                over: peak.over(*cards),
                way: peak.way,
            })
        }
        Limit::Far { cards, hours } => Some(far(*cards, *hours, claim, holds, clocks)),
        Limit::GpuHours { hours, per } => gpu_hours(*hours, *per, claim, holds, clocks.person),
        Limit::Hours { spans } => Some(in_hours(spans, &ahead, clocks.booking)),
        Limit::Approval | Limit::Idle { .. } => None,
    }
}

fn length(minutes: u32) -> Duration {
    Duration::minutes(minutes.into())
}

/// The minute in which it lies: people book by minutes.
fn floor(at: OffsetDateTime) -> OffsetDateTime {
    crate::draft::wall::minute(at)
}

/// An end that leaves something to book.
fn worth(end: OffsetDateTime, start: OffsetDateTime) -> Option<OffsetDateTime> {
    let end = floor(end);
    (end - start >= LENGTH_MIN).then_some(end)
}

/// Most cards held at once within a stretch of time.
struct Peak {
    held: Cards,
    others: bool,
    way: Way,
}

impl Peak {
    fn of(claim: &Claim, holds: &[&Held], within: &Window, most: u32) -> Self {
        let own: Vec<&Held> = claim.cards.iter().collect();
        let all: Vec<&Held> = own.iter().chain(holds).copied().collect();
        let steps = steps(&all, within);
        let limit = Cards::whole(most);
        let held = steps.iter().map(|step| step.1).max().unwrap_or_default();
        let mine = highest(&own, within);
        let others = highest(holds, within);
        let mut way = Way::default();
        if held > limit {
            let first = steps.iter().find(|step| step.1 > limit).map(|step| step.0.start());
            way.end = first.and_then(|at| worth(at, within.start()));
            // Whole cards, beside the most that is held otherwise.
            let left = limit.less(others).whole_count();
            let wanted = u32::try_from(own.len()).unwrap_or(u32::MAX);
            way.cards = Some(left).filter(|left| *left > 0 && *left < wanted);
            way.start = (mine <= limit).then(|| room(holds, within, limit.less(mine))).flatten();
        }
        Self { held, others: others > Cards::NONE, way }
    }

    fn over(&self, most: u32) -> i128 {
        i128::from(self.held.billionths()) - i128::from(Cards::whole(most).billionths())
    }
}

/// The first end of another booking from which on there is room for a booking as long.
fn room(holds: &[&Held], within: &Window, room: Cards) -> Option<OffsetDateTime> {
    let mut ends: Vec<OffsetDateTime> = holds.iter().map(|held| held.window.end()).collect();
    ends.retain(|end| *end > within.start());
    ends.sort_unstable();
    ends.dedup();
    ends.into_iter().take(STARTS_MAX).find(|start| {
        let later = start.checked_add(within.length()).and_then(|end| Window::new(*start, end).ok());
        later.is_some_and(|later| highest(holds, &later) <= room)
    })
}

fn highest(holds: &[&Held], within: &Window) -> Cards {
    steps(holds, within).into_iter().map(|step| step.1).max().unwrap_or_default()
}

/// How much is held when: a stretch for each change, in order.
fn steps(holds: &[&Held], within: &Window) -> Vec<(Window, Cards)> {
    let mut changes: Vec<(OffsetDateTime, bool, Cards)> = Vec::new();
    for held in holds.iter().filter(|held| held.window.overlaps(within)) {
        changes.push((held.window.start().max(within.start()), true, held.part));
        changes.push((held.window.end().min(within.end()), false, held.part));
    }
    changes.push((within.start(), true, Cards::NONE));
    changes.push((within.end(), false, Cards::NONE));
    changes.sort_unstable_by_key(|change| change.0);
    let mut steps = Vec::new();
    let mut held = Cards::NONE;
    let mut since = within.start();
    for (at, comes, part) in changes {
        if let Ok(step) = Window::new(since, at) {
            steps.push((step, held));
            since = at;
        }
        held = if comes { held.plus(part) } else { held.less(part) };
    }
    steps
}

fn far(most: u32, hours: u32, claim: &Claim, holds: &[&Held], clocks: &Clocks<'_>) -> Measured {
    let from = clocks.now + Duration::hours(hours.into());
    let beyond = Window::new(claim.window.start().max(from), claim.window.end());
    let Ok(beyond) = beyond else {
        let measure = Measure::Far { held: Cards::NONE, most, within: true, from, hours };
        return Measured { measure, over: 0, way: Way::default() };
    };
    let mut peak = Peak::of(claim, holds, &beyond, most);
    let start = claim.window.start().max(clocks.now);
    // Until then nothing counts; after that, as long as there is room.
    peak.way.end = peak.way.end.or_else(|| worth(from.min(claim.window.end()), start)).filter(|end| *end > start);
    if claim.window.start() < from {
        peak.way.start = None;
    }
    let over = peak.over(most);
    let measure = Measure::Far { held: peak.held, most, within: false, from, hours };
    Measured { measure, over, way: peak.way }
}

fn gpu_hours(most: u32, per: Period, claim: &Claim, holds: &[&Held], zone: &ZoneTable) -> Option<Measured> {
    let limit = i128::from(most) * HOUR;
    let own: Vec<&Held> = claim.cards.iter().collect();
    let mut worst: Option<(i128, Window)> = None;
    let mut way = None;
    for period in periods(&claim.window, per, zone) {
        let (mine, others) = (used(&own, &period), used(holds, &period));
        if mine == 0 {
            continue;
        }
        let total = mine + others;
        if worst.is_none_or(|(most_so_far, _)| total > most_so_far) {
            worst = Some((total, period));
        }
        if total > limit && way.is_none() {
            let left = (limit - others).max(0);
            let end = reached(&own, &period, left).and_then(|end| worth(end, claim.window.start()));
            let wanted = i128::try_from(own.len()).unwrap_or(i128::MAX);
            let fewer = u32::try_from(left * wanted / mine).ok().filter(|cards| *cards > 0);
            // Begun in the next week or month, it is that one's. Whether it fits there is seen then.
            let start = Some(period.end()).filter(|_| mine <= limit && claim.window.start() >= period.start());
            way = Some(Way { end, start, cards: fewer });
        }
    }
    let (total, of) = worst?;
    let used_tenths = i64::try_from((total * 10 + HOUR - 1) / HOUR).unwrap_or(i64::MAX);
    let measure = Measure::GpuHours { used_tenths, most, per, of };
    Some(Measured { measure, over: total - limit, way: way.unwrap_or_default() })
}

/// Billionths of a card times nanoseconds.
fn used(holds: &[&Held], within: &Window) -> i128 {
    let of = |held: &&Held| {
        let (from, to) = (held.window.start().max(within.start()), held.window.end().min(within.end()));
        (to - from).whole_nanoseconds().max(0) * i128::from(held.part.billionths())
    };
    holds.iter().map(of).sum()
}

/// When so much is used, from the start of a stretch on.
fn reached(holds: &[&Held], within: &Window, mut left: i128) -> Option<OffsetDateTime> {
    for (step, cards) in steps(holds, within) {
        let each = i128::from(cards.billionths());
        let whole = each * step.length().whole_nanoseconds();
        if whole > left && each > 0 {
            return step.start().checked_add(Duration::nanoseconds(i64::try_from(left / each).ok()?));
        }
        left -= whole;
    }
    None
}

/// Every week or month that a window touches.
fn periods(within: &Window, per: Period, zone: &ZoneTable) -> Vec<Window> {
    let day = zone.local(within.start()).date();
    let monday = i64::from(day.weekday().number_days_from_monday());
    let first = match per {
        Period::Week => day.checked_sub(Duration::days(monday)),
        Period::Month => day.replace_day(1).ok(),
    };
    let next = |day: &Date| match per {
        Period::Week => day.checked_add(Duration::days(7)),
        Period::Month => day.checked_add(Duration::days(31)).and_then(|day| day.replace_day(1).ok()),
    };
    let starts = std::iter::successors(first, next).map(|day| zone.day_start(day));
    let ends = std::iter::successors(first.as_ref().and_then(next), next).map(|day| zone.day_start(day));
    starts
        .zip(ends)
        .take_while(|(start, _)| *start < within.end())
        .filter_map(|(start, end)| Window::new(start, end).ok())
        .collect()
}

fn in_hours(spans: &[WeekSpan], ahead: &Window, zone: &ZoneTable) -> Measured {
    let open = hours::open(spans, ahead, zone);
    let mut outside = ahead.length();
    for window in &open {
        let (from, to) = (window.start().max(ahead.start()), window.end().min(ahead.end()));
        outside -= (to - from).max(Duration::ZERO);
    }
    let mut way = Way::default();
    match open.iter().find(|window| window.contains(ahead.start())) {
        Some(now) => way.end = worth(now.end(), ahead.start()),
        None => way.start = open.iter().map(Window::start).find(|start| *start > ahead.start()),
    }
    let measure = Measure::Hours { spans: spans.to_vec() };
    Measured { measure, over: outside.whole_nanoseconds(), way }
}
