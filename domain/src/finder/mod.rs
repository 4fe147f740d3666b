//! "Any two linked cards tonight": which concrete cards serve a wish best, and when.
//!
//! - here: the wish, and what is suggested
//! - [`advice`]: the whole answer, and what is in the way of cards that were picked by hand
//! - [`stock`]: what there is and when it is taken; `links` and `taken` keep that so that it is judged fast
//! - [`park`]: the stock at one moment; `usage` says whether somebody is on a card who has not booked it
//! - [`search`]: from a wish to suggestions, of which `offers` decides; `choose` compares the cards of one host, `lack` says
//!   why there are none
//! - [`leave`]: what the rules of whoever asks leave of it
//! - [`alternatives`]: what works in the place of cards that cannot be had
//! - [`power`]: which of two cards is faster
//! - [`line`], [`choices`]: a wish as a sentence of choices, and what there is to choose from

pub mod advice;
pub mod alternatives;
pub mod choices;
mod choose;
mod lack;
pub mod leave;
pub mod line;
mod links;
mod offers;
pub mod park;
pub mod power;
pub mod search;
pub mod stock;
mod taken;
mod usage;

pub use advice::{Advice, AdviceAsk, Closed, ClosedWhy, Found, Lack, Part};
pub use alternatives::{alternatives, alternatives_within, free_until, has_room};
pub use choices::Choices;
pub use leave::Leave;
pub use line::Line;
pub use park::Park;
pub use search::{find, find_within, link_of};
pub use usage::used_by_others;

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::card::{CardNumber, Mib};
use crate::id::CardUuid;
use crate::window::Window;

/// What somebody looks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Want {
    /// How many cards, 1 to [`crate::reservation::CARDS_MAX`].
    pub count: u32,
    /// Model without the maker, as [`crate::card::short_model`] gives it; `None`: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Architecture, such as `Hopper`; `None`: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub architecture: Option<String>,
    /// Memory of each card at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Mib>,
    /// How they must be linked.
    #[serde(default)]
    pub link: Link,
    /// All on one host, or on several if need be. Linked cards are on one host always.
    #[serde(default)]
    pub spread: bool,
    /// Names of hosts, one of which it must be; empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Labels that each card, or its host, must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// When.
    pub when: Span,
}

impl Want {
    /// Whether the same card could serve both, as far as the wishes alone tell.
    #[must_use]
    pub fn competes_with(&self, other: &Self) -> bool {
        fn same<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            one.zip(other).is_none_or(|(one, other)| one == other)
        }
        let span = |when: &Span| match *when {
            Span::At(window) => (window.start(), window.end()),
            Span::Earliest { from, until, .. } => (from, until),
        };
        let ((from, until), (start, end)) = (span(&self.when), span(&other.when));
        let hosts =
            self.hosts.is_empty() || other.hosts.is_empty() || self.hosts.iter().any(|host| other.hosts.contains(host));
        from < end
            && start < until
            && hosts
            && same(self.model.as_ref(), other.model.as_ref())
            && same(self.architecture.as_ref(), other.architecture.as_ref())
    }
}

/// How cards must be linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// No matter.
    #[default]
    Any,
    /// On one NUMA node.
    Node,
    /// Behind one PCIe switch, or better.
    Switch,
    /// By NVLink.
    NvLink,
}

/// When cards are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// Just then.
    At(Window),
    /// As early as they are free for so long.
    Earliest {
        /// How long, in minutes.
        minutes: u32,
        /// Not before.
        #[serde(with = "time::serde::rfc3339")]
        from: OffsetDateTime,
        /// It must have ended by then.
        #[serde(with = "time::serde::rfc3339")]
        until: OffsetDateTime,
    },
}

impl Span {
    /// How long the cards are wanted.
    #[must_use]
    pub fn length(&self) -> Duration {
        match self {
            Self::At(window) => window.length(),
            Self::Earliest { minutes, .. } => Duration::minutes(i64::from(*minutes)),
        }
    }
}

/// Cards that would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Why it is suggested.
    pub reason: Reason,
    /// The cards, by host name, then index.
    pub cards: Vec<FoundCard>,
    /// When they are free.
    pub window: Window,
    /// Worst path among them in the words of `nvidia-smi topo -m` (`NV18`, `PIX`); `None` for one card or several hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Until when all of them stay free after that; `None`: nothing is known to follow.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub free_until: Option<OffsetDateTime>,
    /// Name of the rule by which it is not for as long as was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_rule: Option<String>,
}

/// A card of a suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundCard {
    /// Identity.
    pub uuid: CardUuid,
    /// Name of its host.
    pub host: String,
    /// Number on it.
    pub number: CardNumber,
    /// Model without the maker.
    pub model: String,
    /// Memory, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Mib>,
    /// So many of its shares; `None`: the whole card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<u32>,
}

/// Why cards are suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The smallest that do, best linked.
    BestFit,
    /// The most capable that are free.
    Fastest,
    /// The first time at which enough are free.
    Later,
    /// The same cards until the first of them is wanted.
    Shorter,
    /// Equal cards elsewhere, at the same time.
    Elsewhere,
    /// The same cards, at their next common gap.
    SameLater,
}
