//! What the whole form asks for: one booking, several that repeat, or what one that exists is to become.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime};

use super::wall::{self, Which};
use super::{Draft, Unreadable};
use crate::id::{CardUuid, ReservationId};
use crate::repeat;
use crate::reservation::NewReservation;
use crate::reservation::edit::{Edit, EditAsk, Scope, Target};
use crate::reservation::series::{Every, NewSeries, Repeat, RepeatEnd, Take};
use crate::window::Window;
use crate::zone::{Wall, ZoneTable};

/// A form, ready to be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// One booking.
    Book(NewReservation),
    /// Several that repeat.
    Series(NewSeries),
    /// An edit of one that exists.
    Change(EditAsk),
}

impl Draft {
    /// What the form asks for. What may be booked is not judged here.
    ///
    /// # Errors
    /// The first [`Unreadable`] that applies.
    pub fn wish(&self, zone: &ZoneTable) -> Result<Wish, Unreadable> {
        let first = self.read(zone)?;
        if self.is_change() {
            let reservation = self.change.parse::<ReservationId>().map_err(|_| Unreadable::Key)?;
            let NewReservation { cards, shares, window, purpose, co_users, idempotency_key, .. } = first;
            let target = Target {
                window: Some(window),
                cards: Some(cards),
                shares,
                purpose: Some(purpose),
                co_users: (self.colleagues == "shown").then_some(co_users),
                doubled: Which::parse(&self.doubled),
            };
            return Ok(Wish::Change(EditAsk {
                reservation,
                edit: Edit::Set(target),
                scope: if self.scope == "following" { Scope::Following } else { Scope::One },
                version: self.version.parse().ok(),
                idempotency_key,
            }));
        }
        Ok(match self.repeat(&first.window, zone)? {
            None => Wish::Book(first),
            Some(repeat) => {
                let take = if self.take == "free" { Take::FreeOnes } else { Take::AllOrNothing };
                Wish::Series(NewSeries { first, repeat, take, doubled: Which::parse(&self.doubled) })
            }
        })
    }

    /// The form changes a booking that exists.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !self.change.is_empty()
    }

    /// How it repeats; `None`: not at all.
    ///
    /// # Errors
    /// [`Unreadable`] about the last day.
    pub fn repeat(&self, first: &Window, zone: &ZoneTable) -> Result<Option<Repeat>, Unreadable> {
        let every = match self.every.as_str() {
            "day" => Every::Day,
            "weekday" => Every::Weekday,
            "week" => Every::Week,
            _ => return Ok(None),
        };
        let until = read_day(&self.until).ok_or(Unreadable::Until)?;
        if until < zone.local(first.start()).date() {
            return Err(Unreadable::UntilFirst);
        }
        let repeat = Repeat { every, end: RepeatEnd::Until(until) };
        if repeat::is_too_long(first, &repeat, zone) { Err(Unreadable::TooMany) } else { Ok(Some(repeat)) }
    }

    /// Shares of those of the ticked cards that are not wanted whole.
    ///
    /// # Errors
    /// [`Unreadable::Shares`] where a number is none.
    pub fn shares(&self) -> Result<BTreeMap<CardUuid, u32>, Unreadable> {
        let mut shares = BTreeMap::new();
        for (card, text) in self.shares.iter().filter(|(_, text)| !text.is_empty()) {
            let card = CardUuid::parse(card).map_err(|_| Unreadable::Card(card.clone()))?;
            if self.has(&card) {
                let count: u32 = text.parse().map_err(|_| Unreadable::Shares)?;
                if count == 0 {
                    return Err(Unreadable::Shares);
                }
                shares.insert(card, count);
            }
        }
        Ok(shares)
    }
}

/// The same time of day and length once more: on the first day on which it does not lie in the past. `None` where clocks
/// make that doubtful for days.
#[must_use]
pub fn again(window: &Window, now: OffsetDateTime, zone: &ZoneTable) -> Option<Window> {
    let clock = zone.local(window.start()).time().replace_second(0).ok()?.replace_nanosecond(0).ok()?;
    let today = zone.local(now).date();
    let days = std::iter::successors(Some(today), |day| day.next_day()).take(4);
    let start = days.filter_map(|day| match zone.resolve(PrimitiveDateTime::new(day, clock)) {
        Wall::Once(at) if at >= now => Some(at),
        _ => None,
    });
    let start = start.into_iter().next()?;
    // Seconds of a booking that began "now" are no part of the plan.
    let length = Duration::minutes((window.length().whole_seconds() + 59) / 60);
    Window::new(start, start + length).ok()
}

/// Reads `YYYY-MM-DD`, as a `date` field holds it.
#[must_use]
pub fn read_day(text: &str) -> Option<Date> {
    wall::parse(&format!("{}T00:00", text.trim())).map(|at| at.date())
}

