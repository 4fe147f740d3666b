use proptest::prelude::*;
use time::macros::{date, datetime, time};

use super::*;
use crate::text::{When, en};
use crate::zone::samples::{all, berlin, lord_howe, new_york};

/// Monday, 11:07 in Berlin.
const NOW: OffsetDateTime = datetime!(2026-11-30 10:07:42 UTC);

fn heard(text: &str) -> Result<Spoken, Misheard> {
    parse(text, &berlin(), NOW)
}

/// A window in Berlin in winter.
fn berlin_window(start: PrimitiveDateTime, end: PrimitiveDateTime) -> Spoken {
    let at = |wall: PrimitiveDateTime| wall.assume_offset(time::macros::offset!(+1));
    Spoken::Window(Window::new(at(start), at(end)).expect("not empty"))
}

#[test]
fn starts_with_an_end_or_a_length() {
    let cases = [
        ("tomorrow 9am 6h", datetime!(2026-12-01 09:00), datetime!(2026-12-01 15:00)),
        ("6h tomorrow at 9 AM", datetime!(2026-12-01 09:00), datetime!(2026-12-01 15:00)),
        ("now 4h", datetime!(2026-11-30 11:07), datetime!(2026-11-30 15:07)),
        ("now until 18:00", datetime!(2026-11-30 11:07), datetime!(2026-11-30 18:00)),
        ("in 2h for 90 min", datetime!(2026-11-30 13:07), datetime!(2026-11-30 14:37)),
        ("fri 14:00-18:00", datetime!(2026-12-04 14:00), datetime!(2026-12-04 18:00)),
        ("14:00-18:00 fri", datetime!(2026-12-04 14:00), datetime!(2026-12-04 18:00)),
        ("Friday, 2 pm to 6:30pm", datetime!(2026-12-04 14:00), datetime!(2026-12-04 18:30)),
        ("fri 14–18", datetime!(2026-12-04 14:00), datetime!(2026-12-04 18:00)),
        ("14:00 for 3h", datetime!(2026-11-30 14:00), datetime!(2026-11-30 17:00)),
        ("from 14:00 to 17:00", datetime!(2026-11-30 14:00), datetime!(2026-11-30 17:00)),
        ("today noon 1.5h", datetime!(2026-11-30 12:00), datetime!(2026-11-30 13:30)),
        ("mon 12:00 1h30", datetime!(2026-11-30 12:00), datetime!(2026-11-30 13:30)),
        ("2026-12-01 09:00 2d", datetime!(2026-12-01 09:00), datetime!(2026-12-03 09:00)),
        ("2026-12-01T09:00 2 days 4 hours", datetime!(2026-12-01 09:00), datetime!(2026-12-03 13:00)),
        ("4 dec 9:00 1w", datetime!(2026-12-04 09:00), datetime!(2026-12-11 09:00)),
        ("Dec 4th 9:00 1h", datetime!(2026-12-04 09:00), datetime!(2026-12-04 10:00)),
        ("fri 4 dec 2026 9:00 1h", datetime!(2026-12-04 09:00), datetime!(2026-12-04 10:00)),
        ("8 jan 9:00 1h", datetime!(2027-01-08 09:00), datetime!(2027-01-08 10:00)),
        ("next monday 9:00 - tue 10:00", datetime!(2026-12-07 09:00), datetime!(2026-12-08 10:00)),
        ("this thu 9:00 1h", datetime!(2026-12-03 09:00), datetime!(2026-12-03 10:00)),
        ("day after tomorrow 9:00 1h", datetime!(2026-12-02 09:00), datetime!(2026-12-02 10:00)),
        ("22:00-06:00", datetime!(2026-11-30 22:00), datetime!(2026-12-01 06:00)),
        ("22:00-06:00 fri", datetime!(2026-12-04 22:00), datetime!(2026-12-05 06:00)),
        ("tonight", datetime!(2026-11-30 20:00), datetime!(2026-12-01 08:00)),
        ("tonight 4h", datetime!(2026-11-30 20:00), datetime!(2026-12-01 00:00)),
        ("tonight 10pm 4h", datetime!(2026-11-30 22:00), datetime!(2026-12-01 02:00)),
        ("tonight 2am 4h", datetime!(2026-12-01 02:00), datetime!(2026-12-01 06:00)),
        ("tonight until 23:00", datetime!(2026-11-30 20:00), datetime!(2026-11-30 23:00)),
        ("12am tomorrow 1h", datetime!(2026-12-01 00:00), datetime!(2026-12-01 01:00)),
    ];
    for (text, start, end) in cases {
        assert_eq!(heard(text), Ok(berlin_window(start, end)), "{text}");
    }
}

