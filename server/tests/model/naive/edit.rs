//! What becomes of bookings that exist. Every edit is worked out on a copy: what it comes to, and what is wrong with that.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::error::ErrorCode;
use domain::id::{CardUuid, ReservationId};
use domain::reservation::edit::{Edit, EditAsk, Edited, Scope, Target};
use domain::reservation::{Awaits, Fate};
use domain::window::Window;
use domain::wire::page::Viewer;
use time::{Duration, OffsetDateTime};

use super::book::{all, bad_time, micros, wants};
use super::verdict::{Must, Verdict};
use super::zone::Zone;
use super::{Booking, Books, Clashes, is_administrator};
use crate::call::Done;
use crate::park::Park;

/// What an edit comes to.
#[derive(Default)]
struct Outcome {
    reasons: HashSet<ErrorCode>,
    clashes: Clashes,
    /// As they become, in order of time; without those that stay as they are.
    changed: BTreeMap<ReservationId, Booking>,
    /// What is left of a running booking becomes one of its own.
    split: Option<Booking>,
}

/// An edit in one order, whatever its key.
fn content(ask: &EditAsk) -> String {
    let mut edit = ask.edit.clone();
    if let Edit::Set(target) = &mut edit {
        target.cards.iter_mut().for_each(|cards| {
            cards.sort();
            cards.dedup();
        });
        target.co_users.iter_mut().for_each(|people| {
            people.sort();
            people.dedup();
        });
    }
    format!("edit {:?} {edit:?} {:?} {:?}", ask.reservation, ask.scope, ask.version)
}

impl Books {
    /// What must come of an edit.
    pub fn judge_edit(&self, park: &Park, viewer: &Viewer, ask: &EditAsk, keyed: bool, now: OffsetDateTime) -> Verdict {
        if keyed && let Some(must) = self.before(viewer.id, ask.idempotency_key, &content(ask)) {
            return must.into();
        }
        let outcome = self.edited(park, viewer, ask, now);
        Verdict { clashes: outcome.clashes, ..Verdict::from(outcome.reasons) }
    }

    /// An edit was done: what is wrong with the answer, or else it is noted down.
    pub fn edit(
        &mut self,
        park: &Park,
        viewer: &Viewer,
        ask: &EditAsk,
        keyed: bool,
        now: OffsetDateTime,
        done: &Done,
    ) -> Result<(), String> {
        let outcome = self.edited(park, viewer, ask, now);
        if let Done::Edited(edited) = done {
            self.is_told(&outcome, ask, edited)?;
        }
        if let Some(split) = outcome.split {
            let Done::Edited(Edited { reservations, .. }) = done else { return Err(format!("no new name: {done:?}")) };
            let new = reservations.iter().find(|id| **id != ask.reservation).ok_or("no new name")?;
            self.bookings.insert(*new, split);
        }
        self.bookings.extend(outcome.changed);
        if keyed {
            self.used(viewer.id, ask.idempotency_key, content(ask), done.clone());
        }
        Ok(())
    }

    /// Which bookings would become what.
    pub fn would_become(
        &self,
        park: &Park,
        viewer: &Viewer,
        ask: &EditAsk,
        now: OffsetDateTime,
    ) -> BTreeMap<ReservationId, Booking> {
        self.edited(park, viewer, ask, now).changed
    }

    /// The answer names everything that was changed.
    fn is_told(&self, outcome: &Outcome, ask: &EditAsk, edited: &Edited) -> Result<(), String> {
        let changed: BTreeSet<_> = outcome.changed.keys().collect();
        let told: BTreeSet<_> = edited.reservations.iter().filter(|id| self.bookings.contains_key(id)).collect();
        let new = edited.reservations.len() - told.len();
        if changed != told || new != usize::from(outcome.split.is_some()) {
            return Err(format!("changed are {changed:?}, told was {edited:?}"));
        }
        let head = outcome.changed.get(&ask.reservation).unwrap_or(&self.bookings[&ask.reservation]);
        let version = outcome.split.as_ref().map_or(head.version, |split| split.version);
        if edited.version != version {
            return Err(format!("version {version} was told as {edited:?}"));
        }
        Ok(())
    }

