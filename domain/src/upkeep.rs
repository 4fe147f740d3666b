//! Cards that are not to be had: maintenance, and cards that an administrator keeps from being booked. And cards that
//! are open for shares.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::card::{CardNumber, Mib};
use crate::id::{CardUuid, HostId, MaintenanceId, ReservationId, UserId};
use crate::notice::NamedCard;
use crate::reservation::PAST_GRACE;
use crate::user::is_deceptive;
use crate::window::Window;

/// Longest reason, in characters.
pub const REASON_MAX_CHARS: usize = 200;
/// Longest maintenance.
pub const MAINTENANCE_MAX: Duration = Duration::days(366);
/// How far ahead a maintenance may begin.
pub const MAINTENANCE_AHEAD_MAX: Duration = Duration::days(2 * 366);
/// Fewest shares of a card that is open for shares.
pub const SHARES_MIN: u32 = 2;
/// Most shares of one card.
pub const SHARES_MAX: u32 = 64;

/// Why and when a card is not to be had, now and later. What is wrong with the card itself is
/// [`crate::trouble::Trouble`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Closed {
    /// Why nobody may book it at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_bookable: Option<String>,
    /// Maintenance that runs or is to come, in order of its start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub maintenance: Vec<MaintenanceBrief>,
}

/// A maintenance as far as one card is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaintenanceBrief {
    /// Identity.
    pub id: MaintenanceId,
    /// Why.
    pub reason: String,
    /// When.
    pub window: Window,
}

impl Closed {
    /// Nothing keeps it from being booked, now or later.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.not_bookable.is_none() && self.maintenance.is_empty()
    }

    /// The maintenance that runs.
    #[must_use]
    pub fn running(&self, now: OffsetDateTime) -> Option<&MaintenanceBrief> {
        self.maintenance.iter().find(|brief| brief.window.contains(now))
    }

    /// Until when maintenance lasts without a gap; `None` where none runs.
    #[must_use]
    pub fn until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let mut until = self.running(now)?.window.end();
        for brief in &self.maintenance {
            if brief.window.start() <= until {
                until = until.max(brief.window.end());
            }
        }
        Some(until)
    }

    /// The next maintenance that has not begun.
    #[must_use]
    pub fn next(&self, now: OffsetDateTime) -> Option<&MaintenanceBrief> {
        self.maintenance.iter().find(|brief| brief.window.start() > now)
    }

    /// The first maintenance that meets a time.
    #[must_use]
    pub fn met_by(&self, wanted: &Window) -> Option<&MaintenanceBrief> {
        self.maintenance.iter().find(|brief| brief.window.overlaps(wanted))
    }
}

/// What maintenance concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Targets {
    /// Every card there is, and those that are still to come.
    pub everywhere: bool,
    /// All cards of these hosts.
    pub hosts: Vec<HostId>,
    /// These cards.
    pub cards: Vec<CardUuid>,
}

impl Targets {
    /// It concerns nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.everywhere && self.hosts.is_empty() && self.cards.is_empty()
    }

    /// In one order, each once; with everything, nothing else is named.
    #[must_use]
    pub fn tidy(mut self) -> Self {
        if self.everywhere {
            return Self { everywhere: true, ..Self::default() };
        }
        self.hosts.sort();
        self.hosts.dedup();
        self.cards.sort();
        self.cards.dedup();
        self
    }
}

/// A maintenance as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Why; everybody reads it.
    pub reason: String,
    /// When.
    pub window: Window,
    /// What it concerns.
    pub targets: Targets,
}

/// Why a maintenance cannot be planned as asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPlan {
    /// No reason, or one that is too long or holds characters that deceive the eye.
    #[error("bad reason")]
    Reason,
    /// It would begin in the past.
    #[error("in the past")]
    InThePast,
    /// It would end in the past.
    #[error("over already")]
    Over,
    /// Longer than [`MAINTENANCE_MAX`].
    #[error("too long")]
    TooLong,
    /// Begins later than [`MAINTENANCE_AHEAD_MAX`] from now.
    #[error("too far ahead")]
    TooFarAhead,
    /// It concerns nothing.
    #[error("no target")]
    NoTarget,
}

