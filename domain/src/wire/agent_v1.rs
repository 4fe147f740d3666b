//! Agent to server, `/api/v1/agent/...`. Unknown fields are ignored and new ones optional, so that an agent and a
//! server of neighbouring versions understand each other.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::{CardDetail, CardFacts, CardHealth, CardProcess, CardSample, Mib};
use crate::id::{CardUuid, HostId, ReservationId, UserId};
use crate::inventory::Inventory;
use crate::reading::Reading;
use crate::window::Window;

/// Path of [`EnrolRequest`]; no credential.
pub const ENROL_PATH: &str = "/api/v1/agent/enrol";
/// Path of [`Report`]; `Authorization: Bearer` with the host's credential.
pub const REPORT_PATH: &str = "/api/v1/agent/report";
/// Path of [`LinkRequest`]; `Authorization: Bearer` with the host's credential.
pub const LINK_PATH: &str = "/api/v1/agent/link";
/// Answers [`SelfReply`] to a GET; `Authorization: Bearer` with the host's credential.
pub const SELF_PATH: &str = "/api/v1/agent/self";
/// Answers [`RotateReply`] to a POST without a body; `Authorization: Bearer` with the host's credential.
pub const ROTATE_PATH: &str = "/api/v1/agent/rotate";
/// Largest report accepted, in bytes, once unpacked: 16 cards with hundreds of processes stay far below.
pub const REPORT_MAX_BYTES: usize = 1024 * 1024;
/// Shortest time between two reports that the portal may ask for, in milliseconds.
pub const INTERVAL_MIN_MS: u32 = 1_000;
/// Longest.
pub const INTERVAL_MAX_MS: u32 = 60_000;
/// Largest [`Inventory`] that is kept, in bytes of JSON: 16 cards with their links are a tenth of it.
pub const INVENTORY_MAX_BYTES: usize = 512 * 1024;
/// Most cards in one report.
pub const REPORT_CARDS_MAX: usize = 256;
/// Most notices that one host carries.
pub const HOST_NOTICES_MAX: usize = 200;
/// Most processes listed for one card.
pub const CARD_PROCESSES_MAX: usize = 256;

/// Exchanges a one-time code for a credential.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnrolRequest {
    /// The code that an administrator was shown.
    pub code: String,
    /// The machine's own name, for the record.
    pub hostname: String,
    /// Version of the program.
    pub agent_version: String,
}

/// The credential is shown this once; the server keeps its hash.
#[derive(Clone, Serialize, Deserialize)]
pub struct EnrolReply {
    /// The host as the portal knows it.
    pub host: HostId,
    /// Its name in the portal.
    pub host_name: String,
    /// `bh_` and 43 characters of base64url.
    pub credential: String,
}

/// Who the portal takes the holder of a credential for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfReply {
    /// The host as the portal knows it.
    pub host: HostId,
    /// Its name in the portal.
    pub host_name: String,
}

/// A new credential. The one that asked for it works on until this one is used for the first time.
#[derive(Clone, Serialize, Deserialize)]
pub struct RotateReply {
    /// `bh_` and 43 characters of base64url; shown this once.
    pub credential: String,
}

/// What a host says every two seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of the program.
    pub agent_version: String,
    /// Kernel's boot id: with `seq` it tells a repeat from news.
    pub boot_id: String,
    /// Counts up from the agent's start.
    pub seq: u64,
    /// When the cards were read, by the host's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub sampled_at: OffsetDateTime,
    /// When this was sent, by the host's clock: how far that clock is off.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<OffsetDateTime>,
    /// How NVML is doing; without it there are no cards.
    pub nvml: NvmlState,
    /// Driver version, where NVML says.
    #[serde(default)]
    pub driver_version: Option<String>,
    /// CUDA version that the driver offers, such as `12.8`.
    #[serde(default)]
    pub cuda_version: Option<String>,
    /// Busy share of all CPUs since the last report.
    #[serde(default)]
    pub cpu_percent: Reading<u32>,
    /// Main memory.
    #[serde(default)]
    pub memory_total_mib: Reading<Mib>,
    /// Main memory not available to new programs.
    #[serde(default)]
    pub memory_used_mib: Reading<Mib>,
    /// Names the content of the [`Inventory`] that belongs to this report; the same name, the same content.
    #[serde(default)]
    pub inventory_id: Option<String>,
    /// The inventory itself: after it has changed, and when the portal asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inventory: Option<Box<Inventory>>,
    /// Every card that NVML lists, in its order; MIG instances follow their card.
    pub cards: Vec<CardReport>,
}

