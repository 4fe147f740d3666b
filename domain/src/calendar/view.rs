//! What an address asks for: which time, how much of it, which rows. A view can be sent to a colleague, so all of it is
//! in the address, and the address of the usual view is short.

use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime};

use super::Zoom;
use super::axis::Axis;
use crate::address;
use crate::zone::ZoneTable;

/// The page.
pub const PATH: &str = "/calendar";

/// For how long a card can be asked to be free, in hours.
pub const FREE_HOURS: [u8; 4] = [1, 4, 8, 24];

/// Far from the ends of what a clock can show.
const YEARS: std::ops::Range<i32> = 2000..2200;

/// A view of the calendar.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct View {
    /// How much time.
    pub zoom: Zoom,
    /// From which local day on; `None`: today.
    pub from: Option<Date>,
    /// Names of hosts; empty: all.
    pub hosts: Vec<String>,
    /// Cards with this label, or on hosts with it; empty: all.
    pub label: String,
    /// Cards of this model; empty: all.
    pub model: String,
    /// Cards that this person holds, by display name; empty: all.
    pub person: String,
    /// Cards, hosts, people or purposes with this in their names; empty: all.
    pub find: String,
    /// Cards that are free from now on for so many hours, one of [`FREE_HOURS`]; `None`: all.
    pub free: Option<u8>,
    /// Cards that the viewer holds.
    pub mine: bool,
    /// Rows in the order of their numbers, not of their links.
    pub by_number: bool,
    /// As a list in the order of time.
    pub list: bool,
    /// Names of hosts that are folded.
    pub folded: Vec<String>,
}

impl View {
    /// Reads an address's query. What cannot be read is as if it were not there.
    #[must_use]
    pub fn read<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut view = Self::default();
        for (name, value) in pairs {
            let value = value.trim();
            match name {
                "zoom" => view.zoom = Zoom::parse(value).unwrap_or_default(),
                "from" => {
                    let day = Date::parse(value, format_description!("[year]-[month]-[day]")).ok();
                    view.from = day.filter(|day| YEARS.contains(&day.year()));
                }
                "host" => push(&mut view.hosts, value),
                "label" => value.clone_into(&mut view.label),
                "model" => value.clone_into(&mut view.model),
                "who" => value.clone_into(&mut view.person),
                "q" => value.clone_into(&mut view.find),
                "free" => view.free = value.parse().ok().filter(|hours| FREE_HOURS.contains(hours)),
                "mine" => view.mine = value == "1",
                "rows" => view.by_number = value == "number",
                "view" => view.list = value == "list",
                "fold" => push(&mut view.folded, value),
                _ => {}
            }
        }
        view
    }

    /// Names and values of what is not as usual.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        let mut add = |name, value: String| pairs.push((name, value));
        if self.zoom != Zoom::default() {
            add("zoom", self.zoom.word().to_owned());
        }
        if let Some(from) = self.from {
            add("from", from.to_string());
        }
        for host in &self.hosts {
            add("host", host.clone());
        }
        for (name, value) in [("label", &self.label), ("model", &self.model), ("who", &self.person), ("q", &self.find)]
        {
            if !value.is_empty() {
                add(name, value.clone());
            }
        }
        if let Some(hours) = self.free {
            add("free", hours.to_string());
        }
        for (name, value, on) in
            [("mine", "1", self.mine), ("rows", "number", self.by_number), ("view", "list", self.list)]
        {
            if on {
                add(name, value.to_owned());
            }
        }
        for host in &self.folded {
            add("fold", host.clone());
        }
        pairs
    }

    /// The address of the view.
    #[must_use]
    pub fn address(&self) -> String {
        address::with_query(PATH, self.pairs())
    }

    /// The view with one thing changed.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut view = self.clone();
        change(&mut view);
        view
    }

    /// Its first day.
    #[must_use]
    pub fn first_day(&self, zone: &ZoneTable, now: OffsetDateTime) -> Date {
        self.from.unwrap_or_else(|| zone.local(now).date())
    }

    /// Its axis.
    #[must_use]
    pub fn axis(&self, zone: &ZoneTable, now: OffsetDateTime) -> Axis {
        Axis::new(zone, self.first_day(zone, now), self.zoom.axis_days())
    }

    /// The window after this one, or before it; the one that begins today has a short address.
    #[must_use]
    pub fn step(&self, windows: i64, zone: &ZoneTable, now: OffsetDateTime) -> Self {
        let days = windows * i64::from(self.zoom.days());
        let first = self.first_day(zone, now);
        let day = first.checked_add(Duration::days(days)).filter(|day| YEARS.contains(&day.year())).unwrap_or(first);
        self.with(|view| view.from = (day != zone.local(now).date()).then_some(day))
    }

    /// Whether it leaves rows out.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        !(self.hosts.is_empty()
            && self.label.is_empty()
            && self.model.is_empty()
            && self.person.is_empty()
            && self.find.is_empty())
            || self.free.is_some()
            || self.mine
    }
}

fn push(list: &mut Vec<String>, value: &str) {
    if !value.is_empty() && !list.iter().any(|known| known == value) {
        list.push(value.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    #[test]
    fn the_usual_view_has_the_shortest_address() {
        assert_eq!(View::default().address(), "/calendar");
        assert_eq!(View::read([]), View::default());
        assert_eq!(
            View::read([
                ("zoom", "century"),
                ("from", "yesterday"),
                ("from", "9999-12-31"),
                ("x", "y"),
                ("host", " "),
                ("free", "3")
            ]),
            View::default()
        );
    }

    #[test]
    fn a_view_survives_its_address() {
        let view = View {
            zoom: Zoom::Week,
            from: Some(date!(2026 - 11 - 30)),
            hosts: vec!["dgx".to_owned(), "rig".to_owned()],
            label: "training".to_owned(),
            model: "H100 80GB".to_owned(),
            person: "Sofia Marín".to_owned(),
            find: "a&b=c".to_owned(),
            free: Some(4),
            mine: true,
            by_number: true,
            list: true,
            folded: vec!["rig".to_owned()],
        };
        assert_eq!(
            view.address(),
            "/calendar?zoom=week&from=2026-11-30&host=dgx&host=rig&label=training&model=H100%2080GB\
             &who=Sofia%20Mar%C3%ADn&q=a%26b%3Dc&free=4&mine=1&rows=number&view=list&fold=rig"
        );
        let pairs = view.pairs();
        assert_eq!(View::read(pairs.iter().map(|(name, value)| (*name, value.as_str()))), view);
    }

    #[test]
    fn windows_follow_each_other() {
        let (zone, now) = (ZoneTable::utc(), datetime!(2026-11-30 10:12 UTC));
        let week = View { zoom: Zoom::Week, ..View::default() };
        let next = week.step(1, &zone, now);
        assert_eq!(next.from, Some(date!(2026 - 12 - 07)));
        assert_eq!(next.step(-1, &zone, now), week);
        assert_eq!(next.axis(&zone, now).from(), datetime!(2026-12-07 00:00 UTC));
    }
}