    fn edited(&self, park: &Park, viewer: &Viewer, ask: &EditAsk, now: OffsetDateTime) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(head) = self.bookings.get(&ask.reservation) else {
            outcome.reasons.insert(ErrorCode::NotFound);
            return outcome;
        };
        let theirs = viewer.id == head.owner || is_administrator(viewer);
        let allowed = match ask.edit {
            Edit::Approve | Edit::Refuse { .. } => self.may_approve(park, viewer, head.owner),
            Edit::StillUsing => theirs || head.co_users.contains(&viewer.id),
            _ => theirs,
        };
        if !allowed {
            outcome.reasons.insert(ErrorCode::NotAllowed);
        }
        // What has lapsed is another version from whenever that was written down.
        if ask.version.is_some_and(|version| version != head.version || head.is_overdue(now)) {
            outcome.reasons.insert(ErrorCode::Changed);
        }
        let follows = |booking: &Booking| {
            ask.scope == Scope::Following
                && head.series.is_some()
                && booking.series == head.series
                && booking.owner == head.owner
                && booking.is_open(now)
                && booking.window.start() >= head.window.start()
                && match ask.edit {
                    Edit::Accept => booking.awaits.is_some_and(|(awaits, _)| awaits == Awaits::Answer),
                    Edit::Approve | Edit::Refuse { .. } => {
                        booking.awaits.is_some_and(|(awaits, _)| awaits == Awaits::Approval)
                    }
                    Edit::StillUsing => false,
                    _ => true,
                }
        };
        let ids: BTreeSet<ReservationId> = self
            .bookings
            .iter()
            .filter(|(id, booking)| **id == ask.reservation || follows(booking))
            .map(|(id, _)| *id)
            .collect();
        // In order of time, each judged by the rules when those before it are written.
        let mut ids: Vec<ReservationId> = ids.into_iter().collect();
        ids.sort_by_key(|id| (self.bookings[id].window.start(), *id));
        let moves = matches!(&ask.edit, Edit::Set(target) if target.window.is_some() || target.cards.is_some());
        let mut books = self.clone();
        if moves && ids.len() > 1 {
            books.bookings.retain(|id, _| !ids.contains(id));
        }
        for id in &ids {
            self.edited_one(park, ask, head, *id, &mut outcome, now);
            let before = &self.bookings[id];
            if before.is_open(now) {
                books.rule(park, viewer, ask, *id, before, &mut outcome, now);
            }
            let becomes = outcome.changed.get(id).unwrap_or(before).clone();
            books.bookings.insert(*id, becomes);
            if let (Some(split), Edit::Transfer { .. }) = (&outcome.split, &ask.edit) {
                // A name of its own, of which nobody hears.
                books.bookings.insert(ReservationId(uuid::Uuid::from_u128(u128::MAX)), split.clone());
            }
        }
        // Each may go where another one of them was; but not where it goes.
        for id in ids.iter().filter(|_| moves) {
            let before = &self.bookings[id];
            let after = outcome.changed.get(id).unwrap_or(before);
            let mut others = self.clone();
            others.bookings.extend(outcome.changed.iter().map(|(id, booking)| (*id, booking.clone())));
            let (reasons, clashes) = others.hindrances(park, Some(before), after, &BTreeSet::from([*id]), now);
            outcome.reasons.extend(reasons);
            outcome.clashes.extend(clashes.into_iter().filter(|(other, _)| !ids.contains(other)));
        }
        outcome
    }

    /// What rules say of what one of them becomes.
    #[expect(clippy::too_many_arguments, reason = "a booking, what is done to it, and its surroundings")]
    fn rule(
        &self,
        park: &Park,
        viewer: &Viewer,
        ask: &EditAsk,
        id: ReservationId,
        before: &Booking,
        outcome: &mut Outcome,
        now: OffsetDateTime,
    ) {
        let is_split =
            outcome.split.is_some() && matches!(ask.edit, Edit::Transfer { .. }) && before.window.start() < now;
        let after = if is_split { outcome.split.as_mut() } else { outcome.changed.get_mut(&id) };
        let Some(after) = after else { return };
        let (was, begun) = match &ask.edit {
            Edit::Set(_) => {
                let live = after.cards.pieces().filter(|(_, window, _)| now < window.end());
                let mut grown = live.flat_map(|(card, window, amount)| before.cards.lacks(card, &window, amount));
                if !grown.any(|window| now < window.end()) {
                    return;
                }
                (Some(before), before.has_begun(now))
            }
            Edit::Transfer { .. } => (None, is_split),
            Edit::Approve | Edit::Accept => (None, false),
            _ => return,
        };
        let ruling = self.ruling(park, Some(id), was, after, now);
        let kept = match ask.edit {
            Edit::Approve => !ruling.broken,
            _ => self.apply(park, ruling, Some(viewer), begun, after, now),
        };
        if !kept {
            outcome.reasons.insert(ErrorCode::AgainstRule);
        }
    }

    fn edited_one(
        &self,
        park: &Park,
        ask: &EditAsk,
        head: &Booking,
        id: ReservationId,
        outcome: &mut Outcome,
        now: OffsetDateTime,
    ) {
        let before = &self.bookings[&id];
        let is_head = id == ask.reservation;
        if !before.is_open(now) {
            outcome.reasons.insert(ErrorCode::AlreadyOver);
            return;
        }
        let mut after = Booking { version: before.version + 1, ..before.clone() };
        let waits = |what| before.awaits.is_some_and(|(awaits, _)| awaits == what);
        match &ask.edit {
            Edit::Set(target) => {
                if let Err(reasons) = self.set(park, before, &mut after, target, head, is_head, now) {
                    outcome.reasons.extend(reasons);
                }
            }
            Edit::Cancel if before.is_active(now) => {
                outcome.reasons.insert(ErrorCode::AlreadyBegun);
            }
            Edit::Cancel => after.give_up(Fate::Cancelled),
            Edit::EndNow if before.is_active(now) => after.end(now),
            Edit::EndNow if !is_head => after.give_up(Fate::Cancelled),
            Edit::EndNow => {
                outcome.reasons.insert(ErrorCode::NotBegun);
            }
            Edit::Transfer { to } => {
                if !park.knows(*to) {
                    outcome.reasons.insert(ErrorCode::UnknownPerson);
                }
                if *to == before.owner {
                    outcome.reasons.insert(ErrorCode::BadInput);
                }
                let mut given = Booking { owner: *to, ..after.clone() };
                given.co_users.remove(to);
                if before.window.start() < now
                    && let Ok(rest) = Window::new(now, before.window.end())
                {
                    outcome.split = Some(Booking { version: 1, window: rest, cards: before.cards.rest(now), ..given });
                    after.end(now);
                } else {
                    after = given;
                }
            }
            Edit::Approve if waits(Awaits::Approval) => after.awaits = None,
            Edit::Refuse { .. } if waits(Awaits::Approval) => after.give_up(Fate::Refused),
            Edit::Accept if waits(Awaits::Answer) => after.awaits = None,
            Edit::Approve | Edit::Refuse { .. } | Edit::Accept => {
                outcome.reasons.insert(ErrorCode::NotAwaiting);
            }
            Edit::StillUsing if before.is_active(now) => return,
            Edit::StillUsing => {
                outcome.reasons.insert(ErrorCode::NotBegun);
            }
        }
        // What is as it was has not been changed.
        if after != (Booking { version: after.version, ..before.clone() }) {
            outcome.changed.insert(id, after);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a booking, what it is to become, and its surroundings")]
    fn set(
        &self,
        park: &Park,
        before: &Booking,
        after: &mut Booking,
        target: &Target,
        head: &Booking,
        is_head: bool,
        now: OffsetDateTime,
    ) -> Result<(), HashSet<ErrorCode>> {
        let mut reasons = HashSet::new();
        let has = before.wants();
        let wanted = target.cards.as_ref().map_or_else(|| has.clone(), |cards| wants(cards, &target.shares));
        if wanted.is_empty() {
            reasons.insert(ErrorCode::BadInput);
        }
        reasons.extend(self.unfit(park, &wanted));
        let window = match target.window {
            None => before.window,
            Some(window) if is_head => window,
            Some(window) => match follow(&before.window, &head.window, &window, Zone::named(&before.zone)) {
                Some(window) => window,
                None => return Err(HashSet::from([ErrorCode::BadInput])),
            },
        };
        if let Some(people) = &target.co_users {
            if people.iter().any(|person| !park.knows(*person)) {
                reasons.insert(ErrorCode::UnknownPerson);
            }
            after.co_users = people.iter().copied().filter(|person| *person != before.owner).collect();
        }
        if let Some(purpose) = &target.purpose {
            after.purpose = purpose.trim().to_owned();
        }
        if before.has_begun(now) {
            let end = micros(window.end());
            if (window.start() - before.window.start()).abs() >= Duration::minutes(1) || end <= now {
                reasons.insert(ErrorCode::PastIsFixed);
                return Err(reasons);
            }
            if end - before.window.start() > Duration::days(31) && end > before.window.end() {
                reasons.insert(ErrorCode::BadInput);
            }
            after.window = Window::new(before.window.start(), end).unwrap();
            if wanted != has || after.window != before.window {
                after.cards = before.cards.cut(now);
                let rest = Window::new(now, end).unwrap();
                for (card, amount) in &wanted {
                    after.cards.add(card, rest, *amount);
                }
            }
        } else {
            if bad_time(&window, now) {
                reasons.insert(ErrorCode::BadInput);
            }
            let Ok(window) = Window::new(micros(window.start().max(now)), micros(window.end())) else {
                return Err(reasons);
            };
            after.window = window;
            after.cards = all(&wanted, window);
        }
        after.awaits = after.awaits.map(|(awaits, until)| (awaits, until.min(after.window.end())));
        if reasons.is_empty() { Ok(()) } else { Err(reasons) }
    }

    /// Cards that are given back by a rule: what must come of it.
    pub fn judge_give_back(&self, id: ReservationId, cards: &[CardUuid], now: OffsetDateTime) -> Must {
        let something = self.bookings.get(&id).is_some_and(|booking| {
            booking.is_active(now) && cards.iter().any(|card| booking.wants().contains_key(card))
        });
        if something { Must::Be } else { Must::Repeat(Done::Nothing) }
    }

    /// They were given back.
    pub fn give_back(&mut self, id: ReservationId, cards: &[CardUuid], fate: Fate, now: OffsetDateTime) {
        let booking = self.bookings.get_mut(&id).expect("judged before");
        booking.version += 1;
        for card in cards {
            booking.cards = booking.cards.without(card, now);
        }
        if booking.wants().is_empty() {
            booking.fate = Some(fate);
            booking.window = Window::new(booking.window.start(), now).unwrap_or(booking.window);
        }
    }
}

impl Booking {
    fn give_up(&mut self, fate: Fate) {
        self.fate = Some(fate);
        self.released = true;
    }

    fn end(&mut self, now: OffsetDateTime) {
        // Nothing is as short as nothing.
        let end = now.max(self.window.start() + Duration::MICROSECOND);
        self.window = Window::new(self.window.start(), end).unwrap();
        self.cards = self.cards.cut(end);
    }
}

/// One of a series moves as another one did, by the clocks on the wall.
fn follow(each: &Window, was: &Window, becomes: &Window, zone: Zone) -> Option<Window> {
    let moved = |each, was, becomes| {
        if was == becomes { Some(each) } else { zone.instant(zone.wall(each) + (zone.wall(becomes) - zone.wall(was))) }
    };
    let same = (becomes.start() - was.start()).abs() < Duration::minutes(1);
    let start = if same { was.start() } else { becomes.start() };
    Window::new(moved(each.start(), was.start(), start)?, moved(each.end(), was.end(), becomes.end())?).ok()
}
