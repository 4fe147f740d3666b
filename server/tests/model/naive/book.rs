//! New bookings, and those that repeat.

use std::collections::{BTreeSet, HashSet};

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, ReservationId, SeriesId, UserId};
use domain::reservation::series::{Every, NewSeries, RepeatEnd, SeriesOutcome, Take};
use domain::reservation::{Awaits, NewReservation};
use domain::window::Window;
use domain::wire::page::Viewer;
use time::{Duration, OffsetDateTime, Weekday};

use super::timeline::{Amount, Timeline};
use super::verdict::{Must, Verdict, misnamed};
use super::zone::Zone;
use super::{Booking, Books, Clashes, Wants, is_administrator};
use crate::call::Done;
use crate::park::Park;

/// Microseconds, as the database keeps them.
pub fn micros(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_nanosecond(at.microsecond() * 1000).unwrap()
}

/// What a wish is for, cards that it names shares of among them.
pub fn wants(cards: &[CardUuid], shares: &std::collections::BTreeMap<CardUuid, u32>) -> Wants {
    let amount = |card| shares.get(card).map_or(Amount::Whole, |shares| Amount::Shares(*shares));
    cards.iter().map(|card| (card.clone(), amount(card))).collect()
}

/// All of it for all of the time. What a wish has no shares of is in it still, to be judged.
pub fn all(wants: &Wants, window: Window) -> Timeline {
    let mut cards = Timeline::default();
    for (card, amount) in wants {
        cards.add(card, window, *amount);
    }
    cards
}

/// What is wrong with a time whatever else is booked.
pub fn bad_time(window: &Window, now: OffsetDateTime) -> bool {
    window.start() < now - Duration::minutes(5)
        || window.start() > now + Duration::days(366)
        || window.end() <= now
        || window.length() < Duration::minutes(5)
        || window.end() - window.start().max(now) > Duration::days(31)
}

/// The time that a wish comes to now.
fn time_of(window: &Window, now: OffsetDateTime) -> Option<Window> {
    Window::new(micros(window.start().max(now)), micros(window.end())).ok()
}

/// A wish in one order, whatever its key.
pub fn content(ask: &NewReservation) -> String {
    let cards: BTreeSet<_> = ask.cards.iter().collect();
    let co_users: BTreeSet<_> = ask.co_users.iter().collect();
    let NewReservation { shares, window, purpose, owner, zone, .. } = ask;
    format!("book {cards:?} {shares:?} {window:?} {purpose:?} {owner:?} {zone:?} {co_users:?}")
}

/// The zone in which its times are meant. That of all people is UTC.
fn zone(ask: &NewReservation) -> Zone {
    Zone::named(ask.zone.as_deref().unwrap_or("UTC"))
}

/// Days of a series after the first, which is day 0, by the clocks of its zone.
fn days(ask: &NewSeries) -> Vec<i64> {
    let first = zone(&ask.first).wall(ask.first.window.start()).date();
    let RepeatEnd::Times(times) = ask.repeat.end else { panic!("the model repeats so many times") };
    let step = if ask.repeat.every == Every::Week { 7 } else { 1 };
    let is_wanted = |day: &i64| {
        let weekend = matches!((first + Duration::days(*day)).weekday(), Weekday::Saturday | Weekday::Sunday);
        *day == 0 || ask.repeat.every != Every::Weekday || !weekend
    };
    (0..).map(|n| n * step).filter(is_wanted).take(usize::from(times)).collect()
}

/// A series on its nth day: both ends by the clocks on the wall; `None` where these do not show such a time, or show it
/// twice.
fn on_day(ask: &NewSeries, n: i64) -> Option<Window> {
    let (zone, first, by) = (zone(&ask.first), ask.first.window, Duration::days(n));
    if n == 0 {
        return Some(first);
    }
    let (from, to) = (zone.wall(first.start()), zone.wall(first.end()));
    let start = zone.instant(from + by)?;
    let end = if from < to { zone.instant(to + by)? } else { start + first.length() };
    Window::new(start, end).ok()
}

/// One of a series as the model sees it: when, and what must come of it.
struct Occurrence {
    window: Option<Window>,
    verdict: Verdict,
}

impl Books {
    /// Whose it would be, and what is wrong with that.
    fn owner(&self, viewer: Option<&Viewer>, ask: &NewReservation) -> (Option<UserId>, Option<ErrorCode>) {
        match (ask.owner, viewer) {
            (Some(owner), Some(viewer)) if owner != viewer.id && !is_administrator(viewer) => {
                (None, Some(ErrorCode::NotAllowed))
            }
            (Some(owner), _) => (Some(owner), None),
            (None, viewer) => (viewer.map(|viewer| viewer.id), None),
        }
    }

