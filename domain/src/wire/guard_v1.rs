//! CLI to agent, over the Unix socket: one JSON [`Ask`] on one line, one JSON [`Answer`] on one line.
//!
//! Who asks is not part of the message: the agent takes it from the socket's peer credentials.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::id::{CardUuid, ReservationId};
use crate::inventory::Inventory;
use crate::window::Window;
use crate::wire::agent_v1::{Account, CardReport, HostNotice, NvmlState};
use crate::wire::host_v1::HostAct;
use crate::wire::launch_v1::{BookAsk, LaunchAsk, OwnBooking, OwnBookings, Used};

/// Where the agent listens unless `BERTH_SOCKET` names another path.
pub const DEFAULT_SOCKET: &str = "/run/berth/agent.sock";
/// A refusal ends with this exit code (`EX_NOPERM`).
pub const EXIT_REFUSED: u8 = 77;

/// What the command line asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// May I start a job now, and on which cards?
    Launch(LaunchAsk),
    /// What is booked, what is free, what do the cards do?
    Status,
    /// What has the portal told the caller that the caller has not read? Touches no card.
    Notices,
    /// What have I booked here?
    Bookings,
    /// Book cards of this host for me.
    Book(BookAsk),
    /// Change a booking of mine that lies wholly on this host.
    Change {
        /// Which.
        booking: ReservationId,
        /// What is done.
        act: HostAct,
    },
    /// What is this machine, and how are its cards linked?
    Inventory,
    /// On what may I launch now, booking by booking? Takes nothing.
    Mine,
    /// Let go of NVML, so that cards can be reset and MIG be changed. Administrators of the machine only.
    Pause {
        /// For so long at most.
        seconds: u32,
    },
    /// Take NVML up again. Administrators of the machine only.
    Resume,
    /// This account is mine.
    Link {
        /// One-time code from the portal.
        code: String,
    },
}

/// What the agent answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Start on these cards.
    Granted(Grant),
    /// Start nothing.
    Refused(Refusal),
    /// The host as the caller may see it.
    Status(HostStatus),
    /// What the caller has not read, newest first.
    Notices {
        /// In the portal's words.
        notices: Vec<HostNotice>,
    },
    /// What the caller may launch on now.
    Mine(Mine),
    /// The caller's bookings.
    Bookings(OwnBookings),
    /// Cards are booked, or a booking was changed; `None` where it is over now.
    Booked {
        /// The booking.
        booking: Option<OwnBooking>,
        /// It waits for approval.
        #[serde(default)]
        awaits: bool,
    },
    /// The machine; `None` before NVML has answered for the first time.
    Inventory {
        /// What it is.
        inventory: Option<Box<Inventory>>,
    },
    /// NVML is let go of, or (`None`) taken up again.
    Paused {
        /// When it is taken up again by itself.
        #[serde(with = "time::serde::rfc3339::option")]
        until: Option<OffsetDateTime>,
    },
    /// The account belongs to this person now.
    Linked {
        /// Display name.
        name: String,
    },
    /// The agent could not do it; the sentence says why and what to do.
    Failed {
        /// For people.
        message: String,
    },
}

/// A permission to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Booking that gives the right; the one that ends first, where there are several.
    pub reservation: ReservationId,
    /// In order of their index, or in the order asked for.
    pub cards: Vec<CardName>,
    /// Cards that are the caller's now too, but that the host no longer reports. Only where no cards were asked for.
    #[serde(default)]
    pub missing: Vec<CardName>,
    /// When the right ends on the first of them.
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
    /// Age of the table that decided, in seconds.
    pub table_age_s: u64,
    /// The booking was made for this job, and ends with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub walk_in: bool,
}

/// What the caller may launch on now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mine {
    /// Name of the host in the portal.
    pub host_name: String,
    /// Where to book.
    pub portal_url: String,
    /// The caller's account.
    pub os_user: String,
    /// In order of their start; never none.
    pub bookings: Vec<MyBooking>,
    /// Age of the table that says so, in seconds.
    pub table_age_s: u64,
}

/// A booking that runs now and that the caller may launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MyBooking {
    /// Which.
    pub id: ReservationId,
    /// Its cards that the host reports now, in order of their index.
    pub cards: Vec<CardUuid>,
    /// Those of them on which others have a share too.
    #[serde(default)]
    pub shared: Vec<CardUuid>,
    /// When the right ends on the first of them.
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
}

/// A card as people name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardName {
    /// Identity.
    pub uuid: CardUuid,
    /// Index now; of a MIG instance that of its card; `None` where the host does not report the card.
    #[serde(default)]
    pub index: Option<u32>,
    /// Of a MIG instance: its number on its card, as the driver counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
    /// Model; empty where the host has not reported the card.
    #[serde(default)]
    pub model: String,
}

