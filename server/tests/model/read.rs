//! What the plain numbers of an operation mean in the state that it meets.

use std::collections::BTreeMap;

use domain::id::{CardUuid, MaintenanceId, ReservationId, UserId};
use domain::reservation::edit::{Edit, EditAsk, Scope, Target as Becomes};
use domain::reservation::series::{Every, NewSeries, Repeat, RepeatEnd, Take};
use domain::reservation::{Awaits, NewReservation};
use domain::upkeep::{Plan, PlanAsk, Targets};
use domain::window::Window;
use domain::wire::page::Viewer;
use server::store::reservations::held::Left;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::call::Call;
use crate::naive::timeline::Amount;
use crate::naive::zone::ZONES;
use crate::naive::{Booking, Books, Wants};
use crate::op::{Act, Cards, Op, Target, Which, Who, Wish};
use crate::park::Park;

/// The state that an operation meets.
pub struct State<'a> {
    pub park: &'a Park,
    pub books: &'a Books,
    pub now: OffsetDateTime,
    /// Requests that were sent before, and by whom.
    pub sent: &'a [(Viewer, Call)],
    /// The next key.
    pub key: Uuid,
}

impl State<'_> {
    /// The request that an operation is, and who sends it; none where there is nothing that it could be about.
    pub fn read(&self, op: &Op) -> Option<(Viewer, Call)> {
        let root = || self.park.people.last().unwrap().clone();
        Some(match op {
            Op::Book(wish) => {
                let (viewer, ask) = self.wish(wish);
                (viewer, Call::Book(ask))
            }
            Op::Offer(wish, minutes) => {
                let (viewer, ask) = self.wish(wish);
                let ask = NewReservation { owner: ask.owner.or(Some(viewer.id)), ..ask };
                (viewer, Call::Offer(ask, self.now + Duration::minutes(*minutes)))
            }
            Op::Series { first, every, times, all, clocks } => {
                let (viewer, mut first) = self.wish(first);
                if let Some((zone, halves)) = clocks {
                    let zone = pick(&ZONES, *zone).unwrap();
                    let start = zone.change + Duration::minutes(30 * halves);
                    first.window = Window::new(start, start + first.window.length()).unwrap();
                    first.zone = Some(zone.name.to_owned());
                }
                let every = [Every::Day, Every::Weekday, Every::Week][usize::try_from(*every).unwrap()];
                let repeat = Repeat { every, end: RepeatEnd::Times(*times) };
                let take = if *all { Take::AllOrNothing } else { Take::FreeOnes };
                (viewer, Call::Series(NewSeries { first, repeat, take, doubled: None }))
            }
            Op::Again { nth, twist } => self.again(*nth, *twist)?,
            Op::Cancel(target) => {
                let (id, viewer, _) = self.target(target);
                (viewer, Call::Cancel(id))
            }
            Op::EndNow(target) => {
                let (id, viewer, _) = self.target(target);
                (viewer, Call::EndNow(id))
            }
            Op::Act(target, Act::Approve) => self.answer(target, Edit::Approve),
            Op::Act(target, Act::Refuse) => self.answer(target, Edit::Refuse { why: "the model says so".to_owned() }),
            Op::Act(target, act) => self.edit(target, |_| match act {
                Act::Cancel => Edit::Cancel,
                Act::EndNow => Edit::EndNow,
                Act::Approve | Act::Refuse => unreachable!("answered above"),
                Act::Accept => Edit::Accept,
                Act::StillUsing => Edit::StillUsing,
            }),
            Op::Transfer(target, to) => {
                let to = self.person(*to);
                self.edit(target, |_| Edit::Transfer { to })
            }
            Op::Set { target, start, end, cards, words } => self.edit(target, |booking| {
                Edit::Set(booking.map_or_else(Becomes::default, |booking| {
                    let mut becomes = Becomes::default();
                    if let (Some(start), Some(end)) = (start, end) {
                        let start = booking.window.start() + Duration::minutes(*start);
                        let end = booking.window.end() + Duration::minutes(*end);
                        becomes.window = Window::new(start, end).ok();
                    }
                    self.cards(cards, booking, &mut becomes);
                    if *words {
                        becomes.purpose = Some("another model".to_owned());
                        becomes.co_users = Some(vec![self.park.people[0].id]);
                    }
                    becomes
                }))
            }),
            Op::GiveBack { which, card, missed } => {
                let (id, booking) = self.booking(*which)?;
                let wants: Vec<CardUuid> = booking.wants().into_keys().collect();
                let why = if *missed { Left::Missed } else { Left::Idle };
                // One of them, or at times all of them.
                let cards =
                    if card.is_multiple_of(4) { wants } else { pick(&wants, *card).cloned().into_iter().collect() };
                (root(), Call::GiveBack(id, cards, why))
            }
            Op::Lapse => (root(), Call::Lapse),
            Op::Plan { of, from_minutes, minutes } => {
                let start = self.now + Duration::minutes(*from_minutes);
                let window =
                    Window::new(start.max(self.now), start.max(self.now) + Duration::minutes(*minutes)).unwrap();
                let card = pick(&self.park.cards, *of).unwrap();
                let targets = match of % 9 {
                    0 => Targets { everywhere: true, ..Targets::default() },
                    1 | 2 => Targets { hosts: vec![card.host], ..Targets::default() },
                    _ => Targets { cards: vec![card.uuid.clone()], ..Targets::default() },
                };
                let plan = Plan { reason: "the model".to_owned(), window, targets };
                (root(), Call::Plan(PlanAsk { id: MaintenanceId(self.key), plan, seen: None }))
            }
            Op::CallOff(nth) => {
                let all: Vec<&MaintenanceId> = self.books.maintenance.keys().collect();
                (root(), Call::Spare(**pick(&all, *nth)?))
            }
            Op::KeepBack(card) => (root(), Call::KeepBack(self.well(*card), true)),
            Op::LetBook(nth) => {
                let mut kept: Vec<&CardUuid> = self.books.kept_back.iter().collect();
                kept.sort();
                (root(), Call::KeepBack((*pick(&kept, *nth)?).clone(), false))
            }
            Op::Share(card, count) => {
                let card = if card.is_multiple_of(3) { self.well(*card) } else { self.park.shared.clone() };
                (root(), Call::Share(card, *count))
            }
            Op::Rule(..) | Op::Pass { .. } => return None,
        })
    }

    fn person(&self, n: usize) -> UserId {
        if n.is_multiple_of(40) { UserId(Uuid::nil()) } else { pick(&self.park.people, n).unwrap().id }
    }

    fn well(&self, n: usize) -> CardUuid {
        let well = self.park.well();
        well[n % well.len()].uuid.clone()
    }

    /// A card by its number: most are well.
    fn card(&self, n: usize) -> CardUuid {
        let unwell: Vec<_> = self.park.cards.iter().filter(|card| card.unwell).collect();
        match n % 64 {
            0 => CardUuid::parse("GPU-nobody-has-this").unwrap(),
            1 => unwell[n / 64 % unwell.len()].uuid.clone(),
            _ => self.well(n),
        }
    }

    fn wish(&self, wish: &Wish) -> (Viewer, NewReservation) {
        let start = self.now + Duration::minutes(wish.from_minutes);
        let window = Window::new(start, start + Duration::minutes(wish.minutes)).unwrap();
        let mut cards: Vec<CardUuid> = wish.cards.iter().map(|n| self.card(*n)).collect();
        let mut shares = BTreeMap::new();
        if let Some(count) = wish.shares {
            // At times of a card that has none.
            let card = if wish.who.is_multiple_of(16) { self.well(wish.who) } else { self.park.shared.clone() };
            cards.push(card.clone());
            shares.insert(card, count);
        }
        let ask = NewReservation {
            shares,
            owner: wish.owner.map(|n| self.person(n)),
            co_users: wish.co_user.map(|n| self.person(n)).into_iter().collect(),
            ..NewReservation::of_cards(cards, window, " model ", self.key)
        };
        // For somebody else administrators book, and few others try.
        let viewer = if wish.owner.is_some() && !wish.who.is_multiple_of(4) {
            self.park.people.last().unwrap()
        } else {
            pick(&self.park.people, wish.who).unwrap()
        };
        (viewer.clone(), ask)
    }

    fn again(&self, nth: usize, twist: bool) -> Option<(Viewer, Call)> {
        let (viewer, mut call) = pick(self.sent, nth)?.clone();
        // Whether a plan that was ended early is the same one again is nobody's question.
        if matches!(call, Call::Plan(_)) {
            return None;
        }
        if twist {
            match &mut call {
                Call::Book(ask) | Call::Offer(ask, _) => ask.purpose.push('!'),
                Call::Series(ask) => ask.first.purpose.push('!'),
                Call::Edit(ask) => ask.version = Some(ask.version.unwrap_or_default() + 1000),
                _ => {}
            }
        }
        Some((viewer, call))
    }

    fn booking(&self, which: Which) -> Option<(ReservationId, &Booking)> {
        let all: Vec<_> = self.books.bookings.iter().collect();
        let open: Vec<_> = all.iter().copied().filter(|(_, booking)| booking.is_open(self.now)).collect();
        let found = match which {
            Which::Open(n) => pick(&open, n),
            Which::Any(n) => pick(&all, n),
        };
        found.map(|(id, booking)| (**id, *booking))
    }

    /// A booking and somebody who does something to it.
    fn target(&self, target: &Target) -> (ReservationId, Viewer, Option<&Booking>) {
        let people = &self.park.people;
        let Some((id, booking)) = self.booking(target.which) else {
            return (ReservationId(Uuid::nil()), people[0].clone(), None);
        };
        let viewer = match target.who {
            Who::Owner => people.iter().find(|person| person.id == booking.owner).unwrap(),
            Who::Administrator => people.last().unwrap(),
            Who::Anybody(n) => pick(people, n).unwrap(),
        };
        (id, viewer.clone(), Some(booking))
    }

    fn edit(&self, target: &Target, edit: impl FnOnce(Option<&Booking>) -> Edit) -> (Viewer, Call) {
        let (reservation, viewer, booking) = self.target(target);
        let scope = if target.following { Scope::Following } else { Scope::One };
        let version = booking.map(|booking| booking.version - i32::from(target.stale));
        let ask = EditAsk { reservation, edit: edit(booking), scope, version, idempotency_key: self.key };
        (viewer, Call::Edit(ask))
    }

    /// Somebody answers a booking that waits for approval, where there is one; most of the time somebody who may.
    fn answer(&self, target: &Target, edit: Edit) -> (Viewer, Call) {
        let (Which::Open(n) | Which::Any(n)) = target.which;
        let awaiting = |booking: &Booking| {
            booking.is_open(self.now) && booking.awaits.is_some_and(|(awaits, _)| awaits == Awaits::Approval)
        };
        let all: Vec<_> = self.books.bookings.iter().filter(|(_, booking)| awaiting(booking)).collect();
        let (viewer, mut call) = self.edit(target, |_| edit);
        let (Some((id, booking)), Call::Edit(ask)) = (pick(&all, n), &mut call) else { return (viewer, call) };
        ask.reservation = **id;
        ask.version = Some(booking.version - i32::from(target.stale));
        let people = &self.park.people;
        let viewer = match target.who {
            Who::Owner if self.park.is_student(booking.owner) && n.is_multiple_of(2) => &people[0],
            Who::Owner | Who::Administrator => people.last().unwrap(),
            Who::Anybody(n) => pick(people, n).unwrap(),
        };
        (viewer.clone(), call)
    }

    fn cards(&self, change: &Cards, booking: &Booking, becomes: &mut Becomes) {
        let mut wants: Wants = booking.wants();
        match change {
            Cards::Same => return,
            Cards::Add(n) => drop(wants.insert(self.card(*n), Amount::Whole)),
            Cards::Remove(n) => {
                let all: Vec<CardUuid> = wants.keys().cloned().collect();
                if let Some(card) = pick(&all, *n) {
                    wants.remove(card);
                }
            }
            Cards::Shares(count) => drop(wants.insert(self.park.shared.clone(), Amount::Shares(*count))),
            Cards::These(cards) => wants = cards.iter().map(|n| (self.card(*n), Amount::Whole)).collect(),
        }
        becomes.cards = Some(wants.keys().cloned().collect());
        becomes.shares = wants
            .into_iter()
            .filter_map(|(card, amount)| match amount {
                Amount::Whole => None,
                Amount::Shares(count) => Some((card, count)),
            })
            .collect();
    }
}

/// One of several, by number.
pub fn pick<T>(among: &[T], n: usize) -> Option<&T> {
    if among.is_empty() { None } else { Some(&among[n % among.len()]) }
}