impl Plan {
    /// Checks everything that needs no knowledge of what there is, and tidies it. `begun` is the start of a maintenance
    /// that runs already and is changed: that start stays.
    ///
    /// # Errors
    /// The first [`BadPlan`] that applies.
    pub fn check(&self, now: OffsetDateTime, begun: Option<OffsetDateTime>) -> Result<Self, BadPlan> {
        let reason = clean_reason(&self.reason).ok_or(BadPlan::Reason)?;
        if self.targets.is_empty() {
            return Err(BadPlan::NoTarget);
        }
        if self.window.end() <= now {
            return Err(BadPlan::Over);
        }
        let start = match begun {
            Some(start) => start,
            None if self.window.start() < now - PAST_GRACE => return Err(BadPlan::InThePast),
            None => self.window.start().max(now),
        };
        if start > now + MAINTENANCE_AHEAD_MAX {
            return Err(BadPlan::TooFarAhead);
        }
        if self.window.end() - start > MAINTENANCE_MAX {
            return Err(BadPlan::TooLong);
        }
        let window = Window::new(start, self.window.end()).map_err(|_| BadPlan::Over)?;
        Ok(Self { reason, window, targets: self.targets.clone().tidy() })
    }
}

/// A reason that others read: trimmed, not empty, at most [`REASON_MAX_CHARS`], nothing that deceives the eye.
#[must_use]
pub fn clean_reason(text: &str) -> Option<String> {
    let reason = text.trim();
    let fits = !reason.is_empty() && reason.chars().count() <= REASON_MAX_CHARS && !reason.chars().any(is_deceptive);
    fits.then(|| reason.to_owned())
}

/// A plan on its way to being saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAsk {
    /// Made up by the client where it is new: the same one never plans twice.
    pub id: MaintenanceId,
    /// What it is to be.
    pub plan: Plan,
    /// The bookings that were listed as hit. Where others are hit by now, nothing is saved. `None`: whoever is hit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<ReservationId>>,
}

/// A booking that maintenance meets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// The booking.
    pub reservation: ReservationId,
    /// Whose it is.
    pub owner: UserId,
    /// Display name of its owner.
    pub person: String,
    /// Colour of its owner, in degrees.
    pub hue: u16,
    /// What for; may be empty.
    pub purpose: String,
    /// When it is, as a whole.
    pub window: Window,
    /// The time in which both are.
    pub overlap: Window,
    /// Its cards that are met.
    pub cards: Vec<NamedCard>,
}

/// What a plan would mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// The plan, tidied.
    pub plan: Plan,
    /// How many cards it concerns.
    pub cards: u32,
    /// Who is hit, in order of time.
    pub hits: Vec<Hit>,
}

/// A maintenance as administrators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maintenance {
    /// Identity.
    pub id: MaintenanceId,
    /// What it is.
    pub plan: Plan,
    /// Names of the hosts that it concerns as a whole, in order.
    pub hosts: Vec<String>,
    /// Single cards that it concerns.
    pub cards: Vec<NamedCard>,
    /// Who planned it: display name.
    pub made_by: String,
    /// Called off before it began.
    pub called_off: bool,
    /// Bookings that it meets from now on.
    pub hits: Vec<Hit>,
}

/// The page of maintenance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaintenancePage {
    /// The server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// Running first, then in order of their start.
    pub open: Vec<Maintenance>,
    /// Over or called off, newest first; at most fifty.
    pub past: Vec<Maintenance>,
    /// What it can be planned for.
    pub hosts: Vec<CaredHost>,
}

/// The page of cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardsPage {
    /// The server's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub now: OffsetDateTime,
    /// In order of their names.
    pub hosts: Vec<CaredHost>,
}

/// A host with its cards, as administrators look after them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaredHost {
    /// Identity.
    pub id: HostId,
    /// Name.
    pub name: String,
    /// Cards that it reports, in index order, MIG instances after their card.
    pub cards: Vec<CaredCard>,
}

/// A card, as administrators look after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaredCard {
    /// Identity.
    pub uuid: CardUuid,
    /// Number on its host.
    pub number: CardNumber,
    /// Model without the maker, or the MIG profile.
    pub model: String,
    /// Memory, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Mib>,
    /// Cut into MIG instances, which are booked in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Why nobody may book it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_bookable: Option<String>,
    /// Open for shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Shares>,
    /// Bookings of it that are running or to come.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub booked: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl CaredCard {
    /// Whether it can be opened for shares: a whole card that is not cut.
    #[must_use]
    pub fn can_be_shared(&self) -> bool {
        !self.cut && self.number.instance.is_none()
    }
}

/// Into what a card is divided by agreement. Nobody enforces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shares {
    /// How many.
    pub count: u32,
    /// What each is asked to stay within.
    pub memory_mib: Mib,
}

impl Shares {
    /// Whether a card of that memory can be divided so: the budgets of all shares fit into it.
    #[must_use]
    pub fn fits(&self, memory_mib: Option<Mib>) -> bool {
        (SHARES_MIN..=SHARES_MAX).contains(&self.count)
            && self.memory_mib > 0
            && self.memory_mib <= i64::MAX.unsigned_abs()
            && memory_mib.is_none_or(|all| self.memory_mib.saturating_mul(u64::from(self.count)) <= all)
    }
}

#[cfg(test)]
mod tests;