#[test]
fn parts_of_it() {
    let length = |days, minutes| Length { days, minutes };
    let cases = [
        ("+2h", Spoken::Longer(length(0, 120))),
        ("+ 1 day", Spoken::Longer(length(1, 0))),
        ("2h", Spoken::Length(length(0, 120))),
        ("for 1 week 2 h", Spoken::Length(length(7, 120))),
        ("next monday", Spoken::Day(date!(2026 - 12 - 07))),
        ("tomorrow", Spoken::Day(date!(2026 - 12 - 01))),
        ("today", Spoken::Day(date!(2026 - 11 - 30))),
        ("sun", Spoken::Day(date!(2026 - 12 - 06))),
        ("14:00", Spoken::Start(datetime!(2026-11-30 13:00 UTC))),
        ("now", Spoken::Start(datetime!(2026-11-30 10:07 UTC))),
        ("until 18:00", Spoken::Until { day: None, clock: time!(18:00), which: None }),
        ("till tue 6pm", Spoken::Until { day: Some(date!(2026 - 12 - 01)), clock: time!(18:00), which: None }),
    ];
    for (text, meant) in cases {
        assert_eq!(heard(text), Ok(meant), "{text}");
    }
}

#[test]
fn what_may_mean_two_things_is_asked_about() {
    let unknown = |word: &str| Misheard::Unknown(word.to_owned());
    let vague = |word: &str| Misheard::Vague(word.to_owned());
    let cases = [
        ("", Misheard::Empty),
        (" , ", Misheard::Empty),
        ("9", Misheard::BareNumber(9)),
        ("tomorrow 9", Misheard::BareNumber(9)),
        ("fri 9-5", Misheard::BareNumber(9)),
        ("9-11am", Misheard::BareNumber(9)),
        ("+2", Misheard::BareNumber(2)),
        ("in 5", Misheard::BareNumber(5)),
        ("14:00 for 3", Misheard::BareNumber(3)),
        ("4/12 9:00", Misheard::WhichDate("4/12".to_owned())),
        ("4.12. 9:00", Misheard::WhichDate("4.12".to_owned())),
        ("30 feb 9:00", Misheard::NoSuchDate("30 February 2026".to_owned())),
        ("2026-13-01", Misheard::NoSuchDate("2026-13-01".to_owned())),
        ("25:00", Misheard::NoSuchTime("25:00".to_owned())),
        ("13pm", Misheard::NoSuchTime("13 pm".to_owned())),
        ("0:30am", Misheard::NoSuchTime("0:30 am".to_owned())),
        ("24:00", Misheard::NoSuchTime("24:00".to_owned())),
        ("mon", Misheard::WhichDay(date!(2026 - 11 - 30), date!(2026 - 12 - 07))),
        ("next fri 9:00 1h", Misheard::WhichDay(date!(2026 - 12 - 04), date!(2026 - 12 - 11))),
        ("tomorrow morning", vague("morning")),
        ("tomorrow midnight", vague("midnight")),
        ("next week", vague("next")),
        ("tomorrow 6h", Misheard::NoClock),
        ("fri-sun", Misheard::NoClock),
        ("until fri", Misheard::NoClock),
        ("tomorrow 9:00 10:00", Misheard::Contradiction),
        ("tomorrow fri 9:00", Misheard::Contradiction),
        ("sat 4 dec 9:00", Misheard::Contradiction),
        ("14:00-18:00 3h", Misheard::Contradiction),
        ("2h 4h", Misheard::Contradiction),
        ("now 14:00", Misheard::Contradiction),
        ("now now", Misheard::Contradiction),
        ("tomorrow +2h", Misheard::Contradiction),
        ("tonight 9:00", Misheard::Contradiction),
        ("9:00", Misheard::Passed(datetime!(2026-11-30 08:00 UTC))),
        ("mon 9:00-17:00", Misheard::Passed(datetime!(2026-11-30 08:00 UTC))),
        ("3 nov 9:00 1h", Misheard::Passed(datetime!(2026-11-03 08:00 UTC))),
        ("29 nov", Misheard::Passed(datetime!(2026-11-28 23:00 UTC))),
        ("fri 9:00-9:00", Misheard::EndsFirst),
        ("fri 9:00 - thu 3 dec 9:00", Misheard::EndsFirst),
        ("fri 9:00 0h", Misheard::EndsFirst),
        ("fri 9:00 until now", Misheard::EndsFirst),
        ("gpu 3", unknown("gpu")),
        ("tomorrow @9", unknown("@")),
        ("99999999999", unknown("99999999999")),
    ];
    for (text, why) in cases {
        assert_eq!(heard(text), Err(why), "{text}");
    }
    assert_eq!(heard(&"a".repeat(121)), Err(Misheard::TooMuch));
}

