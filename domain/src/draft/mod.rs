//! A booking as somebody types it: text of form fields, in the person's zone.
//!
//! The form in the browser and the form without scripts read it the same way.
//!
//! - [`wall`]: times as `datetime-local` fields hold them
//! - [`spoken`]: times as people say them
//! - [`offer`]: who is in the way, and what would work instead
//! - [`wish`]: the whole form: one booking, several that repeat, or what one that exists is to become

pub mod offer;
pub mod spoken;
pub mod wall;
pub mod wish;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use crate::error::Field;
use crate::id::{CardUuid, UserId};
use crate::reservation::{NewReservation, Unbookable};
use crate::window::Window;
use crate::zone::ZoneTable;
use spoken::Misheard;
use wall::{BadWall, Which};

/// What stands in the fields of the form.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Draft {
    /// Ticked cards. What cannot be a card is kept: the server says so.
    #[serde(default)]
    pub cards: Vec<String>,
    /// Start, as a `datetime-local` field holds it.
    pub start: String,
    /// Which of two equal times the start means.
    #[serde(default)]
    pub start_which: Option<Which>,
    /// End, likewise.
    pub end: String,
    /// Which of two equal times the end means.
    #[serde(default)]
    pub end_which: Option<Which>,
    /// Times as people say them, not yet put into the two fields: see [`spoken`].
    #[serde(default)]
    pub spoken: String,
    /// Purpose.
    pub purpose: String,
    /// Idempotency key, made when the form was first filled.
    pub key: String,
    /// How many shares of a card; a card that is not in it, or has an empty text, is wanted whole.
    #[serde(default)]
    pub shares: BTreeMap<String, String>,
    /// For whom, by id; empty: for oneself.
    #[serde(default)]
    pub owner: String,
    /// Who may launch on it as well, by id.
    #[serde(default)]
    pub co_users: Vec<String>,
    /// `shown`: `co_users` began with those of the booking that is changed. Else they are not known, and stay as they are.
    #[serde(default)]
    pub colleagues: String,
    /// How often it repeats: `day`, `weekday` or `week`; empty: never.
    #[serde(default)]
    pub every: String,
    /// Last day of the repeats, as a `date` field holds it.
    #[serde(default)]
    pub until: String,
    /// `free`: of the repeats those that can be booked; else all or none.
    #[serde(default)]
    pub take: String,
    /// Which of two equal times is meant on other days than the first: `first` or `second`; empty: not said.
    #[serde(default)]
    pub doubled: String,
    /// The booking that this form changes, by id; empty: it makes a new one.
    #[serde(default)]
    pub change: String,
    /// The version of that booking.
    #[serde(default)]
    pub version: String,
    /// `following`: it and all that follow are changed.
    #[serde(default)]
    pub scope: String,
    /// Start of that booking in full, RFC 3339: a field holds no seconds.
    #[serde(default)]
    pub was_start: String,
    /// Its end, likewise.
    #[serde(default)]
    pub was_end: String,
}

/// Why the fields do not make a booking that could be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// A ticked value is not a card.
    Card(String),
    /// The start cannot be read as one instant.
    Start(BadWall),
    /// The end cannot be read as one instant.
    End(BadWall),
    /// The end is not after the start; with the end a day later, which is often what was meant.
    EndsFirst {
        /// The same time of day on the day after the start, where it comes once and lies after the start.
        meant: Option<OffsetDateTime>,
    },
    /// The last day of the repeats is no day.
    Until,
    /// It lies before the first.
    UntilFirst,
    /// There would be too many repeats.
    TooMany,
    /// A number of shares is no number.
    Shares,
    /// The key, or another hidden field, is not a UUID: the form was not made by us.
    Key,
}

impl Unreadable {
    /// The field that it is about.
    #[must_use]
    pub fn field(&self) -> Option<Field> {
        match self {
            Self::Card(_) => Some(Field::Cards),
            Self::Start(_) => Some(Field::Start),
            Self::End(_) | Self::EndsFirst { .. } => Some(Field::End),
            Self::Until | Self::UntilFirst | Self::TooMany => Some(Field::Repeat),
            Self::Shares => Some(Field::Cards),
            Self::Key => None,
        }
    }
}

/// Why a form cannot be booked as it stands, whatever else is booked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A field cannot be read.
    Unreadable(Unreadable),
    /// A rule forbids it; the span that was asked for.
    Unbookable(Unbookable, Window),
}

impl Problem {
    /// The field that it is about.
    #[must_use]
    pub fn field(&self, now: OffsetDateTime) -> Option<Field> {
        match self {
            Self::Unreadable(why) => why.field(),
            Self::Unbookable(why, window) => Some(match why {
                Unbookable::NoCards | Unbookable::TooManyCards => Field::Cards,
                Unbookable::InThePast if window.end() <= now => Field::End,
                Unbookable::InThePast | Unbookable::TooFarAhead => Field::Start,
                Unbookable::TooShort | Unbookable::TooLong => Field::End,
                Unbookable::BadPurpose => Field::Purpose,
            }),
        }
    }
}

