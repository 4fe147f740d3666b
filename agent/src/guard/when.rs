//! Instants in the words of this terminal's time zone.

use std::path::Path;
use std::time::Duration;

use domain::zone::{Offset, ZoneTable};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use time::OffsetDateTime;

/// The zone of `TZ` or of the system, and the present.
#[derive(Clone, Debug)]
pub struct LocalClock {
    zone: TimeZone,
    now: OffsetDateTime,
}

/// The machine's zone, from the file that `/etc/localtime` points at: finding it by name would first walk through the whole
/// tz database. Whoever sets `TZ`, or copies a file there, waits for that.
fn machine_zone() -> Option<TimeZone> {
    const LOCAL: &str = "/etc/localtime";
    if std::env::var_os("TZ").is_some() {
        return None;
    }
    let link = std::fs::read_link(LOCAL).ok()?;
    TimeZone::tzif(zone_of(&link)?, &std::fs::read(LOCAL).ok()?).ok()
}

/// Name of the zone whose file this is: `Europe/Berlin` for `../usr/share/zoneinfo/Europe/Berlin`.
fn zone_of(file: &Path) -> Option<&str> {
    file.to_str()?.split_once("/zoneinfo/").map(|(_, name)| name).filter(|name| !name.is_empty())
}

impl LocalClock {
    /// The system's zone; UTC where it cannot be found.
    #[must_use]
    pub fn system() -> Self {
        let zone = machine_zone().or_else(|| TimeZone::try_system().ok()).unwrap_or(TimeZone::UTC);
        Self { zone, now: OffsetDateTime::now_utc() }
    }

    /// A given zone and present.
    #[must_use]
    pub fn new(zone: TimeZone, now: OffsetDateTime) -> Self {
        Self { zone, now }
    }

    /// The present.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.now
    }

    /// `14:00` today, `Tue 18:00` within the next days, `8 Dec 18:00` later, with the year where it is another one.
    /// UTC is always named, since people seldom live by it.
    #[must_use]
    pub fn say(&self, at: OffsetDateTime) -> String {
        let (Some(at), Some(now)) = (self.zoned(at), self.zoned(self.now)) else {
            return "some day".to_owned();
        };
        let days = now.date().until(at.date()).map(|span| i64::from(span.get_days())).unwrap_or(i64::MAX);
        let form = match days {
            0 => "%H:%M",
            1..=6 => "%a %H:%M",
            _ if at.year() == now.year() => "%-d %b %H:%M",
            _ => "%-d %b %Y %H:%M",
        };
        let utc = if at.strftime("%Z").to_string() == "UTC" { " UTC" } else { "" };
        format!("{}{utc}", at.strftime(form))
    }

    /// Name of the zone, unless it is UTC, which each time names.
    #[must_use]
    pub fn zone_name(&self) -> Option<&str> {
        self.zone.iana_name().filter(|name| !name.ends_with("UTC"))
    }

    /// The zone's offsets for the two years around the present, for reading times as people say them.
    #[must_use]
    pub fn zone_table(&self) -> ZoneTable {
        const YEAR: Duration = Duration::from_secs(366 * 24 * 3600);
        let name = self.zone.iana_name().unwrap_or("UTC").to_owned();
        let Ok(now) = Timestamp::from_second(self.now.unix_timestamp()) else { return ZoneTable::utc() };
        let (first, last) = (now.saturating_sub(YEAR), now.saturating_add(YEAR));
        let (Ok(first), Ok(last)) = (first, last) else { return ZoneTable::utc() };
        let info = self.zone.to_offset_info(first);
        let mut offsets = vec![Offset {
            from: first.as_second(),
            seconds: info.offset().seconds(),
            letters: info.abbreviation().to_owned(),
        }];
        offsets.extend(self.zone.following(first).take_while(|change| change.timestamp() < last).map(|change| {
            Offset {
                from: change.timestamp().as_second(),
                seconds: change.offset().seconds(),
                letters: change.abbreviation().to_owned(),
            }
        }));
        ZoneTable::new(name, offsets)
    }

    fn zoned(&self, at: OffsetDateTime) -> Option<jiff::ZonedDateTime> {
        Timestamp::from_second(at.unix_timestamp()).ok().map(|at| at.to_zoned_datetime(self.zone.clone()))
    }
}

/// A length of time in words: `40 s`, `3 min`, `2 h 5 min`, `3 days`.
#[must_use]
pub fn how_long(seconds: u64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min"),
        3600..172_800 if minutes % 60 == 0 => format!("{hours} h"),
        3600..172_800 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} days", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    fn clock(zone: TimeZone) -> LocalClock {
        LocalClock::new(zone, datetime!(2026-11-30 10:00 UTC))
    }

    #[test]
    fn a_zone_is_named_by_the_file_that_the_machine_points_at() {
        assert_eq!(zone_of(Path::new("/usr/share/zoneinfo/Etc/UTC")), Some("Etc/UTC"));
        assert_eq!(zone_of(Path::new("../usr/share/zoneinfo/Europe/Berlin")), Some("Europe/Berlin"));
        assert_eq!(zone_of(Path::new("/etc/other-localtime")), None);
        assert_eq!(zone_of(Path::new("/usr/share/zoneinfo/")), None);
    }

    #[test]
    fn today_this_week_later_and_next_year() {
        let berlin = clock(TimeZone::fixed(jiff::tz::offset(1)));
        assert_eq!(berlin.say(datetime!(2026-11-30 19:00 UTC)), "20:00");
        assert_eq!(berlin.say(datetime!(2026-11-30 23:30 UTC)), "Tue 00:30");
        assert_eq!(berlin.say(datetime!(2026-12-06 10:00 UTC)), "Sun 11:00");
        assert_eq!(berlin.say(datetime!(2026-12-07 10:00 UTC)), "7 Dec 11:00");
        assert_eq!(berlin.say(datetime!(2027-01-02 10:00 UTC)), "2 Jan 2027 11:00");
        assert_eq!(berlin.say(datetime!(2026-11-29 10:00 UTC)), "29 Nov 11:00");
    }

    #[test]
    fn utc_is_named() {
        assert_eq!(clock(TimeZone::UTC).say(datetime!(2026-11-30 19:00 UTC)), "19:00 UTC");
        assert_eq!(clock(TimeZone::UTC).zone_name(), None);
    }

    #[test]
    fn offsets_are_those_of_the_zone() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        let table = clock(berlin).zone_table();
        assert_eq!(table.local(datetime!(2026-11-30 10:00 UTC)).hour(), 11);
        assert_eq!(table.local(datetime!(2026-07-01 10:00 UTC)).hour(), 12);
        assert_eq!(table.local(datetime!(2027-07-01 10:00 UTC)).hour(), 12);
        assert_eq!(table.letters(datetime!(2027-07-01 10:00 UTC)), "CEST");
        assert_eq!(clock(TimeZone::UTC).zone_table().local(datetime!(2026-07-01 10:00 UTC)).hour(), 10);
    }

    #[test]
    fn lengths() {
        let said = [0, 59, 60, 3599, 3600, 7500, 172_799, 172_800].map(how_long);
        assert_eq!(said, ["0 s", "59 s", "1 min", "59 min", "1 h", "2 h 5 min", "47 h 59 min", "2 days"]);
    }
}