#[test]
fn a_length_on_its_own() {
    let minutes = |text| length(text).map(|length| length.whole_minutes());
    assert_eq!(minutes("7 d"), Some(7 * 24 * 60));
    assert_eq!(minutes("1 h 30 min"), Some(90));
    assert_eq!(minutes(" 90min "), Some(90));
    for no in ["", "7", "7 d tomorrow", "+2h", "until 9:00", "0 h", "d"] {
        assert_eq!(minutes(no), None, "{no}");
    }
}

#[test]
fn the_small_hours_have_two_nights() {
    let small_hours = |text| parse(text, &berlin(), datetime!(2026-12-01 00:30 UTC));
    assert_eq!(small_hours("tonight"), Err(Misheard::WhichNight));
    assert_eq!(small_hours("tonight 22:00 1h"), Err(Misheard::WhichNight));
    // Late in the evening, what is left of it.
    let late = parse("tonight", &berlin(), datetime!(2026-11-30 21:15 UTC));
    assert_eq!(late, Ok(berlin_window(datetime!(2026-11-30 22:15), datetime!(2026-12-01 08:00))));
}

#[test]
fn clocks_that_change_are_said_as_of_typed_times() {
    let zone = berlin();
    let never = BadWall::Never { next: datetime!(2026-03-29 01:00 UTC) };
    let spring = |text| parse(text, &zone, datetime!(2026-03-27 12:00 UTC));
    assert_eq!(spring("29 mar 2:30 1h"), Err(Misheard::Start(never.clone())));
    assert_eq!(spring("29 mar 1:00-2:30"), Err(Misheard::End(never.clone())));
    assert_eq!(spring("28 mar 2:30 1d"), Err(Misheard::End(never)));
    // A day over the change is 23 hours.
    let day = spring("28 mar 9:00 1d");
    assert!(matches!(day, Ok(Spoken::Window(window)) if window.length() == Duration::hours(23)), "{day:?}");

    let autumn = |text| parse(text, &zone, datetime!(2026-10-23 12:00 UTC));
    let (first, second) = (datetime!(2026-10-25 00:30 UTC), datetime!(2026-10-25 01:30 UTC));
    assert_eq!(autumn("25 oct 2:30 1h"), Err(Misheard::Start(BadWall::Twice { first, second })));
    assert_eq!(autumn("25 oct 2:30 (second)"), Ok(Spoken::Start(second)));
    let both = autumn("25 oct 2:30 first - 2:30 second");
    assert_eq!(both, Ok(Spoken::Window(Window::new(first, second).expect("not empty"))));
    // Half an hour, on the other side of the earth.
    let lord_howe = parse("4 oct 2:10", &lord_howe(), datetime!(2026-10-01 12:00 UTC));
    assert_eq!(lord_howe, Err(Misheard::Start(BadWall::Never { next: datetime!(2026-10-03 15:30 UTC) })));
}