    /// The booking that a wish comes to.
    fn becomes(
        &self,
        park: &Park,
        owner: UserId,
        by: Option<&Viewer>,
        ask: &NewReservation,
        now: OffsetDateTime,
    ) -> (HashSet<ErrorCode>, Clashes, Option<Booking>) {
        let mut reasons = HashSet::new();
        if ask.cards.is_empty() || bad_time(&ask.window, now) {
            reasons.insert(ErrorCode::BadInput);
        }
        if ask.co_users.iter().chain([&owner]).any(|person| !park.knows(*person)) {
            reasons.insert(ErrorCode::UnknownPerson);
        }
        let wants = wants(&ask.cards, &ask.shares);
        reasons.extend(self.unfit(park, &wants));
        let Some(window) = time_of(&ask.window, now) else { return (reasons, Clashes::new(), None) };
        let mut booking = Booking {
            owner,
            purpose: ask.purpose.trim().to_owned(),
            window,
            zone: zone(ask).name.to_owned(),
            version: 1,
            awaits: None,
            fate: None,
            series: None,
            co_users: ask.co_users.iter().copied().filter(|person| *person != owner).collect(),
            cards: all(&wants, window),
            released: false,
        };
        let (more, clashes) = self.hindrances(park, None, &booking, &BTreeSet::new(), now);
        reasons.extend(more);
        let ruling = self.ruling(park, None, None, &booking, now);
        if !self.apply(park, ruling, by, false, &mut booking, now) {
            reasons.insert(ErrorCode::AgainstRule);
        }
        (reasons, clashes, Some(booking))
    }

    /// No shares at all, or shares of what has none.
    pub fn unfit(&self, park: &Park, wants: &Wants) -> HashSet<ErrorCode> {
        let mut reasons = HashSet::new();
        for (card, amount) in wants {
            if park.card(card).is_none() {
                reasons.insert(ErrorCode::UnknownCard);
            }
            if *amount == Amount::Shares(0) {
                // Whichever is said first.
                reasons.extend([ErrorCode::NoShares, ErrorCode::BadInput, ErrorCode::CardNotBookable]);
                reasons.extend([ErrorCode::Maintenance, ErrorCode::Overlap]);
            }
        }
        reasons
    }

    /// What must come of a wish. Without a viewer it is the portal that books, for somebody who has waited.
    pub fn judge_book(
        &self,
        park: &Park,
        viewer: Option<&Viewer>,
        ask: &NewReservation,
        now: OffsetDateTime,
    ) -> Verdict {
        let owner = match self.owner(viewer, ask) {
            (Some(owner), None) => owner,
            (_, reason) => return Verdict::from(reason.unwrap_or(ErrorCode::UnknownPerson)),
        };
        let asker = viewer.map_or(owner, |viewer| viewer.id);
        if let Some(must) = self.before(asker, ask.idempotency_key, &content(ask)) {
            return must.into();
        }
        let (reasons, clashes, _) = self.becomes(park, owner, viewer, ask, now);
        Verdict { clashes, ..Verdict::from(reasons) }
    }

    /// It was booked; held only until then where its owner has to accept it.
    pub fn book(
        &mut self,
        park: &Park,
        viewer: Option<&Viewer>,
        ask: &NewReservation,
        offered_until: Option<OffsetDateTime>,
        now: OffsetDateTime,
        id: ReservationId,
    ) {
        let owner = self.owner(viewer, ask).0.expect("judged before");
        let mut booking = self.becomes(park, owner, viewer, ask, now).2.expect("judged before");
        if let Some(until) = offered_until {
            booking.awaits = Some((Awaits::Answer, until.min(booking.window.end())));
        }
        self.used(viewer.map_or(owner, |viewer| viewer.id), ask.idempotency_key, content(ask), Done::Booked(id));
        self.bookings.insert(id, booking);
    }

    /// The booking that somebody's wish comes to.
    pub fn would_be(&self, park: &Park, viewer: &Viewer, ask: &NewReservation, now: OffsetDateTime) -> Option<Booking> {
        self.becomes(park, viewer.id, Some(viewer), ask, now).2
    }

