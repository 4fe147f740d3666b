//! Whether a booking keeps the rules, and if not, what would.
//!
//! - Only what is still to come is judged: of a running booking the time from now on. GPU-hours alone count the whole week
//!   or month.
//! - An edit may leave a rule as broken as it was: somebody whose booking is over a new limit can still make it shorter,
//!   or give a card back.
//! - What one holds is what one holds or has held oneself; co-users count for nothing.

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::hours::WeekSpan;
use super::{Cards, Limit, Period, Rule, measure};
use crate::error::Field;
use crate::id::{CardUuid, GroupId, ReservationId, RuleId};
use crate::window::Window;
use crate::zone::ZoneTable;

/// A card, or a part of one, that somebody holds, has held or wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// By which booking; `None`: by the one that is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<ReservationId>,
    /// Which.
    pub card: CardUuid,
    /// How much of it.
    pub part: Cards,
    /// When: cards come to and leave a running booking one by one.
    pub window: Window,
    /// Labels of the card and of its host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// What a person has, as far as rules look at it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Standing {
    /// Groups that the person is in.
    pub groups: Vec<GroupId>,
    /// Every card of every other booking of the person's from the first of the month before this one on, and the cards
    /// that the judged booking has already given back.
    pub holds: Vec<Held>,
    /// The person approves bookings of others, and so needs nobody's approval.
    #[serde(default)]
    pub approves: bool,
    /// Display names of those who can change or waive a rule, nearest first.
    #[serde(default)]
    pub ask: Vec<String>,
}

impl Standing {
    /// Without what a booking holds that is being edited: what it has used so far stays.
    #[must_use]
    pub fn without(mut self, edited: ReservationId, now: OffsetDateTime) -> Self {
        self.holds.retain(|held| held.reservation != Some(edited) || held.window.end() <= now);
        self
    }
}

/// A booking as rules look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// From its start, also where that is past, to its end.
    pub window: Window,
    /// What it holds from now on; what it has held so far belongs to these too.
    pub cards: Vec<Held>,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The booking as it is to be.
    pub claim: Claim,
    /// As it is now, where it is an edit. `None` also where somebody takes it over, and at approval: then every rule
    /// counts in full.
    pub was: Option<Claim>,
}

/// Whose clocks rules go by.
#[derive(Clone, Copy, Debug)]
pub struct Clocks<'a> {
    /// Now.
    pub now: OffsetDateTime,
    /// The person's zone: weeks and months begin by it.
    pub person: &'a ZoneTable,
    /// The booking's zone: hours of the week are meant in it.
    pub booking: &'a ZoneTable,
}

impl<'a> Clocks<'a> {
    /// A booking in the person's own zone.
    #[must_use]
    pub fn of(zone: &'a ZoneTable, now: OffsetDateTime) -> Self {
        Self { now, person: zone, booking: zone }
    }
}

/// What rules say of a booking.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Judgement {
    /// Rules that it breaks, in the order of the rules.
    pub breaches: Vec<Breach>,
    /// Name of the rule by which somebody must approve it. An edit that takes nothing new needs no new approval.
    pub needs_approval: Option<String>,
    /// Rules that it keeps, with what they measure, in the order of the rules.
    pub kept: Vec<Kept>,
}

impl Judgement {
    /// Nothing stands in the way of it, once it is approved where that is needed.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.breaches.is_empty()
    }
}

/// A rule that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Which.
    pub rule: RuleId,
    /// Its name.
    pub name: String,
    /// Only cards with this label count.
    pub label: Option<String>,
    /// What it measures.
    pub measure: Measure,
}

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Which.
    pub rule: RuleId,
    /// Its name.
    pub name: String,
    /// Only cards with this label count.
    pub label: Option<String>,
    /// What it measures.
    pub measure: Measure,
    /// What would keep it.
    pub way: Way,
}

impl Breach {
    /// The input that it is about.
    #[must_use]
    pub fn field(&self) -> Field {
        match &self.measure {
            Measure::Horizon { .. } => Field::Start,
            Measure::Cards { .. } | Measure::Far { .. } => Field::Cards,
            Measure::Hours { .. } if self.way.end.is_none() => Field::Start,
            Measure::Shortest { .. }
            | Measure::Longest { .. }
            | Measure::GpuHours { .. }
            | Measure::Hours { .. }
            | Measure::Approval => Field::End,
        }
    }
}

