//! Times as people say them: what was not understood, and what would be.

use super::{Text, When};
use crate::draft::spoken::Misheard;

/// Times as people say them.
#[derive(Debug)]
pub struct SpokenText {
    /// Label of the field.
    pub label: &'static str,
    /// What can be said, in a few examples.
    pub examples: &'static str,
    /// Nothing is said.
    pub empty: &'static str,
    /// More than anybody says about a time.
    pub too_much: &'static str,
    /// A word that is not known.
    pub unknown: fn(&str) -> String,
    /// A number that may be a time or a length.
    pub bare_number: fn(u32) -> String,
    /// Day and month as numbers.
    pub which_date: fn(&str) -> String,
    /// No such day.
    pub no_such_date: fn(&str) -> String,
    /// No such time.
    pub no_such_time: fn(&str) -> String,
    /// Two days that may be meant.
    pub which_day: fn(&str, &str) -> String,
    /// Tonight, after midnight.
    pub which_night: &'static str,
    /// A part of a day.
    pub vague: fn(&str) -> String,
    /// A time of day is missing.
    pub no_clock: &'static str,
    /// What is said does not go together.
    pub contradiction: &'static str,
    /// A start that has passed.
    pub passed: fn(&str) -> String,
    /// The end is not after the start.
    pub ends_first: &'static str,
    /// About the start, or the end.
    pub about_start: fn(&str) -> String,
    /// About the end.
    pub about_end: fn(&str) -> String,
}

impl Text {
    /// Why nothing could be made of what somebody says about a time.
    #[must_use]
    pub fn misheard(&self, why: &Misheard, when: &When<'_>) -> String {
        let text = &self.spoken;
        match why {
            Misheard::Empty => text.empty.to_owned(),
            Misheard::TooMuch => text.too_much.to_owned(),
            Misheard::Unknown(word) => (text.unknown)(word),
            Misheard::BareNumber(number) => (text.bare_number)(*number),
            Misheard::WhichDate(date) => (text.which_date)(date),
            Misheard::NoSuchDate(date) => (text.no_such_date)(date),
            Misheard::NoSuchTime(clock) => (text.no_such_time)(clock),
            Misheard::WhichDay(one, other) => {
                let year = when.zone.local(when.now).year();
                (text.which_day)(&when.text.date(*one, year), &when.text.date(*other, year))
            }
            Misheard::WhichNight => text.which_night.to_owned(),
            Misheard::Vague(word) => (text.vague)(word),
            Misheard::NoClock => text.no_clock.to_owned(),
            Misheard::Contradiction => text.contradiction.to_owned(),
            Misheard::Passed(at) => (text.passed)(&when.at(*at)),
            Misheard::Start(bad) => (text.about_start)(&self.bad_wall(bad, when)),
            Misheard::End(bad) => (text.about_end)(&self.bad_wall(bad, when)),
            Misheard::EndsFirst => text.ends_first.to_owned(),
        }
    }
}
