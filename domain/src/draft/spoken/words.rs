//! Reading words: which are said, not yet on which day that is. English.

use time::{Month, Time, Weekday};

use super::tokens::{Spaced, Token, tokens};
use super::{Day, Length, Misheard, Said, Side, TEXT_MAX};
use crate::draft::wall::Which;

/// Most days, hours or minutes that a length is made of.
const AMOUNT_MAX: u32 = 10_000;

const WEEKDAYS: [(&[&str], Weekday); 7] = [
    (&["mon", "monday"], Weekday::Monday),
    (&["tue", "tues", "tuesday"], Weekday::Tuesday),
    (&["wed", "wednesday"], Weekday::Wednesday),
    (&["thu", "thur", "thurs", "thursday"], Weekday::Thursday),
    (&["fri", "friday"], Weekday::Friday),
    (&["sat", "saturday"], Weekday::Saturday),
    (&["sun", "sunday"], Weekday::Sunday),
];

const MONTHS: [(&[&str], Month); 12] = [
    (&["jan", "january"], Month::January),
    (&["feb", "february"], Month::February),
    (&["mar", "march"], Month::March),
    (&["apr", "april"], Month::April),
    (&["may"], Month::May),
    (&["jun", "june"], Month::June),
    (&["jul", "july"], Month::July),
    (&["aug", "august"], Month::August),
    (&["sep", "sept", "september"], Month::September),
    (&["oct", "october"], Month::October),
    (&["nov", "november"], Month::November),
    (&["dec", "december"], Month::December),
];

/// What is said, in the order in which it is.
pub(super) fn read(text: &str) -> Result<Said, Misheard> {
    if text.len() > TEXT_MAX {
        return Err(Misheard::TooMuch);
    }
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Err(Misheard::Empty);
    }
    let mut reader = Reader { tokens: &tokens, at: 0, said: Said::default(), at_end: false };
    while reader.at < tokens.len() {
        reader.step()?;
    }
    Ok(reader.said)
}

struct Reader<'a> {
    tokens: &'a [Spaced],
    at: usize,
    said: Said,
    /// What follows is about the end.
    at_end: bool,
}

