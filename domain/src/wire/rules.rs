//! Rules, groups and labels, as their pages need them.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::card::CardNumber;
use crate::id::{CardUuid, GroupId, HostId, ReservationId, RuleId};
use crate::rules::{Limit, Rule, Standing};
use crate::window::Window;
use crate::wire::page::Person;

/// What the browser judges a booking by while somebody types it. The server judges again.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OwnRules {
    /// Rules that are for the viewer, by name.
    pub rules: Vec<Rule>,
    /// What the viewer has. An edit takes its own booking out of it: [`Standing::without`].
    pub standing: Standing,
}

/// A rule to be made, or to take the place of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleAsk {
    /// Which one; `None`: a new one.
    pub id: Option<RuleId>,
    /// As in [`Rule`].
    pub name: String,
    /// As in [`Rule`].
    pub group: Option<GroupId>,
    /// As in [`Rule`].
    pub label: Option<String>,
    /// As in [`Rule`].
    pub limit: Limit,
}

/// The page of rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesPage {
    /// By name.
    pub rules: Vec<RuleRow>,
    /// By name.
    pub groups: Vec<NamedGroup>,
    /// Labels that a host or a card has, in order.
    pub labels: Vec<String>,
    /// Hours after which nobody's approval is a no.
    pub approval_hours: u32,
}

/// A rule in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRow {
    /// The rule.
    pub rule: Rule,
    /// Who made it, or changed it last.
    pub made_by: String,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub made_at: OffsetDateTime,
}

/// A group's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedGroup {
    /// Identity.
    pub id: GroupId,
    /// What people call it.
    pub name: String,
}

/// What a rule would have done in the last days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// So many days.
    pub days: u32,
    /// Bookings that were made in them.
    pub bookings: u32,
    /// Of these, those that would have been refused, in the order in which they were made; the first of them.
    pub refused: Vec<TrialRow>,
    /// So many in all.
    pub refused_count: u32,
    /// Bookings that would have waited for approval.
    pub approvals: u32,
}

/// A booking that would have been refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialRow {
    /// Which.
    pub reservation: ReservationId,
    /// Whose.
    pub owner: String,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub made_at: OffsetDateTime,
    /// When it was to be.
    pub window: Window,
    /// So many cards.
    pub cards: u32,
    /// What its owner would have been told.
    pub why: String,
}

/// The page of groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupsPage {
    /// Those that the viewer looks after, by name.
    pub groups: Vec<GroupRow>,
    /// Everybody, by name.
    pub people: Vec<Person>,
    /// The viewer makes, renames and removes groups, and says who manages them.
    pub all: bool,
}

/// A group in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRow {
    /// Identity.
    pub id: GroupId,
    /// What people call it.
    pub name: String,
    /// Managers first, then by name.
    pub members: Vec<GroupMember>,
    /// Names of its rules.
    pub rules: Vec<String>,
}

/// Somebody in a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupMember {
    /// Who.
    pub person: Person,
    /// Looks after its members, and approves what they book.
    pub manager: bool,
}

/// The page of labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelsPage {
    /// Hosts that are not retired, by name.
    pub hosts: Vec<LabelledHost>,
    /// Labels for which there is a rule, with the rules' names, in order.
    pub ruled: Vec<(String, Vec<String>)>,
}

/// A host and its labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledHost {
    /// Identity.
    pub id: HostId,
    /// Name.
    pub name: String,
    /// In order.
    pub labels: Vec<String>,
    /// In index order.
    pub cards: Vec<LabelledCard>,
}

/// A card and the labels of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledCard {
    /// Identity.
    pub uuid: CardUuid,
    /// Number on its host.
    pub number: CardNumber,
    /// Model.
    pub model: String,
    /// In order.
    pub labels: Vec<String>,
}