/// What a `date` field holds for a day.
#[must_use]
pub fn write_day(day: Date) -> String {
    format!("{:04}-{:02}-{:02}", day.year(), u8::from(day.month()), day.day())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    fn draft() -> Draft {
        Draft {
            cards: vec!["GPU-a".to_owned()],
            start: "2026-11-30T14:00".to_owned(),
            end: "2026-11-30T18:00".to_owned(),
            key: uuid::Uuid::nil().to_string(),
            ..Draft::default()
        }
    }

    fn wish(draft: &Draft) -> Result<Wish, Unreadable> {
        draft.wish(&ZoneTable::utc())
    }

    #[test]
    fn without_a_repeat_it_is_one_booking() {
        assert!(matches!(wish(&draft()), Ok(Wish::Book(_))));
    }

    #[test]
    fn a_repeat_has_a_last_day_that_is_not_before_the_first() {
        let series = |until: &str| {
            wish(&Draft { every: "weekday".to_owned(), until: until.to_owned(), take: "free".to_owned(), ..draft() })
        };
        let Ok(Wish::Series(asked)) = series("2026-12-11") else { panic!("a series") };
        assert_eq!(asked.repeat, Repeat { every: Every::Weekday, end: RepeatEnd::Until(date!(2026 - 12 - 11)) });
        assert_eq!(asked.take, Take::FreeOnes);
        assert_eq!(series(""), Err(Unreadable::Until));
        assert_eq!(series("2026-11-29"), Err(Unreadable::UntilFirst));
        assert_eq!(series("2028-11-29"), Err(Unreadable::TooMany));
    }

    #[test]
    fn a_change_says_what_the_booking_is_to_become_and_keeps_seconds_that_no_field_holds() {
        let id = uuid::Uuid::from_u128(7);
        let change = Draft {
            change: id.to_string(),
            version: "3".to_owned(),
            scope: "following".to_owned(),
            was_start: "2026-11-30T14:00:41.5Z".to_owned(),
            was_end: "2026-11-30T17:00:00Z".to_owned(),
            every: "day".to_owned(),
            doubled: "second".to_owned(),
            ..draft()
        };
        let Ok(Wish::Change(ask)) = wish(&change) else { panic!("a change") };
        assert_eq!((ask.reservation, ask.version, ask.scope), (ReservationId(id), Some(3), Scope::Following));
        let Edit::Set(target) = ask.edit else { panic!("a new state") };
        let window = target.window.expect("times");
        assert_eq!(window.start(), datetime!(2026-11-30 14:00:41.5 UTC));
        assert_eq!(window.end(), datetime!(2026-11-30 18:00 UTC));
        assert_eq!(target.co_users, None, "who is not known stays");
        assert_eq!(target.doubled, Some(Which::Second));
        let known = Draft { colleagues: "shown".to_owned(), ..change };
        let Ok(Wish::Change(EditAsk { edit: Edit::Set(target), .. })) = wish(&known) else { panic!("a change") };
        assert_eq!(target.co_users, Some(Vec::new()), "who was shown and is not ticked is taken away");
    }

    #[test]
    fn shares_are_of_ticked_cards_and_numbers() {
        let with = |card: &str, count: &str| Draft {
            shares: BTreeMap::from([(card.to_owned(), count.to_owned())]),
            ..draft()
        };
        let card = CardUuid::parse("GPU-a").expect("valid");
        assert_eq!(with("GPU-a", "2").shares(), Ok(BTreeMap::from([(card, 2)])));
        assert_eq!(with("GPU-a", "").shares(), Ok(BTreeMap::new()));
        assert_eq!(with("GPU-b", "2").shares(), Ok(BTreeMap::new()));
        assert_eq!(with("GPU-a", "0").shares(), Err(Unreadable::Shares));
        assert_eq!(with("GPU-a", "two").shares(), Err(Unreadable::Shares));
    }

    #[test]
    fn once_more_is_the_same_time_of_day_today_or_tomorrow() {
        let zone = ZoneTable::utc();
        let window = |start, end| Window::new(start, end).expect("not empty");
        let old = window(datetime!(2026-11-20 14:00:41 UTC), datetime!(2026-11-20 18:00 UTC));
        let next = |now| again(&old, now, &zone).expect("a day").start();
        assert_eq!(next(datetime!(2026-11-30 12:00 UTC)), datetime!(2026-11-30 14:00 UTC));
        assert_eq!(next(datetime!(2026-11-30 15:00 UTC)), datetime!(2026-12-01 14:00 UTC));
        assert_eq!(again(&old, datetime!(2026-11-30 12:00 UTC), &zone).expect("a day").length().whole_minutes(), 240);
    }

    #[test]
    fn days() {
        assert_eq!(read_day("2026-12-11"), Some(date!(2026 - 12 - 11)));
        assert_eq!(read_day("11.12.2026"), None);
        assert_eq!(write_day(date!(2026 - 02 - 03)), "2026-02-03");
    }
}
