//! What somebody is told: the bell on every page, `berth status`, the message at login. One thing is said once, in the
//! same words everywhere.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::CardNumber;
use crate::id::{CardUuid, ReservationId};
use crate::window::Window;

/// A notice as it is kept. Facts, not sentences: the words are the reader's language and zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Number; later ones are larger.
    pub id: i64,
    /// When it was written.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// When its reader has seen it.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub read_at: Option<OffsetDateTime>,
    /// The booking that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<ReservationId>,
    /// What it says.
    pub body: Body,
}

/// A card as a notice names it: as it was called when the notice was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCard {
    /// Identity.
    pub uuid: CardUuid,
    /// Name of its host.
    pub host: String,
    /// Number on it.
    pub number: CardNumber,
}

/// What a notice says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    /// A booking ends soon, and nothing of its owner's follows on its cards.
    Ending {
        /// Which are given back then.
        #[serde(default)]
        cards: Vec<NamedCard>,
        /// When it is.
        window: Window,
    },
    /// A booking waits for the reader's approval.
    ApprovalWanted {
        /// Whose it is.
        person: String,
        /// When it would be.
        window: Window,
    },
    /// The reader's booking was approved.
    Approved {
        /// By whom.
        by: String,
        /// When it is.
        window: Window,
    },
    /// The reader's booking was not approved.
    Refused {
        /// By whom; empty: nobody did in time.
        by: String,
        /// Why; may be empty.
        why: String,
        /// When it would have been.
        window: Window,
    },
    /// Maintenance meets the reader's booking.
    Maintenance {
        /// Why.
        reason: String,
        /// When.
        during: Window,
        /// Cards that are met.
        cards: Vec<NamedCard>,
    },
    /// Maintenance that met the reader's booking does so no longer.
    MaintenanceOff {
        /// Why it was planned.
        reason: String,
        /// When it would have been.
        during: Window,
        /// Cards that it met.
        cards: Vec<NamedCard>,
    },
    /// A card of a booking that the reader has to come cannot be used.
    CardTroubled {
        /// Which.
        card: NamedCard,
        /// Why, in the portal's words.
        why: String,
        /// Equal cards that are free then.
        instead: Vec<NamedCard>,
        /// When it is booked.
        window: Window,
    },
    /// A booked card is not used: the reader is asked whether it is still wanted.
    Idle {
        /// Which.
        card: NamedCard,
        /// Since when; the start of the booking where nobody came.
        #[serde(with = "time::serde::rfc3339")]
        since: OffsetDateTime,
        /// A rule gives it back at this time without an answer; `None`: nothing happens.
        #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
        released_at: Option<OffsetDateTime>,
    },
    /// A rule gave a card back.
    Released {
        /// Which.
        card: NamedCard,
        /// The rule.
        rule: String,
        /// Nobody came at all.
        missed: bool,
    },
    /// Cards that the reader waits for are free.
    Free {
        /// Which.
        cards: Vec<NamedCard>,
        /// When.
        window: Window,
        /// They are held for the reader until then; `None`: they are not held.
        #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
        held_until: Option<OffsetDateTime>,
    },
    /// Cards that the reader waits for are free, but a rule keeps them from being booked. The reader waits on.
    WaitBlocked {
        /// The refusal, as the reader would have met it.
        why: String,
        /// Which.
        cards: Vec<NamedCard>,
        /// When.
        window: Window,
    },
    /// The reader has waited in vain.
    WaitOver {
        /// Until when.
        #[serde(with = "time::serde::rfc3339")]
        until: OffsetDateTime,
    },
    /// Cards that the reader waited for have been booked.
    WaitedAndBooked {
        /// Which.
        cards: Vec<NamedCard>,
        /// When.
        window: Window,
    },
    /// Somebody would like to have the cards of the reader's booking earlier.
    Asked {
        /// Who.
        by: String,
        /// When they are booked.
        window: Window,
    },
    /// Somebody changed the reader's booking.
    Changed {
        /// Who.
        by: String,
        /// What was done to it.
        what: What,
        /// When it is now.
        window: Window,
    },
}

/// A notice on its way to its reader, with what is known of its booking now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// What is said.
    pub notice: Notice,
    /// Cards of the booking that it is about, by host and number; empty where it is about none.
    #[serde(default)]
    pub cards: Vec<NamedCard>,
    /// That booking is neither over nor called off, and is the reader's: what the notice asks can be answered.
    #[serde(default)]
    pub open: bool,
}

/// The reader's notices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notices {
    /// Newest first, at most [`LISTED_MAX`].
    pub told: Vec<Told>,
    /// How many have not been read, those that are not listed among them.
    pub unread: u32,
}

/// Most notices that are listed at once.
pub const LISTED_MAX: u32 = 100;

/// Notices that have been read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "which", rename_all = "snake_case")]
pub enum Which {
    /// These.
    Some {
        /// Their numbers.
        ids: Vec<i64>,
    },
    /// All up to this one: those that the reader has seen, and none that has come since.
    UpTo {
        /// Its number.
        id: i64,
    },
}

/// What the reader answers to a notice that asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// The idle card is still wanted.
    StillUsing,
    /// The idle card is given back; the others of its booking stay.
    GiveBack,
    /// The cards that are held for the reader are taken.
    Accept,
    /// They are not.
    Decline,
    /// This card in the place of the one that cannot be used.
    Take {
        /// Which.
        card: CardUuid,
    },
}

/// Where notices are read. Every notice is kept in one place and said in the same words; a channel decides how many of
/// them its reader gets at once. Another one (mail, a chat) is one more variant and whoever carries it there: the store's
/// `notices::list` has what is unread, [`crate::text::Text::notice`] the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The bell of the portal, and its page.
    Bell,
    /// A host: `berth status` and the message at login.
    Host,
}

impl Channel {
    /// Most notices of one person that it carries.
    #[must_use]
    pub fn most(self) -> u32 {
        match self {
            Self::Bell => LISTED_MAX,
            Self::Host => 10,
        }
    }
}

/// What somebody did to another's booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Made it in the reader's name.
    Booked,
    /// Moved it, or changed its cards.
    Edited,
    /// Called it off.
    Cancelled,
    /// Ended it.
    Ended,
    /// Gave it to the reader.
    Transferred,
    /// Lets the reader launch on it.
    CoUser,
}
