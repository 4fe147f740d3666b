//! A wish as one sentence of choices: "Find 2 cards, 24 GB or more, linked by NVLink, for 4 hours from now". It lives in an
//! address, so that it works without scripts and can be sent to a colleague.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime, PrimitiveDateTime, Time};

use super::offers::LATER_WITHIN;
use super::{Link, Span, Want};
use crate::draft::wall::{self, Which};
use crate::window::Window;
use crate::zone::ZoneTable;

/// Numbers of cards to choose from.
pub const COUNTS: [u32; 8] = [1, 2, 3, 4, 6, 8, 16, 32];
/// Lengths to choose from, in minutes.
pub const LENGTHS: [u32; 11] = [30, 60, 120, 240, 480, 720, 1440, 2880, 4320, 7200, 10_080];
/// The evening begins.
const EVENING: Time = hour(20);
/// The working day begins.
const MORNING: Time = hour(9);

const fn hour(hour: u8) -> Time {
    match Time::from_hms(hour, 0, 0) {
        Ok(time) => time,
        Err(_) => Time::MIDNIGHT,
    }
}

/// Which cards.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Any.
    #[default]
    Any,
    /// With so much memory at least, in GB.
    Memory(u64),
    /// Of this architecture.
    Architecture(String),
    /// Of this model.
    Model(String),
}

/// How they are linked, and whether they are on one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Together {
    /// On one host.
    #[default]
    Host,
    /// On one NUMA node.
    Node,
    /// Behind one PCIe switch, or better.
    Switch,
    /// Linked by NVLink.
    NvLink,
    /// On any hosts.
    Anywhere,
}

/// On which hosts.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// On any.
    #[default]
    Any,
    /// On this one.
    Host(String),
    /// On cards, or hosts, with this label.
    Label(String),
}

/// From when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// At once.
    #[default]
    Now,
    /// From 20:00 of this day; at once where that has passed.
    Tonight,
    /// From 09:00 of the next day.
    Tomorrow,
    /// As soon as it can be.
    Earliest,
}

impl From {
    /// In the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Now, Self::Tonight, Self::Tomorrow, Self::Earliest];

    /// The word in the address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Tonight => "tonight",
            Self::Tomorrow => "tomorrow",
            Self::Earliest => "earliest",
        }
    }

    /// When that is; for the earliest time the first instant that counts.
    #[must_use]
    pub fn instant(self, zone: &ZoneTable, now: OffsetDateTime) -> OffsetDateTime {
        let now = wall::minute(now);
        match self {
            Self::Now | Self::Earliest => now,
            Self::Tonight => {
                let evening = PrimitiveDateTime::new(zone.local(now).date(), EVENING);
                let at = wall::resolve(evening, Some(Which::First), zone);
                at.unwrap_or_else(|_| wall::after_gap(evening, zone)).max(now)
            }
            Self::Tomorrow => wall::tomorrow(now, MORNING, zone),
        }
    }
}

impl Together {
    /// In the order in which they are offered.
    pub const ALL: [Self; 5] = [Self::Host, Self::NvLink, Self::Switch, Self::Node, Self::Anywhere];

    /// The word in the address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Node => "node",
            Self::Switch => "switch",
            Self::NvLink => "nvlink",
            Self::Anywhere => "any",
        }
    }
}

impl Kind {
    /// As an address holds it.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Memory(gigabytes) => format!("memory:{gigabytes}"),
            Self::Architecture(name) => format!("architecture:{name}"),
            Self::Model(name) => format!("model:{name}"),
        }
    }

    fn parse(word: &str) -> Self {
        match word.split_once(':') {
            Some(("memory", number)) => number.parse().map_or(Self::Any, Self::Memory),
            Some(("architecture", name)) => Self::Architecture(name.to_owned()),
            Some(("model", name)) => Self::Model(name.to_owned()),
            _ => Self::Any,
        }
    }
}

impl Place {
    /// As an address holds it.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Host(name) => format!("host:{name}"),
            Self::Label(name) => format!("label:{name}"),
        }
    }

    fn parse(word: &str) -> Self {
        match word.split_once(':') {
            Some(("host", name)) => Self::Host(name.to_owned()),
            Some(("label", name)) => Self::Label(name.to_owned()),
            _ => Self::Any,
        }
    }
}

/// The sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// How many cards.
    pub count: u32,
    /// Which.
    pub kind: Kind,
    /// How linked.
    pub together: Together,
    /// On which hosts.
    pub place: Place,
    /// For how long.
    pub minutes: u32,
    /// From when.
    pub from: From,
}

impl Default for Line {
    fn default() -> Self {
        Self { count: 1, kind: Kind::Any, together: Together::Host, place: Place::Any, minutes: 240, from: From::Now }
    }
}

impl Line {
    /// Names of its parts in an address. None of them is one of the calendar's, which may stand beside them.
    pub const NAMES: [&str; 6] = ["cards", "which", "link", "where", "for", "begin"];

