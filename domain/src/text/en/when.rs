//! English for times.

use crate::text::WhenText;

/// The words.
pub const TEXT: WhenText = WhenText {
    weekdays: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    day: |day, month| format!("{day} {month}"),
    day_of_year: |day, month, year| format!("{day} {month} {year}"),
    on_day: |day, clock| format!("{day} {clock}"),
    range: |from, to| format!("{from} – {to}"),
    first: |clock| format!("{clock} (first)"),
    second: |clock| format!("{clock} (second)"),
    seconds: |seconds| format!("{seconds} s"),
    minutes: |minutes| format!("{minutes} min"),
    hours: |hours, minutes| {
        if minutes == 0 { format!("{hours} h") } else { format!("{hours} h {minutes} m") }
    },
    days: |days, hours| {
        if hours == 0 { format!("{days} d") } else { format!("{days} d {hours} h") }
    },
};