    /// Each of a series, judged when those before it are booked.
    fn occurrences(
        &self,
        park: &Park,
        owner: UserId,
        by: &Viewer,
        ask: &NewSeries,
        now: OffsetDateTime,
    ) -> Vec<Occurrence> {
        let mut books = self.clone();
        let mut found = Vec::new();
        for (n, day) in days(ask).into_iter().enumerate() {
            let Some(window) = on_day(ask, day) else {
                found.push(Occurrence { window: None, verdict: Verdict::from(ErrorCode::BadInput) });
                continue;
            };
            let one = NewReservation { window, ..ask.first.clone() };
            let (reasons, clashes, booking) = books.becomes(park, owner, Some(by), &one, now);
            let verdict = Verdict { clashes, ..Verdict::from(reasons) };
            if let (Must::Be, Some(booking)) = (&verdict.must, booking) {
                // A name of its own, of which nobody hears.
                books.bookings.insert(ReservationId(uuid::Uuid::from_u128(u128::MAX - n as u128)), booking);
            }
            found.push(Occurrence { window: Some(window), verdict });
        }
        found
    }

    /// What must come of a series as a whole.
    pub fn judge_series(&self, park: &Park, viewer: &Viewer, ask: &NewSeries, now: OffsetDateTime) -> Verdict {
        let (owner, reason) = self.owner(Some(viewer), &ask.first);
        let Some(owner) = owner else { return Verdict::from(reason.expect("a reason")) };
        if let Some(must) = self.before(viewer.id, ask.first.idempotency_key, &series_content(ask)) {
            return must.into();
        }
        let mut reasons = HashSet::new();
        if ask.first.cards.is_empty() || bad_time(&ask.first.window, now) || days(ask).is_empty() {
            reasons.insert(ErrorCode::BadInput);
        }
        if ask.first.co_users.iter().chain([&owner]).any(|person| !park.knows(*person)) {
            reasons.insert(ErrorCode::UnknownPerson);
        }
        Verdict::from(reasons)
    }

    /// A series was answered: what is wrong with the answer, or else it is noted down.
    pub fn series(
        &mut self,
        park: &Park,
        viewer: &Viewer,
        ask: &NewSeries,
        now: OffsetDateTime,
        outcome: &SeriesOutcome,
    ) -> Result<(), String> {
        let owner = self.owner(Some(viewer), &ask.first).0.expect("judged before");
        let expected = self.occurrences(park, owner, viewer, ask, now);
        let (good, bad): (Vec<&Occurrence>, Vec<&Occurrence>) =
            expected.iter().partition(|occurrence| occurrence.verdict.must == Must::Be);
        if outcome.refused.len() != bad.len() {
            return Err(format!("of a series {} must be refused: {outcome:?}", bad.len()));
        }
        for (refused, expected) in outcome.refused.iter().zip(&bad) {
            let answer: Result<Done, ApiError> = Err(refused.why.clone());
            if refused.window != expected.window {
                return Err(format!("refused is {refused:?}, the model has {:?}", expected.window));
            }
            // Those of this very series have no name that the model knows.
            let own = expected.verdict.clashes.iter().any(|(id, _)| !self.bookings.contains_key(id));
            if let Some(objection) = expected.verdict.objection(&answer)
                && !(own && misnamed(&expected.verdict.clashes, &refused.why).is_some())
            {
                return Err(objection);
            }
        }
        let none = ask.take == Take::AllOrNothing && !bad.is_empty();
        let booked = if none { 0 } else { good.len() };
        if outcome.booked.len() != booked || outcome.series.is_some() != (booked > 0) {
            return Err(format!("of a series {booked} must be booked: {outcome:?}"));
        }
        let Some(series) = outcome.series else { return Ok(()) };
        for (id, occurrence) in outcome.booked.iter().zip(good) {
            let window = occurrence.window.expect("it can be booked");
            self.occurrence(park, owner, viewer, ask, series, window, now, *id);
        }
        let done = Done::Series(outcome.clone());
        self.used(viewer.id, ask.first.idempotency_key, series_content(ask), done);
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "one line of a list")]
    fn occurrence(
        &mut self,
        park: &Park,
        owner: UserId,
        by: &Viewer,
        ask: &NewSeries,
        series: SeriesId,
        window: Window,
        now: OffsetDateTime,
        id: ReservationId,
    ) {
        let one = NewReservation { window, ..ask.first.clone() };
        let mut booking = self.becomes(park, owner, Some(by), &one, now).2.expect("judged before");
        booking.series = Some(series);
        self.bookings.insert(id, booking);
    }
}

fn series_content(ask: &NewSeries) -> String {
    format!("series {} {:?} {:?}", content(&ask.first), ask.repeat, ask.take)
}
