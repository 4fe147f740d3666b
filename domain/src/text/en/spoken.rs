//! English for times as people say them. The words that are read are in [`crate::draft::spoken`].

use crate::text::SpokenText;

/// The words.
pub const TEXT: SpokenText = SpokenText {
    label: "When, in words",
    examples: "tomorrow 9am 6h, fri 14:00-18:00, now 4h, until 18:00, +2h",
    empty: "Say when, such as “tomorrow 9am 6h”.",
    too_much: "This is too long. Say when, such as “tomorrow 9am 6h”.",
    unknown: |word| format!("“{word}” is not understood here. Say it like “fri 14:00-18:00” or “2026-12-01 09:00 2d”."),
    bare_number: |number| format!("{number} hours, or at {number}? Write {number}h, {number}:00 or {number}am."),
    which_date: |date| {
        format!("{date} is read differently in different countries. Write it like “4 Dec” or “2026-12-04”.")
    },
    no_such_date: |date| format!("There is no {date}."),
    no_such_time: |clock| format!("There is no {clock} on the clock. Times go from 00:00 to 23:59."),
    which_day: |one, other| format!("{one} or {other}? Write the date."),
    which_night: "It is past midnight: the night that is ending, or the next? Write “now” or “today 20:00”.",
    vague: |word| format!("“{word}” is no exact time. Write a day and a time, such as “tomorrow 9:00”."),
    no_clock: "At what time? Write it too, such as “tomorrow 9:00 6h”.",
    contradiction: "This says one thing twice, or two that do not go together. Say a start, and an end or a length.",
    passed: |at| format!("{at} has passed. Say a start from now on, such as “tomorrow 9:00”."),
    ends_first: "The end is not after the start. Say a later end, with its day if it is another one.",
    about_start: |why| format!("Start: {why}"),
    about_end: |why| format!("End: {why}"),
};
