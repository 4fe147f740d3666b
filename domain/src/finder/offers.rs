//! What is offered for a wish: the smallest that do and the fastest that are free at that time, then what comes free later.

use time::Duration;

use super::choose::Aim;
use super::leave::{Leave, Open, Picked, Says};
use super::park::Park;
use super::search::{Fitting, best, earliest, micros_of};
use super::stock::span;
use super::taken::Micros;
use super::{Reason, Want};
use crate::window::Window;

/// How far ahead something later is looked for, from the time that was asked for.
pub const LATER_WITHIN: Duration = Duration::days(31);
/// Most times at which something later is looked for.
const TIMES_MAX: usize = 24;
/// Between two of them at least: a minute.
const STEP: Micros = 60_000_000;

/// Cards for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) reason: Reason,
    pub(super) cards: Vec<usize>,
    pub(super) start: Micros,
    pub(super) end: Micros,
    /// The rule by which that is not as long as was asked for.
    pub(super) by_rule: Option<String>,
}

impl Pick {
    /// For how long a rule lets it be.
    fn cut(&self) -> Option<(Micros, String)> {
        self.by_rule.clone().map(|rule| (self.end - self.start, rule))
    }
}

/// For how long.
#[derive(Clone, Debug)]
struct Length {
    asked: Micros,
    /// What a rule leaves of it, or makes of it, and which.
    cut: Option<(Micros, String)>,
}

impl Length {
    fn least(&self) -> Micros {
        self.cut.as_ref().map_or(self.asked, |(cut, _)| *cut)
    }
}

/// A search: where, for what, among which cards, and by whose rules.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) park: &'a Park,
    pub(super) want: &'a Want,
    pub(super) fitting: &'a Fitting,
    pub(super) leave: Option<&'a Leave<'a>>,
}