impl Report {
    /// Whether it was made after another one of the same host. Agents that were restarted may count from the beginning,
    /// but look at the cards later.
    #[must_use]
    pub fn is_newer_than(&self, other: &Self) -> bool {
        self.boot_id == other.boot_id && self.seq > other.seq && self.sampled_at >= other.sampled_at
    }
}

/// One card of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardReport {
    /// What it is.
    pub facts: CardFacts,
    /// What it does.
    pub sample: CardSample,
    /// What it does, in full.
    #[serde(default)]
    pub detail: CardDetail,
    /// Whether it can be worked with.
    #[serde(default)]
    pub health: CardHealth,
    /// Who is on it; `None` where the list could not be read.
    #[serde(default)]
    pub processes: Option<Vec<CardProcess>>,
}

/// How NVML is doing on a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum NvmlState {
    /// Answers.
    Ok,
    /// `libnvidia-ml.so.1` is not there or cannot be loaded: no driver installed.
    NoLibrary {
        /// What the loader said.
        detail: String,
    },
    /// The library is there, the kernel module is not.
    DriverNotLoaded,
    /// Library and kernel module are of different versions, as after an upgrade without a reboot.
    VersionMismatch {
        /// Version of the kernel module, by `/proc/driver/nvidia/version`.
        #[serde(default)]
        kernel: Option<String>,
        /// Version of the library, by its file's name.
        #[serde(default)]
        library: Option<String>,
    },
    /// The operating system keeps the cards from us (NVML code 17), as under WSL.
    Blocked,
    /// In a container that has lost its cards, as after `systemctl daemon-reload` on the host: it must be made anew.
    LostInContainer,
    /// An administrator has asked the agent to let go of NVML, for a reset or a change of MIG.
    Paused {
        /// When it takes NVML up again, by the host's clock.
        #[serde(with = "time::serde::rfc3339")]
        until: OffsetDateTime,
    },
    /// A call has not returned; values are from before.
    Stalled {
        /// Since when, by the host's clock.
        #[serde(with = "time::serde::rfc3339")]
        since: OffsetDateTime,
    },
    /// Anything else.
    #[serde(other)]
    Failed,
}

/// What the server answers to a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportReply {
    /// What the guard needs, complete each time.
    pub table: HostTable,
    /// From one report to the next; `None`: as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u32>,
    /// The portal lacks the inventory that the report names: send it with the next one.
    #[serde(default)]
    pub want_inventory: bool,
    /// An administrator wants the host to get itself a new credential, at [`ROTATE_PATH`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rotate_credential: bool,
}

/// Everything that a host's guard needs to decide while the server is away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostTable {
    /// When the server made it, by the server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub made_at: OffsetDateTime,
    /// The host's name in the portal.
    pub host_name: String,
    /// Where to book, for messages.
    pub portal_url: String,
    /// Which account belongs to whom. Several people may share one account.
    pub accounts: Vec<Account>,
    /// Bookings on this host that are active or begin within 72 hours, in order of their start.
    pub bookings: Vec<TableBooking>,
    /// Those that wait for approval or for their owner's answer: they hold their cards, and nobody starts anything on
    /// them. Apart from the others, so that an older agent does not take them for such.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<TableBooking>,
    /// What people of `accounts` have not read yet, newest first, at most [`HOST_NOTICES_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<HostNotice>,
}

/// Something that a person has not read yet, in the portal's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostNotice {
    /// Whom it is for, and nobody else.
    pub person: UserId,
    /// When it was written.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// What happened, in the person's language and zone.
    pub sentence: String,
    /// Address of the page with the way out.
    pub page: String,
}

/// An account of the operating system and the person it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Account name, as NSS gives it.
    pub os_user: String,
    /// Person.
    pub person: UserId,
    /// Display name of the person.
    pub name: String,
}

/// A booking as the guard needs it: the cards on this host only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableBooking {
    /// Booking.
    pub id: ReservationId,
    /// Who holds it.
    pub person: UserId,
    /// Display name of the holder.
    pub holder: String,
    /// Cards on this host, in index order.
    pub cards: Vec<CardUuid>,
    /// When. Cards that come and go while a booking runs are in entries of their own.
    pub window: Window,
    /// Who else may start something on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub co_users: Vec<UserId>,
}

impl TableBooking {
    /// Whether one of these people may start something on it.
    #[must_use]
    pub fn lets(&self, people: &[UserId]) -> bool {
        people.iter().any(|person| self.person == *person || self.co_users.contains(person))
    }
}

/// Somebody on the host proves that an account is theirs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinkRequest {
    /// The code that the person was shown in the portal.
    pub code: String,
    /// Account name of the socket's peer.
    pub os_user: String,
}

/// The account now belongs to this person.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinkReply {
    /// Display name.
    pub name: String,
}
