//! Why a card cannot be used for now. Such a card takes no new bookings; the owners of those that it has are told.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::CardHealth;
use crate::host::GONE_AFTER;

/// What keeps a card from being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// An administrator has retired its host.
    HostRetired,
    /// Its host has said nothing for [`GONE_AFTER`].
    HostGone,
    /// Its host no longer has it: pulled out, or a MIG instance that was given up.
    Gone,
    /// It is cut into MIG instances.
    Cut,
    /// It is lost, or not well.
    Sick(CardHealth),
    /// An administrator keeps it from being booked.
    NotBookable,
}

/// What is known about a card and its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// An administrator has retired the host.
    pub retired: bool,
    /// When the host's last report was received.
    pub last_report: Option<OffsetDateTime>,
    /// The last report had the card.
    pub present: bool,
    /// Cut into MIG instances.
    pub mig_on: bool,
    /// As last reported.
    pub health: CardHealth,
    /// An administrator keeps it from being booked.
    pub not_bookable: bool,
}

impl Condition {
    /// What keeps the card from being used; the most lasting reason first.
    #[must_use]
    pub fn trouble(&self, now: OffsetDateTime) -> Option<Trouble> {
        if self.retired {
            Some(Trouble::HostRetired)
        } else if self.last_report.is_some_and(|at| now - at > GONE_AFTER) {
            Some(Trouble::HostGone)
        } else if !self.present {
            Some(Trouble::Gone)
        } else if self.mig_on {
            Some(Trouble::Cut)
        } else if !self.health.is_well() {
            Some(Trouble::Sick(self.health))
        } else if self.not_bookable {
            Some(Trouble::NotBookable)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::Duration;
    use time::macros::datetime;

    #[test]
    fn the_most_lasting_reason_comes_first() {
        let now = datetime!(2026-11-30 10:00 UTC);
        let mut card = Condition {
            retired: false,
            last_report: Some(now),
            present: true,
            mig_on: false,
            health: CardHealth::Ok,
            not_bookable: false,
        };
        assert_eq!(card.trouble(now), None);
        card.not_bookable = true;
        assert_eq!(card.trouble(now), Some(Trouble::NotBookable));
        card.health = CardHealth::Asleep;
        assert_eq!(card.trouble(now), Some(Trouble::NotBookable), "a job wakes it");
        card.health = CardHealth::Lost;
        assert_eq!(card.trouble(now), Some(Trouble::Sick(CardHealth::Lost)));
        card.mig_on = true;
        assert_eq!(card.trouble(now), Some(Trouble::Cut));
        card.present = false;
        assert_eq!(card.trouble(now), Some(Trouble::Gone));
        let later = now + GONE_AFTER;
        assert_eq!(card.trouble(later), Some(Trouble::Gone), "a day's silence may end");
        assert_eq!(card.trouble(later + Duration::SECOND), Some(Trouble::HostGone));
        card.retired = true;
        assert_eq!(card.trouble(later), Some(Trouble::HostRetired));
        card.last_report = None;
        card.retired = false;
        assert_eq!(card.trouble(later), Some(Trouble::Gone), "a host that has never reported is not gone");
    }
}