impl Search<'_> {
    /// Just then, and what is free later.
    pub(super) fn at(&self, window: &Window) -> Vec<Pick> {
        let (start, end) = span(window);
        let start = start.max(self.park.now);
        if start >= end {
            return Vec::new();
        }
        let mut found = self.free_then(start, end);
        let length = match found.first() {
            Some(first) => Length { asked: end - start, cut: first.cut() },
            None => self.longest(start, end - start),
        };
        let until = end.saturating_add(micros_of(LATER_WITHIN));
        let later = match found.last().map(|last| self.slowest(last)) {
            // Nothing is free: the first time at which something is.
            None => self.first_time(start, until, &length),
            Some(fastest) => self.faster_later(fastest, start, until, &length),
        };
        found.extend(later);
        found
    }

    /// As early as possible.
    pub(super) fn earliest(&self, from: Micros, until: Micros, length: Micros) -> Vec<Pick> {
        let length = self.longest(from, length);
        let Some(first) = self.first_time(from, until, &length) else { return Vec::new() };
        let at = first.start;
        let mut found = match first.by_rule {
            None => self.free_then(at, first.end),
            Some(_) => Vec::new(),
        };
        if found.is_empty() {
            found.push(first);
        }
        if let Some(first) = found.first_mut() {
            first.reason = if at > from { Reason::Later } else { Reason::BestFit };
        }
        let fastest = found.last().map_or(0, |last| self.slowest(last));
        found.extend(self.faster_later(fastest, at, until, &length));
        found
    }

    /// Cards that may be had from then on; without rules all.
    fn open(&self, start: Micros, end: Micros) -> (Vec<Open>, Option<Micros>) {
        match self.leave {
            Some(leave) => leave.open(self.park, self.fitting, self.want.count, start, end),
            None => (vec![Open { cards: self.fitting.only(|_| true), end, by_rule: None }], None),
        }
    }

    /// As long as rules allow, from then on.
    fn longest(&self, start: Micros, asked: Micros) -> Length {
        let open = self.open(start, start + asked).0.into_iter().next();
        let cut = open.and_then(|open| open.by_rule.map(|rule| (open.end - start, rule)));
        Length { asked, cut }
    }

    /// The smallest that do, and where others are faster, the fastest.
    fn free_then(&self, start: Micros, end: Micros) -> Vec<Pick> {
        let found = self.open(start, end).0.into_iter().map(|open| {
            let pick = |reason, aim| {
                let cards = best(self.park, self.want, &open.cards, start, open.end, aim)?;
                self.allowed(Pick { reason, cards, start, end: open.end, by_rule: open.by_rule.clone() })
            };
            let fit = pick(Reason::BestFit, Aim::Fit);
            let slowest = fit.as_ref().map(|fit| self.slowest(fit));
            let fast = pick(Reason::Fastest, Aim::Fast);
            let fast = fast.filter(|fast| slowest.is_none_or(|slowest| self.slowest(fast) > slowest));
            fit.into_iter().chain(fast).collect::<Vec<_>>()
        });
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn slowest(&self, pick: &Pick) -> u64 {
        pick.cards.iter().map(|card| self.park.stock.cards[*card].speed.unwrap_or(0)).min().unwrap_or(0)
    }

    /// As rules allow it.
    fn allowed(&self, pick: Pick) -> Option<Pick> {
        let Some(leave) = self.leave else { return Some(pick) };
        let cards: Vec<Picked> = pick.cards.iter().map(|card| (*card, None)).collect();
        match leave.says(self.park, &cards, pick.start, pick.end) {
            Says::Fine => Some(pick),
            Says::Until(end, rule) => {
                let free = pick.cards.iter().all(|card| self.park.is_free(*card, pick.start, end));
                free.then_some(Pick { end, by_rule: Some(rule), ..pick })
            }
            Says::From(_) | Says::No(_) => None,
        }
    }

    /// The first time from `from` on at which the wish can be served, for as long as was asked for if that is possible.
    fn first_time(&self, from: Micros, until: Micros, length: &Length) -> Option<Pick> {
        let least = length.least();
        let mut from = from;
        for _ in 0..TIMES_MAX {
            let at = earliest(self.park, self.want, self.fitting, from, until, least)?;
            let (open, next) = self.open(at, at + least);
            let pick = self.best_of(&open, at, None).filter(|pick| pick.by_rule.is_none() && length.cut.is_none());
            let pick = pick.or_else(|| {
                let longer = length.cut.as_ref().filter(|_| at + length.asked <= until)?;
                let pick = self.best_of(&self.open(at, at + length.asked).0, at, None)?;
                (pick.by_rule.is_none() || pick.end - at >= longer.0).then_some(pick)
            });
            let rule = length.cut.as_ref().map(|(_, rule)| rule);
            if let Some(pick) = pick.or_else(|| self.best_of(&open, at, rule)) {
                return Some(pick);
            }
            self.leave?;
            // When cards that may be had come free, or more of them may be had.
            let after = at + STEP;
            let free =
                open.iter().filter_map(|open| earliest(self.park, self.want, &open.cards, after, until, open.end - at));
            from = free.chain(next).filter(|next| *next > at).min()?;
        }
        None
    }

    /// The best of cards that may be had from then on. `rule`: by which it is another length already.
    fn best_of(&self, open: &[Open], at: Micros, rule: Option<&String>) -> Option<Pick> {
        open.iter().find_map(|open| {
            let cards = best(self.park, self.want, &open.cards, at, open.end, Aim::Fit)?;
            let by_rule = open.by_rule.clone().or_else(|| rule.cloned());
            self.allowed(Pick { reason: Reason::Later, cards, start: at, end: open.end, by_rule })
        })
    }

    /// The first time after `from` at which faster cards serve the wish, where they do not at once.
    fn faster_later(&self, than: u64, from: Micros, until: Micros, length: &Length) -> Option<Pick> {
        let faster = self.fitting.only(|card| self.park.stock.cards[card].speed.is_some_and(|speed| speed > than));
        // Those that are free at once were passed over already: they are of several kinds, or on several hosts.
        Search { fitting: &faster, ..*self }.first_time(from, until, length).filter(|pick| pick.start > from)
    }
}