    /// Reads an address; what is missing, or means nothing, is as usual.
    #[must_use]
    pub fn read<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Self {
        let usual = Self::default();
        let number = |name| get(name).and_then(|text| text.parse::<u32>().ok());
        let together = get("link").and_then(|word| Together::ALL.into_iter().find(|one| one.word() == word));
        let from = get("begin").and_then(|word| From::ALL.into_iter().find(|one| one.word() == word));
        Self {
            count: number("cards").filter(|count| (1..=256).contains(count)).unwrap_or(usual.count),
            kind: get("which").map(Kind::parse).unwrap_or_default(),
            together: together.unwrap_or_default(),
            place: get("where").map(Place::parse).unwrap_or_default(),
            minutes: number("for").filter(|minutes| (5..=44_640).contains(minutes)).unwrap_or(usual.minutes),
            from: from.unwrap_or_default(),
        }
    }

    /// Names and values for an address: those that are not as usual.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let all = |line: &Self| {
            let (count, minutes) = (line.count.to_string(), line.minutes.to_string());
            let (link, from) = (line.together.word().to_owned(), line.from.word().to_owned());
            [count, line.kind.word(), link, line.place.word(), minutes, from]
        };
        let parts = Self::NAMES.into_iter().zip(all(self)).zip(all(&Self::default()));
        parts.filter(|((_, value), usual)| value != usual).map(|(pair, _)| pair).collect()
    }

    /// The wish.
    #[must_use]
    pub fn want(&self, zone: &ZoneTable, now: OffsetDateTime) -> Want {
        let (mut model, mut architecture, mut memory_mib) = (None, None, None);
        match &self.kind {
            Kind::Any => {}
            // What drivers keep for themselves makes no 24 GB card smaller.
            Kind::Memory(gigabytes) => memory_mib = Some((gigabytes * 1024).saturating_sub(gigabytes * 1024 / 20)),
            Kind::Architecture(name) => architecture = Some(name.clone()),
            Kind::Model(name) => model = Some(name.clone()),
        }
        let (link, spread) = match self.together {
            Together::Host => (Link::Any, false),
            Together::Node => (Link::Node, false),
            Together::Switch => (Link::Switch, false),
            Together::NvLink => (Link::NvLink, false),
            Together::Anywhere => (Link::Any, true),
        };
        let (hosts, labels) = match &self.place {
            Place::Any => (Vec::new(), Vec::new()),
            Place::Host(name) => (vec![name.clone()], Vec::new()),
            Place::Label(name) => (Vec::new(), vec![name.clone()]),
        };
        let (from, length) = (self.from.instant(zone, now), Duration::minutes(i64::from(self.minutes)));
        let soon = Span::Earliest { minutes: self.minutes, from, until: from + length + LATER_WITHIN };
        let when = match self.from {
            From::Earliest => soon,
            _ => Window::new(from, from + length).map_or(soon, Span::At),
        };
        Want { count: self.count, model, architecture, memory_mib, link, spread, hosts, labels, when }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-30 10:12:40 UTC);

    fn line(pairs: &[(&str, &'static str)]) -> Line {
        Line::read(|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    #[test]
    fn an_address_says_what_differs_from_the_usual() {
        assert_eq!(line(&[]), Line::default());
        assert!(Line::default().pairs().is_empty());
        let asked = [("cards", "2"), ("which", "memory:24"), ("link", "nvlink"), ("where", "host:dgx"), ("for", "60")];
        let read = line(&asked);
        assert_eq!((read.count, read.kind.clone(), read.minutes), (2, Kind::Memory(24), 60));
        let pairs: Vec<_> = read.pairs();
        assert_eq!(pairs.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>(), asked);
        assert_eq!(
            line(&[("cards", "0"), ("which", "x"), ("link", "x"), ("for", "1"), ("begin", "x")]),
            Line::default()
        );
    }

    #[test]
    fn a_sentence_is_a_wish() {
        let utc = ZoneTable::utc();
        let want = line(&[("cards", "2"), ("which", "memory:24"), ("link", "nvlink")]).want(&utc, NOW);
        assert_eq!((want.count, want.link, want.spread), (2, Link::NvLink, false));
        assert!(want.memory_mib.is_some_and(|least| (23_000..24_564).contains(&least)), "an RTX 4090 says 24,564 MiB");
        let Span::At(window) = want.when else { panic!("a time") };
        assert_eq!(window.start(), datetime!(2026-11-30 10:12 UTC));
        assert_eq!(window.length(), Duration::hours(4));
        let start = |word: &'static str| line(&[("begin", word)]).from.instant(&utc, NOW);
        assert_eq!(start("tonight"), datetime!(2026-11-30 20:00 UTC));
        assert_eq!(start("tomorrow"), datetime!(2026-12-01 9:00 UTC));
        let late = From::Tonight.instant(&utc, datetime!(2026-11-30 21:30 UTC));
        assert_eq!(late, datetime!(2026-11-30 21:30 UTC));
        assert!(matches!(line(&[("begin", "earliest")]).want(&utc, NOW).when, Span::Earliest { minutes: 240, .. }));
        assert!(line(&[("link", "any")]).want(&utc, NOW).spread);
    }
}
