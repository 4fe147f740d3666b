//! Time zones, from the tz database that is built in, so that every server knows the same ones.

use domain::zone::{Offset, ZoneTable};
use jiff::Timestamp;
use jiff::tz::{TimeZone, db};
use time::{Duration, OffsetDateTime};

/// Pages show bookings of up to a year ahead and old ones; before the table its first offset goes on.
const BACK: Duration = Duration::days(2 * 366);
const AHEAD: Duration = Duration::days(2 * 366);

/// Continents and oceans: the rest of the database are old names and fixed offsets that nobody lives in.
const AREAS: [&str; 10] =
    ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];

/// The name as the database writes it, whatever the case; `None` where there is no such zone.
#[must_use]
pub fn canonical(name: &str) -> Option<String> {
    find(name)?.iana_name().map(str::to_owned)
}

fn find(name: &str) -> Option<TimeZone> {
    db().get(name.trim()).ok()
}

/// Every zone to choose from, in order, with `current` among them.
#[must_use]
pub fn choices(current: &str) -> Vec<String> {
    let listed = |name: &str| name.split_once('/').is_some_and(|(area, _)| AREAS.contains(&area));
    let mut names: Vec<String> =
        db().available().map(|name| name.as_str().to_owned()).filter(|name| listed(name)).collect();
    names.push("UTC".to_owned());
    if !names.iter().any(|name| name == current) {
        names.push(current.to_owned());
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The zone's offsets around `now`; UTC where there is no such zone.
#[must_use]
pub fn table(name: &str, now: OffsetDateTime) -> ZoneTable {
    let (Some(zone), Ok(from), Ok(until)) = (
        find(name),
        Timestamp::from_second((now - BACK).unix_timestamp()),
        Timestamp::from_second((now + AHEAD).unix_timestamp()),
    ) else {
        return ZoneTable::utc();
    };
    let first = zone.to_offset_info(from);
    let mut offsets = vec![offset(from, first.offset().seconds(), first.abbreviation())];
    for change in zone.following(from).take_while(|change| change.timestamp() < until) {
        offsets.push(offset(change.timestamp(), change.offset().seconds(), change.abbreviation()));
    }
    let name = zone.iana_name().unwrap_or("UTC").to_owned();
    ZoneTable::new(name, offsets)
}

fn offset(from: Timestamp, seconds: i32, abbreviation: &str) -> Offset {
    Offset { from: from.as_second(), seconds, letters: letters(seconds, abbreviation) }
}

/// The letters of the zone; where the database has none but a number (`+0545`), one that reads: `+05:45`.
fn letters(seconds: i32, abbreviation: &str) -> String {
    if abbreviation.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return abbreviation.to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::zone::Wall;
    use time::macros::{date, datetime};

    const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(canonical("europe/berlin").as_deref(), Some("Europe/Berlin"));
        assert_eq!(canonical("UTC").as_deref(), Some("UTC"));
        for bad in ["", "Mars/Olympus", "../../etc/passwd", "Europe/Berlin\0"] {
            assert_eq!(canonical(bad), None, "{bad}");
        }
    }

    #[test]
    fn berlin_changes_its_clocks() {
        let zone = table("Europe/Berlin", NOW);
        assert_eq!(zone.letters(NOW), "CET");
        assert_eq!(zone.local(NOW), datetime!(2026-11-30 11:00 +1));
        assert_eq!(zone.resolve(datetime!(2027-03-28 02:30)), Wall::Never);
        assert_eq!(zone.day_length(date!(2027 - 10 - 31)), Duration::hours(25));
        assert_eq!(zone.letters(datetime!(2025-07-01 00:00 UTC)), "CEST");
    }

    #[test]
    fn odd_offsets_and_half_hour_changes() {
        let nepal = table("Asia/Kathmandu", NOW);
        assert_eq!(nepal.local(NOW), datetime!(2026-11-30 15:45 +5:45));
        assert_eq!(nepal.letters(NOW), "+05:45");
        assert_eq!(
            table("Australia/Lord_Howe", NOW).day_length(date!(2027 - 04 - 04)),
            Duration::minutes(24 * 60 + 30)
        );
        assert_eq!(table("America/Sao_Paulo", NOW).letters(NOW), "-03:00");
    }

    #[test]
    fn what_does_not_exist_is_utc() {
        assert_eq!(table("Mars/Olympus", NOW), ZoneTable::utc());
        assert_eq!(table("UTC", NOW).letters(NOW), "UTC");
    }

    #[test]
    fn the_choice_holds_cities_and_the_current_one() {
        let all = choices("Etc/GMT+3");
        for name in ["UTC", "Europe/Berlin", "Asia/Tokyo", "America/Argentina/Ushuaia", "Etc/GMT+3"] {
            assert!(all.iter().any(|n| n == name), "{name}");
        }
        assert!(!all.iter().any(|n| n == "US/Eastern" || n.starts_with("posix")));
        assert!(all.is_sorted());
    }
}
