//! What administrators allow: per group and per label. The browser checks with the same code while somebody types; the
//! server decides.

use serde::{Deserialize, Serialize};

use crate::id::{GroupId, RuleId};

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Identity.
    pub id: RuleId,
    /// What people call it; refusals name it.
    pub name: String,
    /// For whom; `None`: everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// For cards with this label, or on hosts with it; `None`: every card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it limits.
    pub limit: Limit,
}

/// What a rule limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Limit {
    /// Shortest booking.
    Shortest {
        /// Minutes.
        minutes: u32,
    },
    /// Longest booking.
    Longest {
        /// Minutes.
        minutes: u32,
    },
    /// How far ahead a booking may begin.
    Horizon {
        /// Minutes.
        minutes: u32,
    },
    /// Most cards of one person at any one time.
    MostCards {
        /// Cards.
        cards: u32,
    },
    /// Most GPU-hours of one person in a week (Monday to Monday) or a month, in the person's zone.
    GpuHours {
        /// Hours.
        hours: u32,
        /// In what time.
        per: Period,
    },
    /// Hours of the week in which bookings may lie, by the wall clock of the booking's zone.
    Hours {
        /// Days, 1 for Monday to 7 for Sunday.
        days: Vec<u8>,
        /// Minutes after midnight.
        from: u16,
        /// Minutes after midnight, up to 1440.
        to: u16,
    },
    /// Somebody must approve.
    Approval,
    /// Most cards beyond the next so many hours; what is free today does not count.
    Far {
        /// Cards.
        cards: u32,
        /// Hours from now.
        hours: u32,
    },
    /// What is done about cards that are booked and not used.
    Idle {
        /// Idle for so long: the owner is asked.
        minutes: u32,
        /// Not used at all this long after the start: the owner is asked.
        no_show_minutes: u32,
        /// Without an answer for so long an idle card is given back; `None`: never, the owner is only asked.
        release_after_minutes: Option<u32>,
    },
}

/// The time in which GPU-hours are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// Monday to Monday.
    Week,
    /// First to first.
    Month,
}
