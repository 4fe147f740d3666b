//! Times as people say them: `tomorrow 9am 6h`, `fri 14:00-18:00`, `now 4h`, `+2h`, `until 18:00`, `next monday`.
//!
//! Nothing is guessed that could surprise: where words may mean two things, or a time that has passed, it is said so, with
//! what would be clear. What [`crate::text::When`] writes is read back as the same.
//!
//! - here: what words mean on a day, in a zone
//! - [`words`]: reading them

#[cfg(test)]
mod tests;
mod tokens;
mod words;

use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, Weekday};

use super::wall::{self, BadWall, Which};
use crate::window::Window;
use crate::zone::ZoneTable;

/// Longest text that is read, in bytes.
pub const TEXT_MAX: usize = 120;
/// When "tonight" begins and ends.
pub const NIGHT: (Time, Time) = (time::macros::time!(20:00), time::macros::time!(08:00));
/// Before this hour nobody can tell which night "tonight" is.
const SMALL_HOURS: u8 = 5;
/// A date without a year that lies longer ahead than this was last year's, more likely.
const YEAR_AHEAD: Duration = Duration::days(183);

/// What somebody has said. What is not said stays as it stands in the form: see [`Spoken::over`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// Start and end.
    Window(Window),
    /// The start. The length stays.
    Start(OffsetDateTime),
    /// A day. Both times of day stay.
    Day(Date),
    /// A length. The start stays.
    Length(Length),
    /// The end is to come later by this.
    Longer(Length),
    /// The end, on the day of the start or the next where no day is said. The start stays.
    Until {
        /// On this day.
        day: Option<Date>,
        /// At this time of it.
        clock: Time,
        /// Which of two equal times.
        which: Option<Which>,
    },
}

/// A length as it is said: days by the wall clock, the rest by the hour glass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Length {
    /// Days: the same time of day, so many days later.
    pub days: u32,
    /// And minutes.
    pub minutes: u32,
}

/// Why nothing could be made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misheard {
    /// Nothing is said.
    Empty,
    /// Longer than [`TEXT_MAX`].
    TooMuch,
    /// A word that is not known.
    Unknown(String),
    /// `9`: hours, or a time?
    BareNumber(u32),
    /// `4/12`: the fourth of December, or the twelfth of April?
    WhichDate(String),
    /// No such day, such as 30 February.
    NoSuchDate(String),
    /// No such time, such as 25:00.
    NoSuchTime(String),
    /// `next fri` on a Wednesday, `mon` on a Monday: this one, or that in a week?
    WhichDay(Date, Date),
    /// `tonight` after midnight.
    WhichNight,
    /// A part of the day without a time, such as `morning`.
    Vague(String),
    /// A time of day is missing, such as in `tomorrow 6h`.
    NoClock,
    /// The same thing is said twice, or what is said does not go together.
    Contradiction,
    /// The start has passed.
    Passed(OffsetDateTime),
    /// Clocks do not show the start, or show it twice.
    Start(BadWall),
    /// Clocks do not show the end, or show it twice.
    End(BadWall),
    /// The end is not after the start.
    EndsFirst,
}

/// A day as it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    Today,
    Tonight,
    Tomorrow,
    AfterTomorrow,
    /// The next one of that name.
    On(Weekday),
    This(Weekday),
    Next(Weekday),
    /// Without a year, the one that is near.
    Date(Option<i32>, Month, u8),
}

/// One end, as it is said.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Side {
    now: bool,
    /// From now.
    after: Option<Length>,
    day: Option<Day>,
    /// Said beside a date: it must be one.
    weekday: Option<Weekday>,
    clock: Option<Time>,
    which: Option<Which>,
}

/// All that is said.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Said {
    start: Side,
    end: Option<Side>,
    length: Option<Length>,
    longer: Option<Length>,
}

/// Reads what somebody says about a time, in a zone.
///
/// # Errors
/// [`Misheard`] where it means nothing, or may mean two things, or a time that has passed.
pub fn parse(text: &str, zone: &ZoneTable, now: OffsetDateTime) -> Result<Spoken, Misheard> {
    let said = words::read(text)?;
    Hearer { zone, now: wall::minute(now) }.meaning(&said)
}

/// Reads a length on its own: `7 d`, `1h30`, `90 min`.
#[must_use]
pub fn length(text: &str) -> Option<Length> {
    let said = words::read(text).ok()?;
    said.length.filter(|length| said == Said { length: Some(*length), ..Said::default() })
}

impl Length {
    /// In minutes, a day being 24 hours.
    #[must_use]
    pub fn whole_minutes(&self) -> u32 {
        self.days.saturating_mul(24 * 60).saturating_add(self.minutes)
    }

    /// So long after an instant.
    ///
    /// # Errors
    /// [`BadWall`] where so many days later clocks do not show that time, or show it twice.
    pub fn after(&self, at: OffsetDateTime, zone: &ZoneTable) -> Result<OffsetDateTime, BadWall> {
        let at = if self.days == 0 {
            at
        } else {
            let local = zone.local(at);
            let day = local.date().checked_add(Duration::days(self.days.into())).ok_or(BadWall::Unreadable)?;
            wall::resolve(PrimitiveDateTime::new(day, local.time()), None, zone)?
        };
        at.checked_add(Duration::minutes(self.minutes.into())).ok_or(BadWall::Unreadable)
    }
}

