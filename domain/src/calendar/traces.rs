//! What cards did so far: their use, as a letter for each step of the axis. One text for all cards, because half a
//! thousand rows of two weeks are many numbers.

use std::collections::HashMap;
use std::fmt::Write as _;

use time::{Duration, OffsetDateTime};

use crate::id::CardUuid;
use crate::wire::calendar::CalendarAsk;

/// Most steps of a stretch of time.
pub const STEPS_MAX: usize = 200;
/// What the record is kept in beside minutes; every step is several of these.
pub const QUARTER: Duration = Duration::minutes(15);

/// Lengths of a step, in quarters of an hour.
const STEPS: [i32; 6] = [1, 2, 4, 8, 12, 24];
/// Levels of use, from nothing to all.
const LEVELS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Nothing was recorded.
const GAP: char = '-';

/// The use of cards from an instant on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traces {
    from: OffsetDateTime,
    step: Duration,
    cards: HashMap<CardUuid, String>,
}

/// The use of one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    /// Length of a step.
    pub step: Duration,
    levels: &'a str,
}

/// The length of a step: the shortest at which a stretch has at most [`STEPS_MAX`].
#[must_use]
pub fn step(span: &CalendarAsk) -> Duration {
    let fits = |step: &Duration| (span.to - span.from) <= *step * i32::try_from(STEPS_MAX).unwrap_or(i32::MAX);
    let steps = STEPS.map(|quarters| QUARTER * quarters);
    steps.into_iter().find(fits).unwrap_or(QUARTER * STEPS[STEPS.len() - 1])
}

impl Traces {
    /// None yet.
    #[must_use]
    pub fn new(from: OffsetDateTime, step: Duration) -> Self {
        Self { from, step, cards: HashMap::new() }
    }

    /// Adds a card: steps of which something was recorded, counted from 0, each with the use in percent.
    pub fn add(&mut self, card: CardUuid, steps: impl IntoIterator<Item = (usize, u8)>) {
        let mut levels: Vec<char> = Vec::new();
        for (at, percent) in steps.into_iter().filter(|(at, _)| *at < STEPS_MAX) {
            if levels.len() <= at {
                levels.resize(at + 1, GAP);
            }
            levels[at] = letter(percent);
        }
        self.cards.insert(card, levels.into_iter().collect());
    }

    /// Whether they begin there.
    #[must_use]
    pub fn begin_at(&self, from: OffsetDateTime) -> bool {
        self.from == from
    }

    /// That of a card; `None` where nothing was recorded.
    #[must_use]
    pub fn of(&self, card: &CardUuid) -> Option<Trace<'_>> {
        Some(Trace { step: self.step, levels: self.cards.get(card)? })
    }

    /// As it goes over the wire: the beginning and the step in seconds, then a line for each card.
    #[must_use]
    pub fn write(&self) -> String {
        let mut text = format!("{} {}", self.from.unix_timestamp(), self.step.whole_seconds());
        let mut cards: Vec<_> = self.cards.iter().collect();
        cards.sort();
        for (card, levels) in cards {
            let _ = write!(text, "\n{card} {levels}");
        }
        text
    }

    /// Reads it; `None` where it is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (from, step) = lines.next()?.split_once(' ')?;
        let from = OffsetDateTime::from_unix_timestamp(from.parse().ok()?).ok()?;
        let step = Duration::seconds(step.parse().ok()?);
        let card = |line: &str| {
            let (card, levels) = line.split_once(' ')?;
            Some((CardUuid::parse(card).ok()?, levels.to_owned()))
        };
        Some(Self { from, step, cards: lines.map(card).collect::<Option<_>>()? })
    }
}

impl Trace<'_> {
    /// Steps, as far as something was recorded.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.levels.len()
    }

    /// The use in percent, on average over what was recorded, and for how long something was. `None`: nothing was.
    #[must_use]
    pub fn mean(&self) -> Option<(u32, Duration)> {
        let known: Vec<u32> = self.levels.chars().filter_map(level).collect();
        let count = u32::try_from(known.len()).ok().filter(|count| *count > 0)?;
        let percent = known.iter().sum::<u32>() * 100 / (count * top());
        Some((percent, self.step * i32::try_from(count).ok()?))
    }

    /// The area below it, as the path of a picture that is as wide as there are steps and 36 high. Where nothing was
    /// recorded is nothing; where nothing was used is a line.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        let mut levels = self.levels.chars().map(level).enumerate().peekable();
        let mut open = false;
        while let Some((at, level)) = levels.next() {
            let Some(level) = level else {
                if open {
                    path.push_str("V36z");
                    open = false;
                }
                continue;
            };
            let mut wide = 1;
            while levels.next_if(|(_, next)| *next == Some(level)).is_some() {
                wide += 1;
            }
            if !open {
                let _ = write!(path, "M{at} 36");
                open = true;
            }
            let _ = write!(path, "V{}h{wide}", top() - level);
        }
        if open {
            path.push_str("V36z");
        }
        path
    }
}

fn top() -> u32 {
    u32::try_from(LEVELS.len() - 1).unwrap_or(1)
}

fn letter(percent: u8) -> char {
    let percent = u32::from(percent.min(100));
    // A little is not nothing.
    let level = ((percent * top() + 50) / 100).max(u32::from(percent > 0));
    usize::try_from(level).ok().and_then(|level| LEVELS.get(level)).map_or(GAP, |letter| char::from(*letter))
}

fn level(letter: char) -> Option<u32> {
    letter.to_digit(36)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::sample::{DAY, card};

    fn traces() -> Traces {
        let mut traces = Traces::new(DAY, QUARTER);
        traces.add(card(7), [(0, 0), (1, 100), (2, 100), (5, 1)]);
        traces.add(card(8), []);
        traces
    }

    #[test]
    fn they_survive_the_wire() {
        let text = traces().write();
        assert_eq!(
            text,
            "1796000400 900\nGPU-7 0zz--1\nGPU-8 ".replace("1796000400", &DAY.unix_timestamp().to_string())
        );
        assert_eq!(Traces::read(&text), Some(traces()));
        for not in ["", "0", "0 x", "a 900", "0 900\nGPU-7"] {
            assert_eq!(Traces::read(not), None, "{not:?}");
        }
    }

    #[test]
    fn what_was_not_recorded_is_a_gap_and_nothing_used_is_not() {
        let traces = traces();
        assert_eq!(traces.of(&card(7)).expect("there").path(), "M0 36V35h1V0h2V36zM5 36V34h1V36z");
        assert_eq!(traces.of(&card(8)).expect("there").path(), "");
        assert_eq!(traces.of(&card(9)), None);
    }

    #[test]
    fn the_mean_is_over_what_was_recorded() {
        let traces = traces();
        assert_eq!(traces.of(&card(7)).expect("there").mean(), Some((50, Duration::HOUR)));
        assert_eq!(traces.of(&card(8)).expect("there").mean(), None);
    }

    #[test]
    fn no_stretch_has_too_many_steps() {
        for (days, minutes) in [(1, 15), (2, 15), (6, 60), (14, 120), (45, 360)] {
            let span = CalendarAsk { from: DAY, to: DAY + Duration::days(days) };
            assert_eq!(step(&span), Duration::minutes(minutes), "{days} days");
            assert!((span.to - span.from) / step(&span) <= 200.0);
        }
        let mut many = Traces::new(DAY, QUARTER);
        many.add(card(1), [(STEPS_MAX, 1), (1_000_000, 1)]);
        assert_eq!(many.of(&card(1)).expect("there").steps(), 0);
    }
}
