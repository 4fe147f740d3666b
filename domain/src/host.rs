//! Freshness of a host, from the server's clock alone.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// Agents report this often.
pub const BEAT: Duration = Duration::seconds(2);

/// A host is grey from the third missed beat.
pub const LATE_AFTER: Duration = Duration::seconds(6);

/// From here on its values no longer count as live.
pub const SILENT_AFTER: Duration = Duration::seconds(30);

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

/// Judges a host by the time that its last report was received.
#[must_use]
pub fn freshness(last_report: Option<OffsetDateTime>, now: OffsetDateTime) -> Freshness {
    match last_report {
        None => Freshness::Never,
        Some(at) if now - at < LATE_AFTER => Freshness::Live,
        Some(at) if now - at < SILENT_AFTER => Freshness::Late,
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
        let after = |seconds| freshness(Some(at), at + Duration::seconds(seconds));
        assert_eq!(freshness(None, at), Freshness::Never);
        assert_eq!(after(0), Freshness::Live);
        assert_eq!(after(5), Freshness::Live);
        assert_eq!(after(6), Freshness::Late);
        assert_eq!(after(29), Freshness::Late);
        assert_eq!(after(30), Freshness::Silent);
        // A server whose clock was set back must not call a host silent.
        assert_eq!(after(-100), Freshness::Live);
    }
}