impl CardName {
    /// What people call it and `--cards` takes: `6`, `0:1` for an instance, a short UUID where the host does not report it.
    #[must_use]
    pub fn label(&self) -> String {
        match (self.index, self.instance) {
            (Some(index), Some(instance)) => format!("{index}:{instance}"),
            (Some(index), None) => index.to_string(),
            (None, _) => self.uuid.short(),
        }
    }
}

/// A card that somebody holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Which.
    pub card: CardName,
    /// Display name of the holder.
    pub holder: String,
    /// Whether that is the caller.
    pub own: bool,
    /// When.
    pub window: Window,
}

/// A card that nobody holds now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Free {
    /// Which.
    pub card: CardName,
    /// Start of the next booking, where there is one in the table.
    #[serde(with = "time::serde::rfc3339::option")]
    pub until: Option<OffsetDateTime>,
    /// Who is on it without a booking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_by: Option<String>,
}

/// Why nothing was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Name of the host in the portal; empty where the agent has never heard from the server.
    pub host_name: String,
    /// Where to book; empty likewise.
    pub portal_url: String,
    /// Why.
    pub why: Why,
    /// Who holds what now.
    pub held: Vec<Held>,
    /// What is free now.
    pub free: Vec<Free>,
    /// Age of the table that decided, in seconds; `None` without a table.
    pub table_age_s: Option<u64>,
}

/// The reason of a [`Refusal`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Why {
    /// The account belongs to nobody in the portal.
    UnknownAccount {
        /// The account.
        os_user: String,
    },
    /// The caller has several bookings now, and has not said which one is meant.
    SeveralBookings {
        /// Those.
        bookings: Vec<OwnBooking>,
    },
    /// The caller has no booking here of that name, or several.
    NoSuchBooking {
        /// As it was asked for.
        asked: String,
        /// What there is.
        bookings: Vec<OwnBooking>,
    },
    /// The booking that was named has not begun.
    NotBegun {
        /// Which.
        booking: OwnBooking,
    },
    /// Cards that are the caller's now, but not by the booking that was named.
    NotInBooking {
        /// Those cards.
        cards: Vec<CardName>,
        /// The booking.
        booking: OwnBooking,
    },
    /// The caller holds fewer cards now than were asked for.
    TooFew {
        /// So many were asked for.
        asked: u32,
    },
    /// Others are on the caller's cards without a booking.
    InUse {
        /// Who, on which.
        users: Vec<Used>,
    },
    /// The caller holds no card now.
    NoReservation {
        /// Start of the caller's next booking here, where there is one.
        #[serde(with = "time::serde::rfc3339::option")]
        next: Option<OffsetDateTime>,
    },
    /// Cards asked for are held by others.
    HeldByOthers {
        /// Those cards.
        cards: Vec<Held>,
    },
    /// Cards asked for are nobody's: they must be booked first.
    NotReserved {
        /// Those cards.
        cards: Vec<CardName>,
    },
    /// Cards that are the caller's, but that the host no longer reports.
    NotReported {
        /// Those cards.
        cards: Vec<CardName>,
    },
    /// No card has this index or UUID, or the text fits several.
    UnknownCard {
        /// As it was asked for.
        asked: String,
    },
    /// The card is cut into MIG instances, which take its place.
    Split {
        /// Which.
        card: CardName,
        /// The instances.
        instances: Vec<CardName>,
    },
    /// One process sees one MIG instance, and nothing beside it.
    SeveralInstances {
        /// What it was to start on.
        cards: Vec<CardName>,
    },
    /// The same card was asked for more than once.
    AskedTwice {
        /// Which.
        card: CardName,
    },
    /// The agent has never had a table, so it knows nobody's bookings.
    NoTable,
    /// The table is older than the administrator allows.
    TableTooOld {
        /// Limit, in seconds.
        limit_s: u64,
    },
}

/// The host as `berth status` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostStatus {
    /// Name in the portal; empty before the first answer of the server.
    pub host_name: String,
    /// Where to book.
    pub portal_url: String,
    /// The caller's account.
    pub os_user: String,
    /// Whose it is, where that is known.
    pub person: Option<String>,
    /// Cards held now or later, in order of card and start.
    pub held: Vec<Held>,
    /// Cards free now.
    pub free: Vec<Free>,
    /// Age of the table, in seconds; `None` without a table.
    pub table_age_s: Option<u64>,
    /// How NVML is doing; `None` from an older agent.
    #[serde(default)]
    pub nvml: Option<NvmlState>,
    /// Driver version.
    #[serde(default)]
    pub driver_version: Option<String>,
    /// CUDA version of the driver.
    #[serde(default)]
    pub cuda_version: Option<String>,
    /// When the cards were read.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub sampled_at: Option<OffsetDateTime>,
    /// The cards as they were read last.
    #[serde(default)]
    pub cards: Vec<CardReport>,
    /// Which account belongs to whom, so that processes can be named.
    #[serde(default)]
    pub accounts: Vec<Account>,
    /// What the caller has not read yet, newest first.
    #[serde(default)]
    pub notices: Vec<HostNotice>,
}
