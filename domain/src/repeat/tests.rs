use proptest::prelude::*;
use time::macros::{date, datetime};

use super::*;
use crate::zone::Wall;
use crate::zone::samples::{all, berlin, casablanca, kathmandu, lord_howe, new_york};

fn window(start: OffsetDateTime, end: OffsetDateTime) -> Window {
    Window::new(start, end).expect("not empty")
}

fn times(every: Every, times: u16) -> Repeat {
    Repeat { every, end: RepeatEnd::Times(times) }
}

/// The first one from two wall times of a zone.
fn at(zone: &ZoneTable, start: PrimitiveDateTime, end: PrimitiveDateTime) -> Window {
    let once = |wall| match zone.resolve(wall) {
        Wall::Once(at) => at,
        other => panic!("{wall} is {other:?}"),
    };
    window(once(start), once(end))
}

/// What the clocks on the wall say of every one, and how long it is.
fn walls(zone: &ZoneTable, first: &Window, repeat: Repeat) -> Vec<(String, i64)> {
    expand(first, &repeat, zone, None)
        .into_iter()
        .map(|one| match one.window {
            Ok(window) => {
                let clock = |at| zone.local(at).time().to_string()[..5].trim_end_matches(':').to_owned();
                let (start, end) = (clock(window.start()), clock(window.end()));
                (format!("{} {start}-{end}", one.day), window.length().whole_minutes())
            }
            Err(BadWall::Never { .. }) => (format!("{} never", one.day), 0),
            Err(BadWall::Twice { .. }) => (format!("{} twice", one.day), 0),
            Err(other) => panic!("{other:?}"),
        })
        .collect()
}