#[test]
fn what_is_not_said_stays_as_it_stands() {
    let zone = berlin();
    let window = |start, end| Window::new(start, end).expect("not empty");
    let standing = window(datetime!(2026-12-03 21:00 UTC), datetime!(2026-12-04 05:00 UTC));
    let over = |text| heard(text).expect("understood").over(&standing, &zone);
    assert_eq!(over("+2h"), Ok(window(standing.start(), datetime!(2026-12-04 07:00 UTC))));
    assert_eq!(over("2h"), Ok(window(standing.start(), datetime!(2026-12-03 23:00 UTC))));
    assert_eq!(over("tomorrow"), Ok(window(datetime!(2026-12-01 21:00 UTC), datetime!(2026-12-02 05:00 UTC))));
    assert_eq!(over("14:00"), Ok(window(datetime!(2026-11-30 13:00 UTC), datetime!(2026-11-30 21:00 UTC))));
    assert_eq!(over("until 23:00"), Ok(window(standing.start(), datetime!(2026-12-03 22:00 UTC))));
    assert_eq!(over("until 7:00"), Ok(window(standing.start(), datetime!(2026-12-04 06:00 UTC))));
    assert_eq!(over("until sat 7:00"), Ok(window(standing.start(), datetime!(2026-12-05 06:00 UTC))));
    assert_eq!(over("until tue 7:00"), Err(Misheard::EndsFirst));
    assert_eq!(over("now 4h").map(|window| window.length()), Ok(Duration::hours(4)));
    // The day of a change: ten at night stays ten at night.
    let spring = window(datetime!(2026-03-27 21:00 UTC), datetime!(2026-03-28 05:00 UTC));
    let saturday = Spoken::Day(date!(2026 - 03 - 28)).over(&spring, &zone);
    assert_eq!(saturday, Ok(window(datetime!(2026-03-28 21:00 UTC), datetime!(2026-03-29 04:00 UTC))));
}

#[test]
fn every_refusal_has_words() {
    let zone = berlin();
    let when = When::new(&zone, NOW);
    let said = |text: &str| en().misheard(&heard(text).expect_err("misheard"), &when);
    assert_eq!(said("tomorrow 9"), "9 hours, or at 9? Write 9h, 9:00 or 9am.");
    assert_eq!(said("next fri"), "4 Dec or 11 Dec? Write the date.");
    assert_eq!(said("9:00"), "09:00 has passed. Say a start from now on, such as “tomorrow 9:00”.");
    let spring = parse("29 mar 2:30", &zone, datetime!(2026-03-27 12:00 UTC)).expect_err("misheard");
    assert!(en().misheard(&spring, &when).contains("does not exist"));
}

proptest! {
    #[test]
    fn nothing_panics(text in "\\PC{0,60}", now in 0i64..4_000_000_000) {
        let now = OffsetDateTime::from_unix_timestamp(now).expect("a time");
        for zone in [berlin(), new_york()] {
            let _ = parse(&text, &zone, now);
        }
    }

    #[test]
    fn nothing_panics_however_the_words_are_put_together(
        words in prop::collection::vec(prop::sample::select(vec![
            "now", "today", "tonight", "tomorrow", "mon", "next", "this", "fri", "dec", "31", "9", "14", "2026", "-", ":",
            "30", "00", "+", "h", "d", "am", "pm", "until", "in", "for", "day", "after", ".", "/", "9999", "10000", "w",
            "first", "second", " ", " ", "9999-12-31 23:59", "1h30", "th", "99999999",
        ]), 0..12),
        now in prop_oneof![Just(NOW), Just(datetime!(2026-10-25 00:40 UTC)), Just(datetime!(9999-12-31 22:10 UTC))],
    ) {
        let text = words.concat();
        for zone in all() {
            if let Ok(spoken) = parse(&text, &zone, now) {
                let standing = Window::new(now, now + Duration::hours(1)).expect("not empty");
                let _ = spoken.over(&standing, &zone);
                match spoken {
                    Spoken::Start(at) => prop_assert!(at >= wall::minute(now)),
                    Spoken::Window(window) => prop_assert!(window.start() >= wall::minute(now)),
                    _ => {}
                }
            }
        }
    }

    /// What we write is read back as the same, on every day of the year and in every zone.
    #[test]
    fn what_is_written_is_read(
        minute in 0i64..(400 * 96),
        ahead in 0i64..(120 * 96),
        quarters in 1i64..400,
        zone in 0usize..6,
    ) {
        let zone = all().swap_remove(zone);
        let now = datetime!(2026-01-01 00:00 UTC) + Duration::minutes(15 * minute);
        let start = now + Duration::minutes(15 * ahead);
        let window = Window::new(start, start + Duration::minutes(15 * quarters)).expect("not empty");
        let text = When::new(&zone, now).range(&window);
        prop_assert_eq!(parse(&text, &zone, now), Ok(Spoken::Window(window)), "{}", text);
    }
}
