//! Whether a booked card is used, and what follows where it is not. What is done at most, and when, an administrator's rule
//! says ([`crate::rules::idle_rule`]); without one its owner is asked, and nothing else happens.
//!
//! Silence proves nothing: a host that does not report, a card whose processes cannot be listed, a portal that was down
//! neither prove use nor idleness, and after a longer gap the time is counted anew.

use time::{Duration, OffsetDateTime};

use crate::card::ProcessState;
use crate::whose::{Why, whose};
use crate::wire::live_v1::{BookingBrief, CardTruth, ProcessView};

/// A gap in what is known of a card that is this short does not break off the time for which it has been idle.
pub const GAP_MAX: Duration = Duration::minutes(5);
/// Nobody is asked about a card in the last minutes of its booking.
const NOT_WORTH_ASKING: Duration = Duration::minutes(5);

/// What one look at a card says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Somebody who may launch on it computes.
    Used,
    /// Nobody does.
    Idle,
    /// Nobody can say.
    Unknown,
}

/// Looks at a card that is booked by `booking` now. Of a part of a card nobody measures how busy it is: a process on it
/// counts.
#[must_use]
pub fn look(truth: &CardTruth, is_part: bool, booking: &BookingBrief) -> Seen {
    if !truth.health.is_well() {
        return Seen::Unknown;
    }
    let card = truth.sample.utilisation_percent.get();
    let Some(processes) = &truth.processes else {
        // Who computes is not known; that nobody does may be.
        return match card {
            Some(0) if !is_part => Seen::Idle,
            Some(_) => Seen::Used,
            None => Seen::Unknown,
        };
    };
    let mut theirs = processes.iter().filter(|process| may_be_theirs(process, booking)).peekable();
    if theirs.peek().is_none() {
        return Seen::Idle;
    }
    let computes = |process: &ProcessView| match (process.utilisation_percent.get(), card) {
        _ if is_part => true,
        (Some(share), _) if share > 0 => true,
        // A short kernel is seen on the card before it is seen in its process.
        (_, Some(busy)) => busy > 0,
        (Some(_), None) => false,
        (None, None) => true,
    };
    if theirs.any(computes) { Seen::Used } else { Seen::Idle }
}

/// Whether a process counts as use by those who may launch. Where nobody knows whose it is, it does: a card is not taken
/// away because of what is not known.
fn may_be_theirs(process: &ProcessView, booking: &BookingBrief) -> bool {
    if process.state == ProcessState::Orphan {
        return false;
    }
    if !process.people.is_empty() && process.account_tells() {
        return process.people.iter().any(|person| booking.lets(*person));
    }
    whose(process, Some(booking)).why != Why::Service
}

/// What the rule that stands for a card says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Idle for so long: its owner is asked.
    pub idle: Duration,
    /// Not used at all this long after the start: its owner is asked.
    pub no_show: Duration,
    /// Without an answer for so long it is given back; `None`: never.
    pub release_after: Option<Duration>,
}

/// Where no rule says otherwise: observe and ask.
pub const USUAL: Terms = Terms { idle: Duration::minutes(60), no_show: Duration::minutes(30), release_after: None };

/// What has been seen of a card while it is booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// When it is booked from.
    pub from: OffsetDateTime,
    /// And until.
    pub until: OffsetDateTime,
    /// When it was used for the first time.
    pub first_used: Option<OffsetDateTime>,
    /// And last.
    pub last_used: Option<OffsetDateTime>,
    /// Since when it has been seen idle without a longer gap.
    pub idle_since: Option<OffsetDateTime>,
    /// When it was last known what it does.
    pub seen: Option<OffsetDateTime>,
    /// When its owner was asked whether it is still wanted.
    pub asked: Option<OffsetDateTime>,
    /// When its owner said that it is.
    pub answered: Option<OffsetDateTime>,
    /// When a rule gives it back, as its owner was told.
    pub release_at: Option<OffsetDateTime>,
}

/// What follows from a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    Nothing,
    /// Its owner is asked.
    Ask {
        /// Idle since then.
        since: OffsetDateTime,
        /// Given back then without an answer.
        release_at: Option<OffsetDateTime>,
    },
    /// It is given back.
    Release {
        /// Nobody came at all.
        missed: bool,
    },
}

impl Watch {
    /// Of a card that nobody has looked at yet.
    #[must_use]
    pub fn begin(from: OffsetDateTime, until: OffsetDateTime) -> Self {
        Self {
            from,
            until,
            first_used: None,
            last_used: None,
            idle_since: None,
            seen: None,
            asked: None,
            answered: None,
            release_at: None,
        }
    }

    /// Takes in what was seen at `now`; what follows goes by `terms`.
    pub fn take(&mut self, seen: Seen, terms: &Terms, now: OffsetDateTime) -> Next {
        let gap = now - self.seen.unwrap_or(self.from);
        match seen {
            Seen::Used => {
                self.used_at(now);
                self.idle_since = None;
                self.seen = Some(now);
                Next::Nothing
            }
            Seen::Unknown => {
                if gap > GAP_MAX {
                    self.forget();
                }
                Next::Nothing
            }
            Seen::Idle => {
                let before = self.seen.unwrap_or(self.from);
                if gap > GAP_MAX {
                    self.forget();
                }
                let began = if gap > GAP_MAX { now } else { before };
                self.idle_since.get_or_insert(began);
                self.seen = Some(now);
                self.judge(terms, now)
            }
        }
    }

    /// It was used at that time after all, as the record of its minutes shows.
    pub fn used_at(&mut self, at: OffsetDateTime) {
        self.first_used.get_or_insert(at);
        self.last_used = self.last_used.max(Some(at));
        if self.idle_since.is_some() {
            self.idle_since = Some(at);
        }
        self.unask();
    }

    fn forget(&mut self) {
        self.idle_since = None;
        self.unask();
    }

    fn unask(&mut self) {
        (self.asked, self.answered, self.release_at) = (None, None, None);
    }

    /// Looks at the time for which it has been idle.
    #[must_use]
    fn judge(&mut self, terms: &Terms, now: OffsetDateTime) -> Next {
        let Some(since) = self.idle_since else { return Next::Nothing };
        if self.until - now <= NOT_WORTH_ASKING {
            return Next::Nothing;
        }
        let missed = self.first_used.is_none();
        let counted_from = self.answered.map_or(since, |answered| answered.max(since));
        let is_asked = self.asked.is_some_and(|asked| self.answered.is_none_or(|answered| asked > answered));
        let release_at = terms.release_after.map(|after| now + after).filter(|at| *at < self.until);
        if is_asked {
            return match (self.release_at, terms.release_after) {
                (Some(at), Some(_)) if now >= at => Next::Release { missed },
                // Turned on since: nothing is given back that its owner was not told of before.
                (None, Some(_)) if release_at.is_some() => self.ask(since, release_at, now),
                _ => Next::Nothing,
            };
        }
        let wanted = if missed { terms.no_show } else { terms.idle };
        if now - counted_from < wanted { Next::Nothing } else { self.ask(since, release_at, now) }
    }

    fn ask(&mut self, since: OffsetDateTime, release_at: Option<OffsetDateTime>, now: OffsetDateTime) -> Next {
        self.asked = Some(now);
        self.release_at = release_at;
        Next::Ask { since, release_at }
    }
}

#[cfg(test)]
mod tests;
