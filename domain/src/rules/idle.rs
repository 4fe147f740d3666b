//! Which rule stands for a card that is booked and not used.
//!
//! Other rules add up; these replace each other: what an administrator said for a group and a label stands before what was
//! said for a label, that before what was said for a group, that before what was said for everybody. Of two that are as
//! particular, the one stands that asks first, then the one that gives back first. Nothing is ever given back by a rule
//! that does not say so itself.

use time::Duration;

use super::{Limit, Rule};
use crate::id::GroupId;

/// What is done about a card that is booked and not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleTerms<'a> {
    /// The rule; what it does says its name.
    pub rule: &'a Rule,
    /// Idle for so long: the owner is asked.
    pub idle: Duration,
    /// Not used at all this long after the start: the owner is asked.
    pub no_show: Duration,
    /// Without an answer for so long the card is given back; `None`: never.
    pub release_after: Option<Duration>,
}

/// The rule that stands for a card with these labels (its own and its host's), held by somebody in these groups.
#[must_use]
pub fn idle_rule<'a>(rules: &'a [Rule], groups: &[GroupId], labels: &[String]) -> Option<IdleTerms<'a>> {
    let fits = |rule: &&Rule| rule.is_for(groups) && rule.covers(labels);
    let terms = rules.iter().filter(fits).filter_map(|rule| {
        let Limit::Idle { minutes, no_show_minutes, release_after_minutes } = &rule.limit else { return None };
        let length = |minutes: &u32| Duration::minutes(i64::from(*minutes));
        Some(IdleTerms {
            rule,
            idle: length(minutes),
            no_show: length(no_show_minutes),
            release_after: release_after_minutes.as_ref().map(length),
        })
    });
    terms.min_by_key(|terms| {
        let rule = terms.rule;
        let general = (rule.label.is_none(), rule.group.is_none());
        let released = terms.release_after.unwrap_or(Duration::MAX);
        (general, terms.idle, terms.no_show, released, rule.id)
    })
}
