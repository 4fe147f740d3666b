//! Freshness of a host, from the server's clock alone.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// Agents report this often where nothing else is set.
pub const BEAT: Duration = Duration::seconds(2);

/// A host is grey from this missed beat on.
const LATE_BEATS: i32 = 3;

/// From this missed beat on its values no longer count as live, but not before [`SILENT_AFTER`].
const SILENT_BEATS: i32 = 4;

/// No host is called silent earlier.
pub const SILENT_AFTER: Duration = Duration::seconds(30);

/// A host that has said nothing for this long is gone: its cards take no new bookings until it is back.
pub const GONE_AFTER: Duration = Duration::hours(24);

/// A clock that is further off than this is worth a word.
pub const CLOCK_OFF: Duration = Duration::seconds(2);

/// How old a host's last report is, in words that a page can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// Never reported.
    Never,
    /// Reports as it should.
    Live,
    /// At least three beats missed: grey, with its age.
    Late,
    /// "No report since ..."; bookings are still shown.
    Silent,
}

/// Judges a host by the time that its last report was received; `beat` is how often it is meant to report.
#[must_use]
pub fn freshness(last_report: Option<OffsetDateTime>, beat: Duration, now: OffsetDateTime) -> Freshness {
    let beat = beat.max(Duration::SECOND);
    match last_report {
        None => Freshness::Never,
        Some(at) if now - at < beat * LATE_BEATS => Freshness::Live,
        Some(at) if now - at < (beat * SILENT_BEATS).max(SILENT_AFTER) => Freshness::Late,
        Some(_) => Freshness::Silent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn beats_and_silence() {
        let at = datetime!(2026-11-30 10:00 UTC);
        let after = |seconds| freshness(Some(at), BEAT, at + Duration::seconds(seconds));
        assert_eq!(freshness(None, BEAT, at), Freshness::Never);
        assert_eq!(after(0), Freshness::Live);
        assert_eq!(after(5), Freshness::Live);
        assert_eq!(after(6), Freshness::Late);
        assert_eq!(after(29), Freshness::Late);
        assert_eq!(after(30), Freshness::Silent);
        // A server whose clock was set back must not call a host silent.
        assert_eq!(after(-100), Freshness::Live);
    }

    #[test]
    fn patience_grows_with_the_beat() {
        let at = datetime!(2026-11-30 10:00 UTC);
        let after = |seconds| freshness(Some(at), Duration::seconds(60), at + Duration::seconds(seconds));
        assert_eq!(after(179), Freshness::Live);
        assert_eq!(after(180), Freshness::Late);
        assert_eq!(after(239), Freshness::Late);
        assert_eq!(after(240), Freshness::Silent);
        assert_eq!(freshness(Some(at), Duration::SECOND, at + Duration::seconds(3)), Freshness::Late);
        assert_eq!(freshness(Some(at), Duration::SECOND, at + Duration::seconds(29)), Freshness::Late);
    }
}
