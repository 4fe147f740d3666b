//! Writes the axis: days, hours, the corner, and the ground behind the rows.

use domain::text::t;
use domain::zone::ZoneTable;
use time::{Date, OffsetDateTime};

use super::markup::Markup;
use super::scene::Scene;
use domain::calendar::axis::Axis;
use domain::calendar::view::View;

/// The axis, now on it, and the ground behind all rows.
pub fn write(html: &mut Markup, scene: &Scene<'_>) {
    let sight = &scene.sight;
    let words = &t().calendar;
    html.raw("<div class=\"tl-axis\"><div class=\"corner\"><span>").text(&(words.cards)(scene.cards()));
    html.raw("</span><span class=\"muted\">").text(&(words.zone)(sight.zone.name(), &offset(sight.zone, sight.now)));
    html.raw("</span><span class=\"key\"><i></i>").text(words.used_key).raw("</span></div><ol>");
    let today = sight.zone.local(sight.now).date();
    for (index, day) in scene.axis.days.iter().enumerate() {
        html.raw("<li");
        if day.weekend {
            html.raw(" data-we");
        }
        if day.date == today {
            html.raw(" data-today");
        }
        html.raw(" style=\"").number("at", day.at).number("for", day.length).raw("\"><time");
        html.attr("datetime", &day.date.to_string()).raw(">");
        day_name(html, day.date, index == 0);
        html.raw("</time>");
        if let Some(every) = sight.view.zoom.tick_hours() {
            for tick in scene.axis.ticks(sight.zone, day, every) {
                html.raw("<i style=\"").number("at", tick.at).raw("\">").text(&format!("{:02}", tick.hour)).raw("</i>");
            }
        }
        html.raw("</li>");
    }
    html.raw("</ol><time class=\"nowbadge\">").text(&scene.when().clock(sight.now)).raw("</time></div>");
    html.raw("<div class=\"tl-ground\" aria-hidden=\"true\">");
    for day in &scene.axis.days {
        html.raw("<i");
        if day.weekend {
            html.raw(" data-we");
        }
        html.raw(" style=\"").number("at", day.at).number("for", day.length);
        html.number("dawn", day.light.0).number("dusk", day.light.1).raw("\"></i>");
    }
    html.raw("</div><div class=\"nowline\"></div>");
}

/// Weekday, day, and the month where it is new.
fn day_name(html: &mut Markup, date: Date, first: bool) {
    let words = &t().when;
    let weekday = words.weekdays.get(usize::from(date.weekday().number_days_from_monday())).copied();
    html.text(weekday.unwrap_or_default()).raw(" <b>").text(&date.day().to_string()).raw("</b>");
    if first || date.day() == 1 {
        html.raw(" ").text(month(date));
    }
}

fn month(date: Date) -> &'static str {
    t().when.months.get(usize::from(u8::from(date.month())) - 1).copied().unwrap_or_default()
}

/// Distance from UTC, such as `UTC+1` or `UTC+5:45`.
fn offset(zone: &ZoneTable, at: OffsetDateTime) -> String {
    let (hours, minutes, _) = zone.local(at).offset().as_hms();
    match (hours, minutes) {
        (0, 0) => t().calendar.utc.to_owned(),
        (hours, 0) => format!("{}{hours:+}", t().calendar.utc),
        (hours, minutes) => {
            let sign = if hours < 0 || minutes < 0 { '-' } else { '+' };
            format!("{}{sign}{}:{:02}", t().calendar.utc, hours.abs(), minutes.abs())
        }
    }
}

/// The days of a view as a heading.
#[must_use]
pub fn heading(view: &View, axis: &Axis) -> String {
    let words = &t().calendar;
    let Some(first) = axis.days.first().map(|day| day.date) else { return String::new() };
    if view.zoom.days() == 1 {
        let weekday = t().when.weekdays.get(usize::from(first.weekday().number_days_from_monday())).copied();
        return (words.heading_day)(weekday.unwrap_or_default(), first.day(), month(first), first.year());
    }
    let last = axis.days.get(usize::from(view.zoom.days()) - 1).map_or(first, |day| day.date);
    (words.heading_days)(first.day(), month(first), last.day(), month(last), last.year())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::zone::Offset;
    use time::macros::{date, datetime};

    #[test]
    fn distances_from_utc() {
        let at = datetime!(2026-11-30 10:00 UTC);
        let of = |minutes: i32| {
            let span = Offset { from: 0, seconds: minutes * 60, letters: String::new() };
            offset(&ZoneTable::new("X".to_owned(), vec![span]), at)
        };
        assert_eq!((of(0), of(60), of(-300)), ("UTC".to_owned(), "UTC+1".to_owned(), "UTC-5".to_owned()));
        assert_eq!((of(345), of(-210)), ("UTC+5:45".to_owned(), "UTC-3:30".to_owned()));
    }

    #[test]
    fn headings() {
        let axis = |view: &View| view.axis(&ZoneTable::utc(), datetime!(2026-11-30 10:00 UTC));
        let day = View { from: Some(date!(2026 - 11 - 30)), ..View::default() };
        assert_eq!(heading(&day, &axis(&day)), "Mon 30 Nov 2026");
        let week = View { zoom: domain::calendar::Zoom::Week, ..day };
        assert_eq!(heading(&week, &axis(&week)), "30 Nov – 6 Dec 2026");
    }
}
