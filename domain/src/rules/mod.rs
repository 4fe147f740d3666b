//! What administrators allow: per group and per label. The browser checks with the same code while somebody types; the
//! server decides.
//!
//! - here: a rule, whom and what it is for
//! - [`cards`]: how much of a card counts: shares and MIG instances are parts of one
//! - [`hours`]: hours of the week
//! - [`draft`]: a rule as an administrator types it
//! - [`judge`](mod@judge): whether a booking keeps the rules, and what would
//! - [`idle`]: which rule stands for a card that is booked and not used
//!
//! Every rule that is for a person and for one of the cards asked for must be kept, so the strictest of several decides.

pub mod cards;
pub mod draft;
pub mod hours;
pub mod idle;
pub mod judge;
mod measure;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::id::{GroupId, RuleId};
use crate::reservation::{AHEAD_MAX, CARDS_MAX, LENGTH_MAX, LENGTH_MIN};
use hours::WeekSpan;

pub use cards::Cards;
pub use judge::{Asked, Breach, Claim, Clocks, Held, Judgement, Kept, Measure, Standing, Way, judge};

/// Longest name of a rule, and of a group, in characters.
pub const NAME_MAX_CHARS: usize = 60;
/// Longest label, in characters.
pub const LABEL_MAX_CHARS: usize = 63;
/// Most GPU-hours that a rule may allow: more than anybody has.
const GPU_HOURS_MAX: u32 = 1_000_000;
/// Most spans of one rule of hours.
const SPANS_MAX: usize = 14;
/// Longest time that a rule about idle cards waits: a week.
const IDLE_MAX_MINUTES: u32 = 7 * 24 * 60;

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
    /// For cards with this label, or on hosts with it; `None`: every card. What else somebody books does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it limits.
    pub limit: Limit,
}

impl Rule {
    /// Whether it is for somebody who is in these groups.
    #[must_use]
    pub fn is_for(&self, groups: &[GroupId]) -> bool {
        self.group.is_none_or(|group| groups.contains(&group))
    }

    /// Whether it is for a card that has these labels, of its own or of its host.
    #[must_use]
    pub fn covers(&self, labels: &[String]) -> bool {
        self.label.as_ref().is_none_or(|label| labels.contains(label))
    }
}

/// What a rule limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Limit {
    /// Shortest booking, from its start to its end.
    Shortest {
        /// Minutes.
        minutes: u32,
    },
    /// Longest booking. Of a running one, what is still to come counts: it can be made longer when it is nearly over.
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
    /// Most GPU-hours of one person in a week (Monday to Monday) or a month, in the person's zone. All of it counts, what
    /// is over as well as what is to come; what was given back early does not.
    GpuHours {
        /// Hours.
        hours: u32,
        /// In what time.
        per: Period,
    },
    /// Hours of the week in which bookings may lie, by the wall clock of the booking's zone.
    Hours {
        /// In one of these, or from one into the next without a gap.
        spans: Vec<WeekSpan>,
    },
    /// Somebody must approve.
    Approval,
    /// Most cards at any one time beyond the next so many hours. What lies within them does not count, so that what is
    /// free today can be used today.
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

/// A figure of a limit lies outside what makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLimit {
    /// A number must be from so many to so many.
    #[error("from {least} to {most}")]
    Figure {
        /// Least.
        least: u32,
        /// Most.
        most: u32,
    },
    /// A length must be from so many minutes to so many.
    #[error("from {least} to {most} minutes")]
    Minutes {
        /// Least.
        least: u32,
        /// Most.
        most: u32,
    },
    /// No span, too many, no day in one, or one that ends where it begins.
    #[error("spans")]
    Spans,
}

impl Limit {
    /// Whether its figures make sense.
    ///
    /// # Errors
    /// The first [`BadLimit`].
    pub fn check(&self) -> Result<(), BadLimit> {
        let within = |figure: u32, least: u32, most: u32| {
            if (least..=most).contains(&figure) { Ok(()) } else { Err(BadLimit::Figure { least, most }) }
        };
        let lasts = |length: u32, least: u32, most: u32| {
            if (least..=most).contains(&length) { Ok(()) } else { Err(BadLimit::Minutes { least, most }) }
        };
        let minutes = |length: time::Duration| u32::try_from(length.whole_minutes()).unwrap_or(u32::MAX);
        let (shortest, longest) = (minutes(LENGTH_MIN), minutes(LENGTH_MAX));
        let cards_max = u32::try_from(CARDS_MAX).unwrap_or(u32::MAX);
        match self {
            Self::Shortest { minutes } | Self::Longest { minutes } => lasts(*minutes, shortest, longest),
            Self::Horizon { minutes: ahead } => lasts(*ahead, shortest, minutes(AHEAD_MAX)),
            Self::MostCards { cards } => within(*cards, 0, cards_max),
            Self::GpuHours { hours, .. } => within(*hours, 0, GPU_HOURS_MAX),
            Self::Hours { spans } if spans.is_empty() || spans.len() > SPANS_MAX => Err(BadLimit::Spans),
            Self::Hours { spans } => spans.iter().try_for_each(|span| span.check().ok_or(BadLimit::Spans)),
            Self::Approval => Ok(()),
            Self::Far { cards, hours } => {
                within(*cards, 0, cards_max)?;
                lasts(hours.saturating_mul(60), 60, minutes(AHEAD_MAX))
            }
            Self::Idle { minutes, no_show_minutes, release_after_minutes } => {
                for figure in [Some(*minutes), Some(*no_show_minutes), *release_after_minutes].into_iter().flatten() {
                    lasts(figure, shortest, IDLE_MAX_MINUTES)?;
                }
                Ok(())
            }
        }
    }
}

/// A name of a rule or a group, trimmed; `None` where it is empty, too long or deceives the eye.
#[must_use]
pub fn name(text: &str) -> Option<String> {
    let name = text.trim();
    let sane = !name.is_empty() && name.chars().count() <= NAME_MAX_CHARS;
    (sane && !name.chars().any(crate::user::is_deceptive)).then(|| name.to_owned())
}

/// A label as it is kept: lower-case letters, digits, `.`, `_`, `-`; `None` where it cannot be one.
#[must_use]
pub fn label(text: &str) -> Option<String> {
    let label = text.trim().to_ascii_lowercase();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let sane = label.chars().all(|c| plain(c) || matches!(c, '.' | '_' | '-')) && label.len() <= LABEL_MAX_CHARS;
    (sane && label.starts_with(plain)).then_some(label)
}
