//! What the finder answers: suggestions, why there are none, and what is in the way of cards that were picked by hand.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::Suggestion;
use crate::card::CardNumber;
use crate::id::{CardUuid, MaintenanceId, ReservationId};
use crate::reservation::Clash;
use crate::trouble::Trouble;
use crate::window::Window;

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// At most three, the best first.
    pub suggestions: Vec<Suggestion>,
    /// So many cards are what was asked for, free or not; links are not counted in.
    pub fitting: u32,
    /// So many of them are free at the time asked for; with [`super::Span::Earliest`] at its beginning.
    pub free: u32,
    /// Why nothing is to be had at the time asked for, where nothing is. There may be suggestions for later all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lack: Option<Lack>,
}

/// Why nothing is to be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// There is no card that could be booked at all.
    NoCards,
    /// No card is like that; each of these parts of the wish, left out, would help.
    NoneFits {
        /// In the order of [`super::Want`].
        drop: Vec<Part>,
    },
    /// Not so many are like that on one host (or in all, where several hosts would do).
    TooFew {
        /// The most that there are.
        most: u32,
    },
    /// Not so many of them are linked like that.
    NotLinked {
        /// The most that are; 1 where no two are.
        most: u32,
    },
    /// There are enough, but not free for so long at that time.
    Taken,
    /// There are enough, and free, but a rule does not allow it then.
    AgainstRule {
        /// Its name.
        rule: String,
    },
}

/// A part of a wish that narrows down which cards fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The model.
    Model,
    /// The architecture.
    Architecture,
    /// The memory.
    Memory,
    /// The hosts.
    Host,
    /// The labels.
    Label,
}

/// Cards that somebody has picked, and when they are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdviceAsk {
    /// Which; in any order.
    pub cards: Vec<CardUuid>,
    /// Of these of the cards only so many shares.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shares: BTreeMap<CardUuid, u32>,
    /// When.
    pub window: Window,
    /// The booking that is being edited: what it holds itself is not in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<ReservationId>,
}

/// What is in the way of such a wish, and what would work instead. Nothing is in the way where `clashes` and `closed` are
/// empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// Bookings in the way.
    pub clashes: Vec<Clash>,
    /// Cards that are not to be had then, whoever books.
    pub closed: Vec<Closed>,
    /// What would work, in the order in which it is offered: shorter, elsewhere, later. Empty where nothing is in the way.
    pub instead: Vec<Suggestion>,
    /// Worst path among the cards in the words of `nvidia-smi topo -m`; `None` for one card or several hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Where nothing is in the way: until when all of them stay free after that; `None`: nothing is known to follow.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub free_until: Option<OffsetDateTime>,
}

/// A card that is not to be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// Which.
    pub card: CardUuid,
    /// Name of its host; empty where the card is not known.
    pub host: String,
    /// Number on it.
    pub number: CardNumber,
    /// Why.
    pub why: ClosedWhy,
}

/// Why a card is not to be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedWhy {
    /// No such card is known.
    Unknown,
    /// It cannot be used for now.
    Trouble(Trouble),
    /// An administrator has said so.
    NotBookable {
        /// Why.
        reason: String,
    },
    /// Maintenance is planned in that time.
    Maintenance {
        /// Which.
        id: MaintenanceId,
        /// Why.
        reason: String,
        /// When.
        window: Window,
    },
    /// Fewer of its shares are free then than are wanted.
    Shares {
        /// So many are.
        free: u32,
        /// Of so many; `None`: it is not open for shares.
        of: Option<u32>,
    },
}
