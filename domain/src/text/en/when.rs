//! Dates and times, in English.

use crate::text::WhenText;

pub(super) const TEXT: WhenText = WhenText {
    weekdays: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    clock: |hour, minute| format!("{hour:02}:{minute:02}"),
    clock_in_fold: |clock, letters| format!("{clock} {letters}"),
    weekday: |day, clock| format!("{day} {clock}"),
    date: |day, month, year, clock| match year {
        Some(year) => format!("{day} {month} {year} {clock}"),
        None => format!("{day} {month} {clock}"),
    },
    span: |start, end| format!("{start} – {end}"),
};
