//! What was done to a booking, as its page tells it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::window::Window;

/// Something that was done to a booking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deed {
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Who did it: display name; `None`: the portal, by a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What.
    pub what: Done,
}

/// What was done to a booking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Done {
    /// It was made.
    Booked {
        /// So many cards.
        cards: u32,
        /// When it was to be.
        window: Option<Window>,
    },
    /// It was changed; what was not is left out.
    Edited {
        /// From when to when.
        window: Option<(Window, Window)>,
        /// From so many cards to so many, or to others.
        cards: Option<(u32, u32)>,
        /// The purpose.
        purpose: bool,
        /// Who may launch on it.
        people: bool,
    },
    /// It was called off.
    Cancelled,
    /// It was ended before its time.
    Ended,
    /// It was given to somebody else.
    Transferred,
    /// It was approved.
    Approved,
    /// It was refused, for this reason; may be empty.
    Refused {
        /// Why.
        why: String,
    },
    /// What was offered was taken.
    Accepted,
    /// Asked whether it is still wanted, its owner said yes.
    StillUsing,
    /// Nobody approved it, or took the offer, in time.
    Lapsed,
    /// A rule gave cards of it back.
    Released,
    /// Something that has no word here: its name in the record.
    Other {
        /// Its name.
        action: String,
    },
}
