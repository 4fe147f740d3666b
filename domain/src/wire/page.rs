//! Between a page and the server that rendered it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::{CardDetail, CardNumber, Mib};
use crate::id::{CardUuid, HostId, ReservationId, SeriesId, UserId};
use crate::inventory::Inventory;
use crate::launch::HostFacts;
use crate::reading::Reading;
use crate::reservation::{Fate, State};
use crate::trouble::Trouble;
use crate::user::Role;
use crate::window::Window;
use crate::wire::deed::Deed;
use crate::wire::live_v1::HostView;
use crate::zone::ZoneTable;

/// What every page needs to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Who is signed in.
    pub viewer: Option<Viewer>,
    /// The zone in which times are shown: the viewer's, or UTC.
    pub zone: ZoneTable,
    /// The server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// No administrator exists yet: only set-up is open.
    pub needs_setup: bool,
    /// Plain HTTP beyond loopback was asked for by the operator: say so on every page.
    pub insecure_http: bool,
    /// Notices that the viewer has not read.
    #[serde(default)]
    pub unread: u32,
}

/// The person who is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewer {
    /// Identity.
    pub id: UserId,
    /// Sign-in name.
    pub name: String,
    /// Display name.
    pub display_name: String,
    /// What the person may do.
    pub role: Role,
}

/// Set-up, with the one-time code.
#[derive(Clone, Serialize, Deserialize)]
pub struct SetUp {
    /// From the server's first start.
    pub code: String,
    /// The administrator.
    pub account: NewAccount,
}

/// A new account.
#[derive(Clone, Serialize, Deserialize)]
pub struct NewAccount {
    /// Sign-in name.
    pub name: String,
    /// Display name.
    pub display_name: String,
    /// Password, as typed.
    pub password: String,
    /// IANA zone, as the browser gave it.
    pub zone: String,
}

/// Name and password.
#[derive(Clone, Serialize, Deserialize)]
pub struct SignIn {
    /// Sign-in name.
    pub name: String,
    /// Password, as typed.
    pub password: String,
}

/// A card as a booking names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookedCard {
    /// Identity.
    pub uuid: CardUuid,
    /// Its host.
    pub host: HostId,
    /// Its host's name.
    pub host_name: String,
    /// Number on its host, as last reported.
    pub number: CardNumber,
    /// Model without the maker.
    pub model: String,
    /// PCI address as last reported.
    pub pci_bus_id: Option<String>,
    /// Memory.
    pub memory_total_mib: Reading<Mib>,
    /// What keeps it from being used for now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// So many shares of it; `None`: the whole card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<u32>,
    /// What each share of it is asked to stay within, where it is open for shares. Nobody enforces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_memory_mib: Option<Mib>,
}

impl BookedCard {
    /// The memory that all shares of it together are asked to stay within; `None` for a whole card, or where it is not
    /// known.
    #[must_use]
    pub fn budget_mib(&self) -> Option<Mib> {
        Some(self.share_memory_mib?.saturating_mul(self.shares?.into()))
    }
}

/// A booking in a list or on its page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booking {
    /// Identity.
    pub id: ReservationId,
    /// Holder.
    pub owner: UserId,
    /// Display name of the holder.
    pub holder: String,
    /// Colour of the holder, in degrees.
    pub hue: u16,
    /// What for; may be empty.
    pub purpose: String,
    /// By host name, then index.
    pub cards: Vec<BookedCard>,
    /// When; the end is the one that holds after an early end.
    pub window: Window,
    /// Where it stands now.
    pub state: State,
    /// Whether the viewer may change, cancel or end it.
    pub may_change: bool,
    /// Whether the viewer may approve or refuse it.
    #[serde(default)]
    pub may_approve: bool,
    /// Counts up with every edit.
    #[serde(default)]
    pub version: i32,
    /// Until when it awaits approval or its owner's answer; then it is given up.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub awaits_until: Option<OffsetDateTime>,
    /// What became of it, where that is not what its times say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    /// Why, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate_why: Option<String>,
    /// The repeats that it is one of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesId>,
    /// Who may launch on it beside its owner, in order of their display names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub co_users: Vec<Person>,
    /// Who made it, where that is not its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub booked_by: Option<String>,
}

/// The list of bookings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookings {
    /// The viewer's and those that the viewer may launch on, active or to come, in order of the start.
    pub mine: Vec<Booking>,
    /// Everybody else's, active or to come, in order of the start.
    pub others: Vec<Booking>,
    /// The viewer's past ones, newest first, at most 50.
    pub past: Vec<Booking>,
}