impl Spoken {
    /// What becomes of the times that stand in a form.
    ///
    /// # Errors
    /// [`Misheard::Start`] and [`Misheard::End`] where clocks do not show a time that day, or show it twice;
    /// [`Misheard::EndsFirst`].
    pub fn over(&self, standing: &Window, zone: &ZoneTable) -> Result<Window, Misheard> {
        let (start, end) = (standing.start(), standing.end());
        let window = |start, end| Window::new(start, end).map_err(|_| Misheard::EndsFirst);
        match self {
            Self::Window(said) => Ok(*said),
            Self::Start(at) => {
                window(*at, at.checked_add(standing.length()).ok_or(Misheard::End(BadWall::Unreadable))?)
            }
            Self::Day(day) => {
                let (from, to) = (zone.local(start), zone.local(end));
                let last = day.checked_add(to.date() - from.date()).ok_or(Misheard::End(BadWall::Unreadable))?;
                let on = |day, at: OffsetDateTime| wall::resolve(PrimitiveDateTime::new(day, at.time()), None, zone);
                window(on(*day, from).map_err(Misheard::Start)?, on(last, to).map_err(Misheard::End)?)
            }
            Self::Length(length) => window(start, length.after(start, zone).map_err(Misheard::End)?),
            Self::Longer(length) => window(start, length.after(end, zone).map_err(Misheard::End)?),
            Self::Until { day: Some(day), clock, which } => window(start, end_at(*day, *clock, *which, zone)?),
            Self::Until { day: None, clock, which } => window(start, end_after(start, *clock, *which, zone)?),
        }
    }
}

fn end_at(day: Date, clock: Time, which: Option<Which>, zone: &ZoneTable) -> Result<OffsetDateTime, Misheard> {
    wall::resolve(PrimitiveDateTime::new(day, clock), which, zone).map_err(Misheard::End)
}

/// A time of day on the day of the start, where that is after it, or on the next: `22:00-06:00`.
fn end_after(
    start: OffsetDateTime,
    clock: Time,
    which: Option<Which>,
    zone: &ZoneTable,
) -> Result<OffsetDateTime, Misheard> {
    let begins = zone.local(start);
    let same_day = end_at(begins.date(), clock, which, zone);
    match same_day {
        Ok(end) if end > start => return Ok(end),
        // From 9:00 to 9:00 is a day or a slip.
        Ok(_) if clock == begins.time() => return Err(Misheard::EndsFirst),
        // At 23:00, what the small hours of this day were matters to nobody.
        Err(bad) if clock > begins.time() => return Err(bad),
        _ => {}
    }
    end_at(begins.date().next_day().ok_or(Misheard::End(BadWall::Unreadable))?, clock, which, zone)
}

/// Who hears it: somebody in a zone, at a moment.
struct Hearer<'a> {
    zone: &'a ZoneTable,
    now: OffsetDateTime,
}