/// What a rule has measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// [`Limit::Shortest`].
    Shortest {
        /// It lasts.
        length: Duration,
        /// At least.
        least: Duration,
    },
    /// [`Limit::Longest`].
    Longest {
        /// It lasts, from now on where it runs.
        length: Duration,
        /// At most.
        most: Duration,
    },
    /// [`Limit::Horizon`].
    Horizon {
        /// How far ahead it may begin.
        ahead: Duration,
        /// The last instant at which it may.
        last: OffsetDateTime,
    },
    /// [`Limit::MostCards`].
    Cards {
        /// Most that would be held at once, the booking's own among them.
        held: Cards,
        /// At most.
        most: u32,
        /// Others than the booking's own are among them.
        others: bool,
    },
    /// [`Limit::Far`].
    Far {
        /// Most that would be held at once beyond `from`.
        held: Cards,
        /// At most.
        most: u32,
        /// The booking is over by then: the limit does not apply.
        within: bool,
        /// Where it begins to count.
        from: OffsetDateTime,
        /// Hours from now.
        hours: u32,
    },
    /// [`Limit::GpuHours`], of the week or month in which it is worst.
    GpuHours {
        /// Tenths of GPU-hours that would be used in it, rounded up.
        used_tenths: i64,
        /// At most so many GPU-hours.
        most: u32,
        /// Week or month.
        per: Period,
        /// Which one.
        of: Window,
    },
    /// [`Limit::Hours`].
    Hours {
        /// When bookings may lie.
        spans: Vec<WeekSpan>,
    },
    /// [`Limit::Approval`]: a running booking cannot wait for one.
    Approval,
}

/// What would keep a rule, each on its own; `None`: nothing of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Way {
    /// The same, ending then.
    pub end: Option<OffsetDateTime>,
    /// The same, beginning then.
    pub start: Option<OffsetDateTime>,
    /// The same with so many cards.
    pub cards: Option<u32>,
}

/// Judges a booking by the rules that are for the person and for the cards asked for.
#[must_use]
pub fn judge(rules: &[Rule], standing: &Standing, asked: &Asked, clocks: &Clocks<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    let runs = asked.was.as_ref().is_some_and(|was| was.window.start() <= clocks.now);
    for rule in rules.iter().filter(|rule| rule.is_for(&standing.groups)) {
        let Some(claim) = covered(rule, &asked.claim) else { continue };
        let was = asked.was.as_ref().map(|was| covered(rule, was));
        let (id, name, label) = (rule.id, rule.name.clone(), rule.label.clone());
        if rule.limit == Limit::Approval {
            let new = was.as_ref().is_none_or(|was| was.as_ref().is_none_or(|was| takes_more(was, &claim)));
            if standing.approves || !new {
                continue;
            }
            if runs {
                judgement.breaches.push(Breach {
                    rule: id,
                    name,
                    label,
                    measure: Measure::Approval,
                    way: Way::default(),
                });
            } else {
                judgement.needs_approval.get_or_insert(name);
            }
            continue;
        }
        let holds: Vec<&Held> = standing.holds.iter().filter(|held| rule.covers(&held.labels)).collect();
        let Some(mut found) = measure::measure(&rule.limit, &claim, &holds, clocks) else { continue };
        if runs {
            found.way.start = None;
        }
        let before = || was.flatten().and_then(|was| measure::measure(&rule.limit, &was, &holds, clocks));
        if found.over > 0 && before().is_none_or(|before| found.over > before.over) {
            judgement.breaches.push(Breach { rule: id, name, label, measure: found.measure, way: found.way });
        } else if found.over <= 0 {
            judgement.kept.push(Kept { rule: id, name, label, measure: found.measure });
        }
    }
    judgement
}

/// The part of a booking that a rule is about; `None` where that is nothing.
fn covered(rule: &Rule, claim: &Claim) -> Option<Claim> {
    let cards: Vec<Held> = claim.cards.iter().filter(|held| rule.covers(&held.labels)).cloned().collect();
    (!cards.is_empty()).then_some(Claim { window: claim.window, cards })
}

/// Whether a booking takes a card, or a time of one, that it did not have.
fn takes_more(was: &Claim, becomes: &Claim) -> bool {
    let had = |wanted: &Held| {
        let had = was.cards.iter().filter(|had| {
            had.card == wanted.card
                && had.window.start() <= wanted.window.start()
                && wanted.window.end() <= had.window.end()
        });
        had.map(|had| had.part).sum::<Cards>()
    };
    becomes.cards.iter().any(|wanted| {
        let same = becomes.cards.iter().filter(|other| other.card == wanted.card);
        had(wanted) < same.map(|other| other.part).sum::<Cards>()
    })
}