impl Draft {
    /// Judges the form as it stands. While it is being filled (`done` is false), that no card is ticked yet is no
    /// problem.
    #[must_use]
    pub fn problem(&self, zone: &ZoneTable, now: OffsetDateTime, done: bool) -> Option<Problem> {
        let mut ask = match self.read(zone) {
            Ok(ask) => ask,
            Err(why) => return Some(Problem::Unreadable(why)),
        };
        let window = ask.window;
        if let Err(why) = self.repeat(&window, zone) {
            return Some(Problem::Unreadable(why));
        }
        // What has begun stays as it began.
        if self.is_change() && window.start() < now && now < window.end() {
            ask.window = Window::new(now, window.end()).unwrap_or(window);
        }
        match ask.check(now).err()? {
            // Of a running booking a minute may be left.
            Unbookable::TooShort if self.is_change() => None,
            Unbookable::NoCards if !done => {
                // The other rules are judged as they would be with a card.
                let any = CardUuid::parse("GPU-0").ok()?;
                let why = NewReservation { cards: vec![any], ..ask }.check(now).err()?;
                Some(Problem::Unbookable(why, window))
            }
            why => Some(Problem::Unbookable(why, window)),
        }
    }

    /// The span that the two times name.
    ///
    /// # Errors
    /// [`Unreadable`] about the first of the two that does not fit.
    pub fn window(&self, zone: &ZoneTable) -> Result<Window, Unreadable> {
        let start = wall::read(&self.start, self.start_which, zone).map_err(Unreadable::Start)?;
        let end = wall::read(&self.end, self.end_which, zone).map_err(Unreadable::End)?;
        let (start, end) = (in_full(start, &self.was_start), in_full(end, &self.was_end));
        Window::new(start, end).map_err(|_| Unreadable::EndsFirst { meant: wall::next_day(start, end, zone) })
    }

    /// The wish, ready to be asked for. What may be booked is not judged here.
    ///
    /// # Errors
    /// The first [`Unreadable`] that applies.
    pub fn read(&self, zone: &ZoneTable) -> Result<NewReservation, Unreadable> {
        let card = |text: &String| CardUuid::parse(text).map_err(|_| Unreadable::Card(text.clone()));
        let cards = self.cards.iter().map(card).collect::<Result<_, _>>()?;
        let window = self.window(zone)?;
        let key = self.key.parse().map_err(|_| Unreadable::Key)?;
        let person = |id: &String| id.parse::<UserId>().map_err(|_| Unreadable::Key);
        Ok(NewReservation {
            shares: self.shares()?,
            zone: Some(zone.name().to_owned()),
            owner: (!self.owner.is_empty()).then(|| person(&self.owner)).transpose()?,
            co_users: self.co_users.iter().map(person).collect::<Result<_, _>>()?,
            ..NewReservation::of_cards(cards, window, &self.purpose, key)
        })
    }

    /// Puts what is said in words into the two time fields, where something is.
    ///
    /// # Errors
    /// [`Misheard`], and the fields stay.
    pub fn hear(&mut self, zone: &ZoneTable, now: OffsetDateTime) -> Result<(), Misheard> {
        if self.spoken.trim().is_empty() {
            self.spoken.clear();
            return Ok(());
        }
        let said = spoken::parse(&self.spoken, zone, now)?;
        // Where the fields make no sense yet, an hour from now is what words change.
        let hour = || Window::new(wall::minute(now), wall::minute(now) + Duration::hours(1)).ok();
        let standing = self.window(zone).ok().or_else(hour).ok_or(Misheard::Empty)?;
        let window = said.over(&standing, zone)?;
        self.set_window(&window, zone);
        self.spoken.clear();
        Ok(())
    }

    /// Puts a span into the two time fields.
    pub fn set_window(&mut self, window: &Window, zone: &ZoneTable) {
        self.set_start(window.start(), zone);
        self.set_end(window.end(), zone);
    }

    /// Puts an instant into the start field.
    pub fn set_start(&mut self, at: OffsetDateTime, zone: &ZoneTable) {
        (self.start, self.start_which) = wall::write(at, zone);
    }

    /// Puts an instant into the end field.
    pub fn set_end(&mut self, at: OffsetDateTime, zone: &ZoneTable) {
        (self.end, self.end_which) = wall::write(at, zone);
    }

    /// Ticks a card, or takes the tick away.
    pub fn tick(&mut self, card: &CardUuid, on: bool) {
        self.cards.retain(|ticked| ticked != card.as_str());
        if on {
            self.cards.push(card.as_str().to_owned());
        }
    }

    /// Whether a card is ticked.
    #[must_use]
    pub fn has(&self, card: &CardUuid) -> bool {
        self.cards.iter().any(|ticked| ticked == card.as_str())
    }
}