impl Hearer<'_> {
    fn meaning(&self, said: &Said) -> Result<Spoken, Misheard> {
        if let Some(longer) = said.longer {
            let alone = said.start == Side::default() && said.end.is_none() && said.length.is_none();
            return if alone { Ok(Spoken::Longer(longer)) } else { Err(Misheard::Contradiction) };
        }
        if said.end.is_some() && said.length.is_some() {
            return Err(Misheard::Contradiction);
        }
        if said.start == Side::default() {
            return match (&said.end, said.length) {
                (Some(end), None) => self.until(end),
                (None, Some(length)) => Ok(Spoken::Length(length)),
                _ => Err(Misheard::Empty),
            };
        }
        if said.start.day == Some(Day::Tonight) && said.start.clock.is_none() {
            return self.tonight(said);
        }
        let end_is_said = said.end.is_some() || said.length.is_some();
        let Some(start) = self.start(&said.start)? else {
            let day = self.day(&said.start, None)?;
            return match day < self.today() {
                _ if end_is_said => Err(Misheard::NoClock),
                true => Err(Misheard::Passed(self.zone.day_start(day))),
                false => Ok(Spoken::Day(day)),
            };
        };
        if start < self.now {
            return Err(Misheard::Passed(start));
        }
        self.from(start, said)
    }

    /// What begins then.
    fn from(&self, start: OffsetDateTime, said: &Said) -> Result<Spoken, Misheard> {
        let end = match (&said.end, said.length) {
            (Some(end), _) => self.end(start, end)?,
            (None, Some(length)) => length.after(start, self.zone).map_err(Misheard::End)?,
            (None, None) => return Ok(Spoken::Start(start)),
        };
        Window::new(start, end).map(Spoken::Window).map_err(|_| Misheard::EndsFirst)
    }

    /// The whole night, or what is left of it.
    fn tonight(&self, said: &Said) -> Result<Spoken, Misheard> {
        let today = self.today();
        if self.zone.local(self.now).hour() < SMALL_HOURS {
            return Err(Misheard::WhichNight);
        }
        let evening = wall::resolve(PrimitiveDateTime::new(today, NIGHT.0), None, self.zone);
        let start = evening.map_err(Misheard::Start)?.max(self.now);
        if said.end.is_some() || said.length.is_some() {
            return self.from(start, said);
        }
        let tomorrow = today.next_day().ok_or(Misheard::End(BadWall::Unreadable))?;
        let end = end_at(tomorrow, NIGHT.1, None, self.zone)?;
        Window::new(start, end).map(Spoken::Window).map_err(|_| Misheard::EndsFirst)
    }

    fn until(&self, end: &Side) -> Result<Spoken, Misheard> {
        if end.now || end.after.is_some() {
            return Err(Misheard::EndsFirst);
        }
        let clock = end.clock.ok_or(Misheard::NoClock)?;
        let day = end.day.or(end.weekday.map(Day::On)).map(|_| self.day(end, Some(clock))).transpose()?;
        Ok(Spoken::Until { day, clock, which: end.which })
    }

    fn end(&self, start: OffsetDateTime, end: &Side) -> Result<OffsetDateTime, Misheard> {
        if end.now || end.after.is_some() {
            return Err(Misheard::EndsFirst);
        }
        let clock = end.clock.ok_or(Misheard::NoClock)?;
        if end.day.is_some() || end.weekday.is_some() {
            // The Tuesday after the start, not after now.
            let later = Hearer { zone: self.zone, now: start };
            let hearer = if end.day.is_none() { &later } else { self };
            return end_at(hearer.day(end, Some(clock))?, clock, end.which, self.zone);
        }
        end_after(start, clock, end.which, self.zone)
    }

    /// The start; `None` where no time of day is said.
    fn start(&self, side: &Side) -> Result<Option<OffsetDateTime>, Misheard> {
        let dated = side.day.is_some() || side.weekday.is_some();
        if side.now || side.after.is_some() {
            if dated || side.clock.is_some() || (side.now && side.after.is_some()) {
                return Err(Misheard::Contradiction);
            }
            let at = side.after.unwrap_or_default().after(self.now, self.zone);
            return at.map(Some).map_err(Misheard::Start);
        }
        let Some(clock) = side.clock else { return Ok(None) };
        let day = if dated { self.day(side, Some(clock))? } else { self.today() };
        wall::resolve(PrimitiveDateTime::new(day, clock), side.which, self.zone).map(Some).map_err(Misheard::Start)
    }

    fn today(&self) -> Date {
        self.zone.local(self.now).date()
    }

    fn day(&self, side: &Side, clock: Option<Time>) -> Result<Date, Misheard> {
        let today = self.today();
        let ahead = |days: i64| today.checked_add(Duration::days(days)).ok_or(Misheard::Start(BadWall::Unreadable));
        let away = |weekday: Weekday| {
            i64::from(weekday.number_days_from_monday()) - i64::from(today.weekday().number_days_from_monday())
        };
        let day = match side.day.or(side.weekday.map(Day::On)) {
            None | Some(Day::Today) => today,
            Some(Day::Tomorrow) => ahead(1)?,
            Some(Day::AfterTomorrow) => ahead(2)?,
            Some(Day::Tonight) => match clock {
                _ if self.zone.local(self.now).hour() < SMALL_HOURS => return Err(Misheard::WhichNight),
                Some(clock) if clock.hour() >= 12 => today,
                Some(clock) if clock <= NIGHT.1 => ahead(1)?,
                // 9 in the evening, most likely; but that is not what is said.
                _ => return Err(Misheard::Contradiction),
            },
            Some(Day::On(weekday)) => match (away(weekday), clock) {
                (0, None) => return Err(Misheard::WhichDay(today, ahead(7)?)),
                (days, _) => ahead(days.rem_euclid(7))?,
            },
            Some(Day::This(weekday)) => ahead(away(weekday))?,
            Some(Day::Next(weekday)) => match away(weekday) {
                days if days > 0 => return Err(Misheard::WhichDay(ahead(days)?, ahead(days + 7)?)),
                days => ahead(days + 7)?,
            },
            Some(Day::Date(year, month, day)) => self.date(year, month, day)?,
        };
        match side.weekday {
            Some(weekday) if weekday != day.weekday() => Err(Misheard::Contradiction),
            _ => Ok(day),
        }
    }

    fn date(&self, year: Option<i32>, month: Month, day: u8) -> Result<Date, Misheard> {
        let today = self.today();
        let in_year = |year| {
            let none = || Misheard::NoSuchDate(format!("{day} {month} {year}"));
            Date::from_calendar_date(year, month, day).map_err(|_| none())
        };
        let this = in_year(year.unwrap_or(today.year()));
        match this {
            Ok(date) if year.is_none() && date < today => {
                Ok(in_year(today.year() + 1).ok().filter(|next| *next - today <= YEAR_AHEAD).unwrap_or(date))
            }
            this => this,
        }
    }
}
