//! Real zones for tests: what the tz database says about the years 2025 to 2027.

use time::OffsetDateTime;
use time::macros::datetime;

use super::{Offset, ZoneTable};

/// A zone with the offset that goes on before its first change, and its changes: instant, minutes east, letters.
fn zone(name: &str, changes: &[(OffsetDateTime, i32, &str)]) -> ZoneTable {
    let offset = |&(at, minutes, letters): &(OffsetDateTime, i32, &str)| Offset {
        from: at.unix_timestamp(),
        seconds: minutes * 60,
        letters: letters.to_owned(),
    };
    ZoneTable::new(name.to_owned(), changes.iter().map(offset).collect())
}

/// An hour forward at the end of March, back at the end of October.
pub(crate) fn berlin() -> ZoneTable {
    zone(
        "Europe/Berlin",
        &[
            (datetime!(2025-03-30 01:00 UTC), 120, "CEST"),
            (datetime!(2025-10-26 01:00 UTC), 60, "CET"),
            (datetime!(2026-03-29 01:00 UTC), 120, "CEST"),
            (datetime!(2026-10-25 01:00 UTC), 60, "CET"),
            (datetime!(2027-03-28 01:00 UTC), 120, "CEST"),
            (datetime!(2027-10-31 01:00 UTC), 60, "CET"),
        ],
    )
}

/// An hour forward in March, back in November.
pub(crate) fn new_york() -> ZoneTable {
    zone(
        "America/New_York",
        &[
            (datetime!(2025-03-09 07:00 UTC), -240, "EDT"),
            (datetime!(2025-11-02 06:00 UTC), -300, "EST"),
            (datetime!(2026-03-08 07:00 UTC), -240, "EDT"),
            (datetime!(2026-11-01 06:00 UTC), -300, "EST"),
            (datetime!(2027-03-14 07:00 UTC), -240, "EDT"),
            (datetime!(2027-11-07 06:00 UTC), -300, "EST"),
        ],
    )
}

/// Half an hour: back in April, forward in October.
pub(crate) fn lord_howe() -> ZoneTable {
    zone(
        "Australia/Lord_Howe",
        &[
            (datetime!(2025-04-05 15:00 UTC), 630, "+10:30"),
            (datetime!(2025-10-04 15:30 UTC), 660, "+11:00"),
            (datetime!(2026-04-04 15:00 UTC), 630, "+10:30"),
            (datetime!(2026-10-03 15:30 UTC), 660, "+11:00"),
            (datetime!(2027-04-03 15:00 UTC), 630, "+10:30"),
            (datetime!(2027-10-02 15:30 UTC), 660, "+11:00"),
        ],
    )
}

/// Never changes, and is no whole hour from anybody.
pub(crate) fn kathmandu() -> ZoneTable {
    zone("Asia/Kathmandu", &[(datetime!(2020-01-01 00:00 UTC), 345, "+05:45")])
}

/// An hour back for Ramadan, whenever that is.
pub(crate) fn casablanca() -> ZoneTable {
    zone(
        "Africa/Casablanca",
        &[
            (datetime!(2025-04-06 02:00 UTC), 60, "+01:00"),
            (datetime!(2026-02-15 02:00 UTC), 0, "+00:00"),
            (datetime!(2026-03-22 02:00 UTC), 60, "+01:00"),
            (datetime!(2027-02-07 02:00 UTC), 0, "+00:00"),
            (datetime!(2027-03-14 02:00 UTC), 60, "+01:00"),
        ],
    )
}

/// All of them, and UTC.
pub(crate) fn all() -> Vec<ZoneTable> {
    vec![berlin(), new_york(), lord_howe(), kathmandu(), casablanca(), ZoneTable::utc()]
}