/// Zone, both ends of the first one, and what the three days from it look like.
type Case = (ZoneTable, PrimitiveDateTime, PrimitiveDateTime, [(&'static str, i64); 3]);

#[test]
fn nine_o_clock_stays_nine_o_clock() {
    let day = 8 * 60;
    let cases: [Case; 9] = [
        (
            berlin(),
            datetime!(2026-03-28 09:00),
            datetime!(2026-03-28 17:00),
            [("2026-03-28 9:00-17:00", day), ("2026-03-29 9:00-17:00", day), ("2026-03-30 9:00-17:00", day)],
        ),
        // Over the night of the change: an hour less, an hour more.
        (
            berlin(),
            datetime!(2026-03-27 22:00),
            datetime!(2026-03-28 06:00),
            [("2026-03-27 22:00-6:00", day), ("2026-03-28 22:00-6:00", day - 60), ("2026-03-29 22:00-6:00", day)],
        ),
        (
            berlin(),
            datetime!(2026-10-23 22:00),
            datetime!(2026-10-24 06:00),
            [("2026-10-23 22:00-6:00", day), ("2026-10-24 22:00-6:00", day + 60), ("2026-10-25 22:00-6:00", day)],
        ),
        // The hour that does not exist, and the one that comes twice.
        (
            berlin(),
            datetime!(2026-03-28 02:30),
            datetime!(2026-03-28 04:30),
            [("2026-03-28 2:30-4:30", 120), ("2026-03-29 never", 0), ("2026-03-30 2:30-4:30", 120)],
        ),
        (
            berlin(),
            datetime!(2026-10-24 00:30),
            datetime!(2026-10-24 02:30),
            [("2026-10-24 0:30-2:30", 120), ("2026-10-25 twice", 0), ("2026-10-26 0:30-2:30", 120)],
        ),
        (
            new_york(),
            datetime!(2026-03-07 13:00),
            datetime!(2026-03-07 18:00),
            [("2026-03-07 13:00-18:00", 300), ("2026-03-08 13:00-18:00", 300), ("2026-03-09 13:00-18:00", 300)],
        ),
        // Half an hour, and on the other half of the earth.
        (
            lord_howe(),
            datetime!(2026-10-03 01:00),
            datetime!(2026-10-03 02:15),
            [("2026-10-03 1:00-2:15", 75), ("2026-10-04 never", 0), ("2026-10-05 1:00-2:15", 75)],
        ),
        (
            kathmandu(),
            datetime!(2026-03-28 23:45),
            datetime!(2026-03-29 00:15),
            [("2026-03-28 23:45-0:15", 30), ("2026-03-29 23:45-0:15", 30), ("2026-03-30 23:45-0:15", 30)],
        ),
        (
            casablanca(),
            datetime!(2026-02-14 22:00),
            datetime!(2026-02-15 06:00),
            [("2026-02-14 22:00-6:00", day + 60), ("2026-02-15 22:00-6:00", day), ("2026-02-16 22:00-6:00", day)],
        ),
    ];
    for (zone, start, end, expected) in cases {
        let first = at(&zone, start, end);
        let found = walls(&zone, &first, times(Every::Day, 3));
        let expected: Vec<(String, i64)> = expected.map(|(words, minutes)| (words.to_owned(), minutes)).into();
        assert_eq!(found, expected, "{} from {start}", zone.name());
    }
}

#[test]
fn one_to_six_in_new_york_is_an_hour_earlier_in_utc_after_the_change() {
    let zone = new_york();
    let first = at(&zone, datetime!(2026-03-07 13:00), datetime!(2026-03-07 18:00));
    let second = expand(&first, &times(Every::Day, 2), &zone, None).pop().expect("two").window;
    assert_eq!(first.start(), datetime!(2026-03-07 18:00 UTC));
    assert_eq!(second, Ok(window(datetime!(2026-03-08 17:00 UTC), datetime!(2026-03-08 22:00 UTC))));
}

#[test]
fn a_missing_time_names_the_next_and_a_doubled_one_both() {
    let zone = berlin();
    let first = at(&zone, datetime!(2026-03-28 02:30), datetime!(2026-03-28 03:30));
    let next = datetime!(2026-03-29 01:00 UTC);
    assert_eq!(expand(&first, &times(Every::Day, 2), &zone, None)[1].window, Err(BadWall::Never { next }));

    let autumn = at(&zone, datetime!(2026-10-24 02:15), datetime!(2026-10-24 02:45));
    let two = |doubled| expand(&autumn, &times(Every::Day, 2), &zone, doubled)[1].window.clone();
    let (first, second) = (datetime!(2026-10-25 00:15 UTC), datetime!(2026-10-25 01:15 UTC));
    assert_eq!(two(None), Err(BadWall::Twice { first, second }));
    let half = Duration::minutes(30);
    assert_eq!(two(Some(Which::First)), Ok(window(first, first + half)));
    assert_eq!(two(Some(Which::Second)), Ok(window(second, second + half)));
}

#[test]
fn the_first_one_is_what_was_asked_for() {
    let zone = berlin();
    // The second 02:30, whatever is chosen for other days.
    let first = window(datetime!(2026-10-25 01:30 UTC), datetime!(2026-10-25 02:30 UTC));
    for doubled in [None, Some(Which::First), Some(Which::Second)] {
        let all = expand(&first, &times(Every::Week, 2), &zone, doubled);
        assert_eq!(all[0].window, Ok(first));
        assert_eq!(all[1].window, Ok(at(&zone, datetime!(2026-11-01 02:30), datetime!(2026-11-01 03:30))));
    }
}

#[test]
fn from_before_to_after_clocks_are_set_back_keeps_its_length_on_other_days() {
    let zone = berlin();
    // From the first 02:45 to the second 02:15.
    let first = window(datetime!(2026-10-25 00:45 UTC), datetime!(2026-10-25 01:15 UTC));
    let next = expand(&first, &times(Every::Day, 2), &zone, None)[1].window.clone();
    assert_eq!(next, Ok(at(&zone, datetime!(2026-10-26 02:45), datetime!(2026-10-26 03:15))));
}

#[test]
fn which_days() {
    let zone = kathmandu();
    // A Thursday.
    let first = at(&zone, datetime!(2026-12-03 09:00), datetime!(2026-12-04 09:00));
    let on = |first: &Window, every, end| {
        let days = expand(first, &Repeat { every, end }, &zone, None).into_iter().map(|one| one.day.day());
        days.collect::<Vec<_>>()
    };
    assert_eq!(on(&first, Every::Weekday, RepeatEnd::Times(4)), [3, 4, 7, 8]);
    assert_eq!(on(&first, Every::Day, RepeatEnd::Times(4)), [3, 4, 5, 6]);
    assert_eq!(on(&first, Every::Week, RepeatEnd::Until(date!(2026 - 12 - 24))), [3, 10, 17, 24]);
    assert_eq!(on(&first, Every::Week, RepeatEnd::Until(date!(2026 - 12 - 23))), [3, 10, 17]);
    assert_eq!(on(&first, Every::Day, RepeatEnd::Until(date!(2026 - 12 - 03))), [3]);
    assert_eq!(on(&first, Every::Day, RepeatEnd::Until(date!(2026 - 12 - 02))), [0_u8; 0]);
    assert_eq!(on(&first, Every::Day, RepeatEnd::Times(0)), [0_u8; 0]);
    // Begun on a Saturday: that one, then working days.
    let saturday = at(&zone, datetime!(2026-12-05 09:00), datetime!(2026-12-05 10:00));
    assert_eq!(on(&saturday, Every::Weekday, RepeatEnd::Times(3)), [5, 7, 8]);
}

#[test]
fn too_many_are_cut_off_and_said_to_be() {
    let zone = berlin();
    let first = at(&zone, datetime!(2026-01-05 09:00), datetime!(2026-01-05 10:00));
    let most = u16::try_from(OCCURRENCES_MAX).expect("few");
    for (count, long) in [(most, false), (most + 1, true), (u16::MAX, true)] {
        assert_eq!(expand(&first, &times(Every::Day, count), &zone, None).len(), OCCURRENCES_MAX);
        assert_eq!(is_too_long(&first, &times(Every::Day, count), &zone), long, "{count}");
    }
    let ages = Repeat { every: Every::Week, end: RepeatEnd::Until(Date::MAX) };
    assert_eq!(expand(&first, &ages, &zone, None).len(), OCCURRENCES_MAX);
    assert!(is_too_long(&first, &ages, &zone));
}

#[test]
fn the_others_follow_by_the_wall_clock() {
    let zone = berlin();
    let day = |day: Date, from: u8, to: u8| {
        let wall = |hour| PrimitiveDateTime::new(day, time::Time::from_hms(hour, 0, 0).expect("an hour"));
        at(&zone, wall(from), wall(to))
    };
    let (before, after) = (date!(2026 - 03 - 27), date!(2026 - 03 - 30));
    // Two hours later: 09:00 becomes 11:00 on both sides of the change.
    let moved = follow(&day(after, 9, 12), &day(before, 9, 12), &day(before, 11, 14), &zone, None);
    assert_eq!(moved, Ok(day(after, 11, 14)));
    // Moved over the change itself.
    let moved = follow(&day(after, 9, 12), &day(before, 9, 12), &day(date!(2026 - 03 - 29), 9, 12), &zone, None);
    assert_eq!(moved, Ok(day(date!(2026 - 04 - 01), 9, 12)));
    // Only the end: the start stays the instant it is.
    let longer = follow(&day(after, 9, 12), &day(before, 9, 12), &day(before, 9, 14), &zone, None);
    assert_eq!(longer, Ok(day(after, 9, 14)));
    // One that had been made shorter by itself.
    let gone = follow(&day(after, 9, 10), &day(before, 9, 12), &day(before, 11, 12), &zone, None);
    assert_eq!(gone, Err(Unreadable::EndsFirst { meant: None }));
    let into_the_gap = follow(&day(date!(2026 - 03 - 29), 0, 1), &day(before, 0, 1), &day(before, 1, 2), &zone, None);
    assert_eq!(into_the_gap, Err(Unreadable::End(BadWall::Never { next: datetime!(2026-03-29 01:00 UTC) })));
}

#[test]
fn the_end_of_time_does_no_harm() {
    for zone in all() {
        let first = window(datetime!(9999-12-30 00:00 UTC), datetime!(9999-12-31 00:00 UTC));
        let many = expand(&first, &times(Every::Day, 9), &zone, None);
        assert!(many.len() <= 3, "{}", zone.name());
        let moved = window(datetime!(9999-12-31 00:00 UTC), datetime!(9999-12-31 23:59 UTC));
        let _ = follow(&moved, &first, &moved, &zone, None);
    }
}

fn any_zone() -> impl Strategy<Value = ZoneTable> {
    (0..all().len()).prop_map(|index| all().swap_remove(index))
}

proptest! {
    /// Whatever comes out shows the same clock on the wall at both ends, as many days apart; whatever does not says why,
    /// and rightly so. A choice leaves nothing doubled.
    #[test]
    fn clocks_on_the_wall_agree(
        zone in any_zone(),
        minute in 0i64..(3 * 366 * 96),
        quarters in 1i64..200,
        every in prop_oneof![Just(Every::Day), Just(Every::Weekday), Just(Every::Week)],
        count in 1u16..60,
        doubled in prop_oneof![Just(None), Just(Some(Which::First)), Just(Some(Which::Second))],
    ) {
        let start = datetime!(2025-06-01 00:00 UTC) + Duration::minutes(15 * minute);
        let first = window(start, start + Duration::minutes(15 * quarters));
        let all = expand(&first, &times(every, count), &zone, doubled);
        prop_assert_eq!(all.len(), usize::from(count));
        prop_assert_eq!(&all[0].window, &Ok(first));
        prop_assert!(all.windows(2).all(|pair| pair[0].day < pair[1].day));
        let (from, to) = (plain(first.start(), &zone), plain(first.end(), &zone));
        for one in &all[1..] {
            let start = PrimitiveDateTime::new(one.day, from.time());
            let end = PrimitiveDateTime::new(one.day + (to.date() - from.date()), to.time());
            match &one.window {
                Ok(window) => {
                    prop_assert_eq!(plain(window.start(), &zone), start);
                    if from < to {
                        prop_assert_eq!(plain(window.end(), &zone), end);
                    } else {
                        prop_assert_eq!(window.length(), first.length());
                    }
                }
                Err(BadWall::Never { next }) => {
                    prop_assert!([start, end].iter().any(|wall| zone.resolve(*wall) == Wall::Never));
                    prop_assert!(plain(*next, &zone) > start);
                }
                Err(BadWall::Twice { first, second }) => {
                    prop_assert!(doubled.is_none());
                    let twice = Wall::Twice(*first, *second);
                    prop_assert!([start, end].iter().any(|wall| zone.resolve(*wall) == twice));
                }
                Err(other) => prop_assert!(false, "{other:?}"),
            }
        }
    }

    /// A series that is moved as a whole is the series of the moved one.
    #[test]
    fn following_is_repeating(zone in any_zone(), minute in 0i64..(366 * 96), shift in -96i64..96) {
        let start = datetime!(2026-01-01 00:00 UTC) + Duration::minutes(15 * minute);
        let first = window(start, start + Duration::hours(3));
        let quarter = Duration::minutes(15);
        let becomes = window(first.start() + quarter * i32::try_from(shift).expect("few"), first.end() + quarter * 99);
        let repeat = times(Every::Day, 2);
        let day = zone.local(becomes.start()).date() - zone.local(first.start()).date();
        let (was, is) = (expand(&first, &repeat, &zone, None), expand(&becomes, &repeat, &zone, None));
        if let (Ok(each), Ok(meant)) = (&was[1].window, &is[1].window) {
            prop_assert_eq!(was[1].day + day, is[1].day);
            let (from, to) = (plain(becomes.start(), &zone), plain(becomes.end(), &zone));
            if shift != 0 && from < to && plain(first.start(), &zone) < plain(first.end(), &zone) {
                prop_assert_eq!(&follow(each, &first, &becomes, &zone, None), &Ok(*meant));
            }
        }
    }
}