/// A booking's own page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookingPage {
    /// The booking.
    pub booking: Booking,
    /// The viewer's accounts on its hosts: host and account name. A host without one cannot check a launch.
    pub accounts: Vec<(HostId, String)>,
    /// What is known about its hosts, as far as that matters for launching; empty once it is over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(HostId, HostFacts)>,
    /// When its owner's cards are wanted next by somebody else, per card.
    pub wanted_next: Vec<(CardUuid, Window, String)>,
    /// Its cards whose index has changed since it was made.
    pub moved: Vec<MovedCard>,
    /// What was done to it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Deed>,
    /// All of the repeats that it is one of, itself included, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Occurrence>,
}

/// One of several bookings that repeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// Identity.
    pub id: ReservationId,
    /// When.
    pub window: Window,
    /// Where it stands now.
    pub state: State,
}

/// A host's own page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostPage {
    /// The server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// Names of all hosts, in order.
    pub names: Vec<String>,
    /// The host, its cards, what they do and what is booked on them.
    pub host: HostView,
    /// What the host told about itself beyond that.
    pub told: HostTold,
    /// Cards whose index is not what it was.
    pub moved: Vec<MovedCard>,
}

/// What a host told about itself, beyond what every page shows live: as of its last report.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct HostTold {
    /// Version of its agent.
    pub agent_version: Option<String>,
    /// What the machine and its cards are, and how these are linked.
    pub inventory: Option<Inventory>,
    /// What each card did, in full.
    pub details: Vec<(CardUuid, CardDetail)>,
}

/// A card whose index has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedCard {
    /// Which.
    pub card: CardUuid,
    /// Its index before.
    pub before: u32,
    /// When the change was reported.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// What administrators look after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admin {
    /// In order of their names.
    pub hosts: Vec<AdminHost>,
    /// In order of their display names.
    pub people: Vec<Person>,
    /// Mapped accounts, in order of host and account.
    pub accounts: Vec<AccountRow>,
    /// What a new host downloads.
    pub program: AgentProgram,
    /// What that runs on, such as `x86_64`.
    pub platform: String,
    /// Address of the portal, for the command line.
    pub portal_url: String,
}

/// The `berth` program that the portal hands out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum AgentProgram {
    /// There it is.
    Ready {
        /// SHA-256, in hex.
        sha256: String,
    },
    /// It is being looked at.
    NotReady,
    /// There is none.
    Missing,
}

/// A host in the administrator's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminHost {
    /// Identity.
    pub id: HostId,
    /// Name.
    pub name: String,
    /// Last report received.
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_report: Option<OffsetDateTime>,
    /// Version of its agent.
    pub agent_version: Option<String>,
    /// Number of cards.
    pub cards: u32,
    /// An agent holds a credential for it.
    pub enrolled: bool,
    /// It has been asked to renew its credential and has not yet.
    pub rotating: bool,
    /// How often it is meant to report, in milliseconds.
    pub beat_ms: u32,
    /// The portal takes nothing from it, and its cards cannot be booked.
    pub retired: bool,
}

/// Somebody with an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Identity.
    pub id: UserId,
    /// Sign-in name.
    pub name: String,
    /// Display name.
    pub display_name: String,
    /// Role.
    pub role: Role,
}

/// An OS account and its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountRow {
    /// Host; `None` for all hosts.
    pub host: Option<HostId>,
    /// Name of the host.
    pub host_name: Option<String>,
    /// Account name.
    pub os_user: String,
    /// Owner.
    pub person: UserId,
    /// Display name of the owner.
    pub person_name: String,
    /// Proven with `berth link` rather than set by an administrator.
    pub proven: bool,
}

/// An enrolment code, shown once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnrolCode {
    /// The host.
    pub host: HostId,
    /// Its name.
    pub host_name: String,
    /// The code.
    pub code: String,
    /// One hour after it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
    /// Address of the portal, for the command line.
    pub portal_url: String,
}

/// A code for `berth link`, shown once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCode {
    /// The code.
    pub code: String,
    /// Ten minutes after it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
}

/// The viewer's own account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Who.
    pub viewer: Viewer,
    /// IANA zone.
    pub zone: String,
    /// Every zone that can be chosen.
    pub zones: Vec<String>,
    /// The viewer's OS accounts.
    pub accounts: Vec<AccountRow>,
    /// Names of the viewer's groups, in order, each with whether the viewer manages it.
    pub groups: Vec<(String, bool)>,
}