/// Says it unless it is said already.
fn set<T>(slot: &mut Option<T>, value: T) -> Result<(), Misheard> {
    if slot.replace(value).is_some() { Err(Misheard::Contradiction) } else { Ok(()) }
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|(token, _)| token)
    }

    /// Whether nothing stands between a token and the one before it.
    fn joined(&self, ahead: usize) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|(_, spaced)| !spaced)
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        match self.peek(ahead) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn number(&self, ahead: usize) -> Option<(u32, usize)> {
        match self.peek(ahead) {
            Some(Token::Number(value, digits)) => Some((*value, *digits)),
            _ => None,
        }
    }

    fn mark(&self, ahead: usize, mark: char) -> bool {
        self.peek(ahead) == Some(&Token::Mark(mark))
    }

    fn side(&mut self) -> &mut Side {
        if self.at_end { self.said.end.get_or_insert_default() } else { &mut self.said.start }
    }

    fn step(&mut self) -> Result<(), Misheard> {
        match self.peek(0) {
            Some(Token::Number(value, digits)) => self.figure(*value, *digits),
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                self.say(&word)
            }
            Some(Token::Mark('-')) => {
                self.at += 1;
                self.turn()
            }
            Some(Token::Mark('+')) => {
                self.at += 1;
                let length = self.length()?;
                set(&mut self.said.longer, length)
            }
            Some(Token::Mark(mark)) => Err(Misheard::Unknown(mark.to_string())),
            None => Ok(()),
        }
    }

    /// From the start to the end.
    fn turn(&mut self) -> Result<(), Misheard> {
        if self.at_end {
            return Err(Misheard::Contradiction);
        }
        self.at_end = true;
        self.said.end.get_or_insert_default();
        Ok(())
    }

    fn say(&mut self, word: &str) -> Result<(), Misheard> {
        match word {
            "at" | "on" | "from" | "for" | "the" => Ok(()),
            "to" | "until" | "till" | "til" => self.turn(),
            "now" if self.side().now => Err(Misheard::Contradiction),
            "now" => {
                self.side().now = true;
                Ok(())
            }
            "in" => {
                let length = self.length()?;
                set(&mut self.side().after, length)
            }
            "today" => self.day(Day::Today),
            "tonight" => self.day(Day::Tonight),
            "tomorrow" => self.day(Day::Tomorrow),
            "day" if self.word(0) == Some("after") && self.word(1) == Some("tomorrow") => {
                self.at += 2;
                self.day(Day::AfterTomorrow)
            }
            "this" | "next" => {
                let weekday = self.word(0).and_then(weekday);
                let Some(weekday) = weekday else { return Err(Misheard::Vague(word.to_owned())) };
                self.at += 1;
                self.day(if word == "this" { Day::This(weekday) } else { Day::Next(weekday) })
            }
            "noon" => set(&mut self.side().clock, time::macros::time!(12:00)),
            "first" => set(&mut self.side().which, Which::First),
            "second" => set(&mut self.side().which, Which::Second),
            // Of which day it is the midnight, people do not agree.
            "midnight" | "morning" | "afternoon" | "evening" | "night" | "weekend" | "lunch" | "soon" | "later" => {
                Err(Misheard::Vague(word.to_owned()))
            }
            _ => match (weekday(word), month(word)) {
                (Some(weekday), _) => set(&mut self.dated_side().weekday, weekday),
                (None, Some(month)) => match self.number(0) {
                    Some((day, 1 | 2)) => {
                        self.at += 1;
                        self.skip_ordinal();
                        self.date(day, month)
                    }
                    _ => Err(Misheard::Unknown(word.to_owned())),
                },
                (None, None) => Err(Misheard::Unknown(word.to_owned())),
            },
        }
    }

    fn day(&mut self, day: Day) -> Result<(), Misheard> {
        set(&mut self.dated_side().day, day)
    }

    /// The side whose day is said: in `14:00-18:00 fri` that of the start.
    fn dated_side(&mut self) -> &mut Side {
        let start = &self.said.start;
        let undated = start.clock.is_some() && start.day.is_none() && start.weekday.is_none();
        let complete = self.said.end.as_ref().is_some_and(|end| end.clock.is_some());
        if undated && complete { &mut self.said.start } else { self.side() }
    }

    /// A date whose day and month are read; a year may follow.
    fn date(&mut self, day: u32, month: Month) -> Result<(), Misheard> {
        let year = self.number(0).filter(|(_, digits)| *digits == 4).and_then(|(year, _)| i32::try_from(year).ok());
        // `4 dec 1400` is a year; `4 dec 14:00` is not.
        let year = year.filter(|_| !self.mark(1, ':'));
        if year.is_some() {
            self.at += 1;
        }
        let day = u8::try_from(day).map_err(|_| Misheard::NoSuchDate(format!("{day} {month}")))?;
        self.day(Day::Date(year, month, day))
    }

    fn skip_ordinal(&mut self) {
        if self.joined(0) && matches!(self.word(0), Some("st" | "nd" | "rd" | "th")) {
            self.at += 1;
        }
    }

    fn figure(&mut self, value: u32, digits: usize) -> Result<(), Misheard> {
        if digits == 4 && self.mark(1, '-') && self.joined(1) && self.mark(3, '-') {
            return self.iso_date();
        }
        if self.mark(1, ':') {
            return self.clock();
        }
        if let Some(half) = meridiem(self.word(1)) {
            self.at += 2;
            return self.set_clock(value, 0, Some(half), || format!("{value} {half}"));
        }
        if self.word(1).is_some_and(|word| unit(word).is_some()) || (self.mark(1, '.') && self.decimal()) {
            let length = self.length()?;
            return set(&mut self.said.length, length);
        }
        if self.mark(1, '/') || self.mark(1, '.') {
            let other = self.number(2).map(|(other, _)| other.to_string()).unwrap_or_default();
            let mark = if self.mark(1, '/') { '/' } else { '.' };
            return Err(Misheard::WhichDate(format!("{value}{mark}{other}")));
        }
        self.at += 1;
        self.skip_ordinal();
        if let Some(month) = self.word(0).and_then(month) {
            self.at += 1;
            return self.date(value, month);
        }
        // From 13 on it can be a time only.
        if (13..=23).contains(&value) && digits == 2 {
            return self.set_clock(value, 0, None, String::new);
        }
        Err(Misheard::BareNumber(value))
    }

    /// `2026-12-01`, a `T` may follow.
    fn iso_date(&mut self) -> Result<(), Misheard> {
        let (Some((year, _)), Some((month, 2)), Some((day, 2))) = (self.number(0), self.number(2), self.number(4))
        else {
            return Err(Misheard::NoSuchDate(self.number(0).map(|(year, _)| year.to_string()).unwrap_or_default()));
        };
        let text = || format!("{year:04}-{month:02}-{day:02}");
        let known = u8::try_from(month).ok().and_then(|month| Month::try_from(month).ok());
        let (Some(known), Ok(date), Ok(year)) = (known, u8::try_from(day), i32::try_from(year)) else {
            return Err(Misheard::NoSuchDate(text()));
        };
        self.at += 5;
        if self.joined(0) && self.word(0) == Some("t") {
            self.at += 1;
        }
        self.day(Day::Date(Some(year), known, date))
    }

    /// `9:30`, `9:30pm`.
    fn clock(&mut self) -> Result<(), Misheard> {
        let (hour, minute) = (self.number(0), self.number(2));
        let (Some((hour, 1 | 2)), Some((minute, 2))) = (hour, minute) else {
            let hour = hour.map(|(hour, _)| hour).unwrap_or_default();
            return Err(Misheard::NoSuchTime(format!("{hour}:")));
        };
        self.at += 3;
        if self.mark(0, ':') {
            return Err(Misheard::NoSuchTime(format!("{hour}:{minute:02}:")));
        }
        let half = meridiem(self.word(0));
        if half.is_some() {
            self.at += 1;
        }
        self.set_clock(hour, minute, half, || {
            let half = half.unwrap_or_default();
            format!("{hour}:{minute:02} {half}").trim().to_owned()
        })
    }

    fn set_clock(
        &mut self,
        hour: u32,
        minute: u32,
        half: Option<&str>,
        text: impl Fn() -> String,
    ) -> Result<(), Misheard> {
        let hour = match (half, hour) {
            (None, hour) => Some(hour),
            (Some("am"), 12) => Some(0),
            (Some("pm"), 12) => Some(12),
            (Some("am"), 1..=11) => Some(hour),
            (Some(_), 1..=11) => Some(hour + 12),
            (Some(_), _) => None,
        };
        let parts = hour.and_then(|hour| u8::try_from(hour).ok()).zip(u8::try_from(minute).ok());
        let time = parts.and_then(|(hour, minute)| Time::from_hms(hour, minute, 0).ok());
        let time = time.ok_or_else(|| Misheard::NoSuchTime(text()))?;
        set(&mut self.side().clock, time)
    }

    /// `1.5h`.
    fn decimal(&self) -> bool {
        self.number(2).is_some() && self.joined(2) && self.word(3).is_some_and(|word| unit(word) == Some(Unit::Hour))
    }

    /// `6h`, `1h30`, `1 d 4 h`, `90 min`, `1.5h`.
    fn length(&mut self) -> Result<Length, Misheard> {
        let (mut days, mut minutes) = (0_u32, 0_u32);
        let mut last: Option<Unit> = None;
        while let Some((value, _)) = self.number(0) {
            if self.mark(1, '.') && self.decimal() && last.is_none() {
                minutes = self.decimal_minutes(value)?;
                self.at += 4;
                last = Some(Unit::Minute);
                continue;
            }
            let Some(this) = self.word(1).and_then(unit) else {
                // `1h30` is an hour and a half; `1h 30` is not said well enough.
                match (last, self.number(0)) {
                    (Some(Unit::Hour), Some((half, 2))) if half < 60 && self.joined(0) => {
                        minutes += half;
                        self.at += 1;
                    }
                    _ => {}
                }
                break;
            };
            // `2h 3d` is a slip, and `2h 4h` too.
            if value > AMOUNT_MAX || last.is_some_and(|last| last >= this) {
                return Err(Misheard::Contradiction);
            }
            match this {
                Unit::Week => days += 7 * value,
                Unit::Day => days += value,
                Unit::Hour => minutes += 60 * value,
                Unit::Minute => minutes += value,
            }
            last = Some(this);
            self.at += 2;
        }
        match (last, days, minutes) {
            (None, ..) => Err(self.number(0).map_or(Misheard::NoClock, |(value, _)| Misheard::BareNumber(value))),
            (_, 0, 0) => Err(Misheard::EndsFirst),
            _ => Ok(Length { days, minutes }),
        }
    }

    /// The minutes of `1.5` hours.
    fn decimal_minutes(&self, whole: u32) -> Result<u32, Misheard> {
        let (tenths, digits) = self.number(2).unwrap_or_default();
        let scale = u32::try_from(digits).ok().filter(|digits| *digits <= 2).map(|digits| 10_u32.pow(digits));
        let Some(scale) = scale.filter(|_| whole <= AMOUNT_MAX) else {
            return Err(Misheard::Unknown(format!("{whole}.{tenths}")));
        };
        Ok(whole * 60 + tenths * 60 / scale)
    }
}

/// Longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Week,
    Day,
    Hour,
    Minute,
}

fn unit(word: &str) -> Option<Unit> {
    match word {
        "w" | "wk" | "week" | "weeks" => Some(Unit::Week),
        "d" | "day" | "days" => Some(Unit::Day),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(Unit::Hour),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(Unit::Minute),
        _ => None,
    }
}

fn meridiem(word: Option<&str>) -> Option<&'static str> {
    match word {
        Some("am") => Some("am"),
        Some("pm") => Some("pm"),
        _ => None,
    }
}

fn weekday(word: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find(|(names, _)| names.contains(&word)).map(|(_, weekday)| *weekday)
}

fn month(word: &str) -> Option<Month> {
    MONTHS.iter().find(|(names, _)| names.contains(&word)).map(|(_, month)| *month)
}