/// An instant with the seconds of the one that the field was filled from, where it is still that.
fn in_full(at: OffsetDateTime, was: &str) -> OffsetDateTime {
    match OffsetDateTime::parse(was, &Rfc3339) {
        Ok(was) if wall::minute(was) == at => was,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    fn draft(start: &str, end: &str) -> Draft {
        Draft {
            cards: vec!["GPU-a".to_owned()],
            start: start.to_owned(),
            end: end.to_owned(),
            key: uuid::Uuid::nil().to_string(),
            ..Draft::default()
        }
    }

    #[test]
    fn fields_become_a_wish() {
        let ask = draft("2026-11-30T14:00", "2026-11-30T18:00").read(&ZoneTable::utc()).expect("readable");
        assert_eq!(ask.window.start(), datetime!(2026-11-30 14:00 UTC));
        assert_eq!(ask.window.end(), datetime!(2026-11-30 18:00 UTC));
        assert_eq!(ask.cards, [CardUuid::parse("GPU-a").expect("valid")]);
    }

    #[test]
    fn each_field_has_its_own_problem() {
        let zone = ZoneTable::utc();
        let problem = |draft: Draft| draft.read(&zone).expect_err("not readable");
        let good = || draft("2026-11-30T14:00", "2026-11-30T18:00");
        assert_eq!(problem(draft("", "2026-11-30T18:00")), Unreadable::Start(BadWall::Empty));
        assert_eq!(problem(draft("2026-11-30T14:00", "soon")), Unreadable::End(BadWall::Unreadable));
        assert_eq!(problem(Draft { key: "x".to_owned(), ..good() }), Unreadable::Key);
        let odd = problem(Draft { cards: vec!["GPU-a;rm".to_owned()], ..good() });
        assert_eq!((odd.field(), odd), (Some(Field::Cards), Unreadable::Card("GPU-a;rm".to_owned())));
    }

    #[test]
    fn an_end_before_the_start_may_mean_the_next_day() {
        let meant = |start, end| match draft(start, end).window(&ZoneTable::utc()) {
            Err(Unreadable::EndsFirst { meant }) => meant,
            other => panic!("{other:?}"),
        };
        assert_eq!(meant("2026-11-30T14:00", "2026-11-30T09:00"), Some(datetime!(2026-12-01 09:00 UTC)));
        assert_eq!(meant("2026-11-30T14:00", "2026-11-30T14:00"), Some(datetime!(2026-12-01 14:00 UTC)));
        assert_eq!(meant("2026-12-31T14:00", "2026-11-30T15:00"), Some(datetime!(2026-12-31 15:00 UTC)));
    }

    #[test]
    fn a_form_without_cards_is_judged_by_its_times_until_it_is_done() {
        let (zone, now) = (ZoneTable::utc(), datetime!(2026-11-30 12:00 UTC));
        let judge = |start, end, done| {
            let draft = Draft { cards: Vec::new(), ..draft(start, end) };
            let problem = draft.problem(&zone, now, done)?;
            Some((problem.field(now).expect("a field"), problem))
        };
        let field = |start, end, done| judge(start, end, done).map(|(field, _)| field);
        assert_eq!(field("2026-11-30T14:00", "2026-11-30T18:00", false), None);
        assert_eq!(field("2026-11-30T14:00", "2026-11-30T18:00", true), Some(Field::Cards));
        assert_eq!(field("2026-11-30T10:00", "2026-11-30T18:00", false), Some(Field::Start));
        assert_eq!(field("2026-11-30T10:00", "2026-11-30T11:00", false), Some(Field::End));
        assert_eq!(field("2026-11-30T14:00", "2026-11-30T14:01", false), Some(Field::End));
        assert_eq!(field("2026-11-30T14:00", "2026-11-30T13:00", true), Some(Field::End));
    }

    #[test]
    fn ticks() {
        let mut draft = Draft::default();
        let card = CardUuid::parse("GPU-a").expect("valid");
        draft.tick(&card, true);
        draft.tick(&card, true);
        assert!(draft.has(&card) && draft.cards.len() == 1);
        draft.tick(&card, false);
        assert!(draft.cards.is_empty());
    }

    #[test]
    fn words_go_into_the_fields_and_what_is_not_understood_stays() {
        let (zone, now) = (ZoneTable::utc(), datetime!(2026-11-30 12:00 UTC));
        let mut said = Draft { spoken: "tomorrow 9am 6h".to_owned(), ..draft("2026-11-30T14:00", "2026-11-30T18:00") };
        assert_eq!(said.hear(&zone, now), Ok(()));
        assert_eq!((said.start.as_str(), said.end.as_str()), ("2026-12-01T09:00", "2026-12-01T15:00"));
        said.spoken = "+2h".to_owned();
        assert_eq!(said.hear(&zone, now), Ok(()));
        assert_eq!((said.end.as_str(), said.spoken.as_str()), ("2026-12-01T17:00", ""));
        said.spoken = "whenever".to_owned();
        assert!(said.hear(&zone, now).is_err());
        assert_eq!((said.end.as_str(), said.spoken.as_str()), ("2026-12-01T17:00", "whenever"));
    }

    #[test]
    fn a_span_survives_the_fields() {
        let window = Window::new(datetime!(2026-11-30 14:05 UTC), datetime!(2026-12-01 9:00 UTC)).expect("not empty");
        let mut draft = Draft::default();
        draft.set_window(&window, &ZoneTable::utc());
        assert_eq!(draft.window(&ZoneTable::utc()), Ok(window));
    }
}
