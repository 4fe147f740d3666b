//! What bookings are, said as simply as possible: a list, and loops over it. No locks, no constraint, no SQL.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, ReservationId, UserId};
use domain::reservation::{Fate, NewReservation};
use domain::user::Role;
use domain::window::Window;
use domain::wire::page::Viewer;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::call::Done;
use crate::park::Park;

/// A part of a physical card.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    pub gpu: String,
    pub from: i32,
    /// Not included; `None`: the rest of it.
    pub to: Option<i32>,
}

impl Part {
    pub fn meets(&self, other: &Self) -> bool {
        self.gpu == other.gpu && other.to.is_none_or(|to| self.from < to) && self.to.is_none_or(|to| other.from < to)
    }
}

/// A card that a booking holds, or has held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    pub card: CardUuid,
    pub part: Part,
    pub window: Window,
    /// It holds nothing any more.
    pub released: bool,
}

impl Hold {
    /// Both hold the same thing at one time.
    pub fn clashes(&self, other: &Self) -> bool {
        !self.released && !other.released && self.part.meets(&other.part) && self.window.overlaps(&other.window)
    }

    fn order(&self) -> (CardUuid, i32, OffsetDateTime, OffsetDateTime, bool) {
        (self.card.clone(), self.part.from, self.window.start(), self.window.end(), self.released)
    }
}

/// A booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    pub owner: UserId,
    pub purpose: String,
    pub window: Window,
    pub fate: Option<Fate>,
    pub holds: Vec<Hold>,
}

impl Booking {
    /// The same however its cards are listed.
    pub fn sorted(mut self) -> Self {
        self.holds.sort_by_key(Hold::order);
        self
    }

    pub fn is_open(&self, now: OffsetDateTime) -> bool {
        self.fate.is_none() && now < self.window.end()
    }

    pub fn has_begun(&self, now: OffsetDateTime) -> bool {
        self.window.start() <= now
    }
}

/// What a key has been used for.
#[derive(Clone, Debug)]
struct Used {
    ask: NewReservation,
    gave: ReservationId,
}

/// Everything that is booked, or was.
#[derive(Clone, Debug, Default)]
pub struct Books {
    pub bookings: BTreeMap<ReservationId, Booking>,
    keys: BTreeMap<(UserId, Uuid), Used>,
}

/// What must come of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Must {
    /// It must be done.
    Be,
    /// It has been done already, and this is what came of it.
    Repeat(ReservationId),
    /// It must be refused, for one of these reasons.
    Not(HashSet<ErrorCode>),
}

/// What must come of a request, and who is in its way.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub must: Must,
    /// Booking, card, when.
    pub clashes: BTreeSet<(ReservationId, CardUuid, OffsetDateTime, OffsetDateTime)>,
}

impl Verdict {
    fn of(reasons: HashSet<ErrorCode>) -> Self {
        let must = if reasons.is_empty() { Must::Be } else { Must::Not(reasons) };
        Self { must, clashes: BTreeSet::new() }
    }

    /// What is wrong with an answer.
    pub fn objection(&self, answer: &Result<Done, ApiError>) -> Option<String> {
        match (&self.must, answer) {
            (Must::Be | Must::Repeat(_), Ok(_)) => None,
            (Must::Not(reasons), Err(refusal)) if reasons.contains(&refusal.code) => self.named_wrongly(refusal),
            (must, answer) => Some(format!("the model says {must:?}, the answer was {answer:?}")),
        }
    }

    fn named_wrongly(&self, refusal: &ApiError) -> Option<String> {
        if refusal.code != ErrorCode::Overlap {
            return None;
        }
        let named: BTreeSet<_> = refusal
            .clashes
            .iter()
            .map(|clash| (clash.reservation, clash.card.clone(), clash.window.start(), clash.window.end()))
            .collect();
        (named != self.clashes).then(|| format!("named as in the way: {named:?}; the model says {:?}", self.clashes))
    }
}

/// Microseconds, as the database keeps them.
fn micros(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_nanosecond(at.microsecond() * 1000).unwrap()
}

/// What a wish would hold at this instant: `None` where it says nothing that could be held.
pub fn wanted(park: &Park, ask: &NewReservation, now: OffsetDateTime) -> Option<(Window, Vec<Hold>)> {
    let window = Window::new(micros(ask.window.start().max(now)), micros(ask.window.end())).ok()?;
    let cards: BTreeSet<&CardUuid> = ask.cards.iter().collect();
    let mut holds = Vec::new();
    for card in cards {
        let part = park.card(card)?.part.clone();
        holds.push(Hold { card: card.clone(), part, window, released: false });
    }
    Some((window, holds))
}

impl Books {
    /// What must come of a wish.
    pub fn judge(&self, park: &Park, viewer: &Viewer, ask: &NewReservation, now: OffsetDateTime) -> Verdict {
        if let Some(used) = self.keys.get(&(viewer.id, ask.idempotency_key)) {
            let must = if same(&used.ask, ask) {
                Must::Repeat(used.gave)
            } else {
                Must::Not(HashSet::from([ErrorCode::KeyReused]))
            };
            return Verdict { must, clashes: BTreeSet::new() };
        }
        let mut reasons = HashSet::new();
        let length = ask.window.length();
        if ask.cards.is_empty()
            || ask.window.start() < now - Duration::minutes(5)
            || ask.window.start() > now + Duration::days(366)
            || ask.window.end() <= now
            || length < Duration::minutes(5)
            || ask.window.end() - ask.window.start().max(now) > Duration::days(31)
        {
            reasons.insert(ErrorCode::BadInput);
        }
        for card in &ask.cards {
            match park.card(card) {
                None => drop(reasons.insert(ErrorCode::UnknownCard)),
                Some(card) if card.unwell => drop(reasons.insert(ErrorCode::CardNotBookable)),
                Some(_) => {}
            }
        }
        let mut clashes = BTreeSet::new();
        if let Some((_, holds)) = wanted(park, ask, now) {
            clashes = self.in_the_way(&holds, None);
        }
        if !clashes.is_empty() {
            reasons.insert(ErrorCode::Overlap);
        }
        Verdict { clashes, ..Verdict::of(reasons) }
    }

    /// Who holds any of it.
    fn in_the_way(
        &self,
        wanted: &[Hold],
        except: Option<ReservationId>,
    ) -> BTreeSet<(ReservationId, CardUuid, OffsetDateTime, OffsetDateTime)> {
        let mut clashes = BTreeSet::new();
        for (id, booking) in self.bookings.iter().filter(|(id, _)| Some(**id) != except) {
            for held in &booking.holds {
                for hold in wanted.iter().filter(|hold| hold.clashes(held)) {
                    clashes.insert((*id, hold.card.clone(), held.window.start(), held.window.end()));
                }
            }
        }
        clashes
    }

    /// It was booked.
    pub fn book(&mut self, park: &Park, viewer: &Viewer, ask: &NewReservation, now: OffsetDateTime, id: ReservationId) {
        let (window, holds) = wanted(park, ask, now).expect("judged before");
        let purpose = ask.purpose.trim().to_owned();
        let booking = Booking { owner: viewer.id, purpose, window, fate: None, holds };
        self.keys.insert((viewer.id, ask.idempotency_key), Used { ask: ask.clone(), gave: id });
        self.bookings.insert(id, booking);
    }

    /// What must come of calling a booking off.
    pub fn judge_cancel(&self, viewer: &Viewer, id: ReservationId, now: OffsetDateTime) -> Verdict {
        self.judge_act(
            viewer,
            id,
            |booking| (booking.is_open(now) && booking.has_begun(now)).then_some(ErrorCode::AlreadyBegun),
            now,
        )
    }

    /// What must come of ending a booking.
    pub fn judge_end(&self, viewer: &Viewer, id: ReservationId, now: OffsetDateTime) -> Verdict {
        self.judge_act(
            viewer,
            id,
            |booking| (booking.is_open(now) && !booking.has_begun(now)).then_some(ErrorCode::NotBegun),
            now,
        )
    }

    fn judge_act(
        &self,
        viewer: &Viewer,
        id: ReservationId,
        also: impl Fn(&Booking) -> Option<ErrorCode>,
        now: OffsetDateTime,
    ) -> Verdict {
        let mut reasons = HashSet::new();
        match self.bookings.get(&id) {
            None => drop(reasons.insert(ErrorCode::NotFound)),
            Some(booking) => {
                if booking.owner != viewer.id && viewer.role != Role::Administrator {
                    reasons.insert(ErrorCode::NotAllowed);
                }
                if !booking.is_open(now) {
                    reasons.insert(ErrorCode::AlreadyOver);
                }
                reasons.extend(also(booking));
            }
        }
        Verdict::of(reasons)
    }

    /// It was called off.
    pub fn cancel(&mut self, id: ReservationId) {
        let booking = self.bookings.get_mut(&id).expect("judged before");
        booking.fate = Some(Fate::Cancelled);
        for hold in &mut booking.holds {
            hold.released = true;
        }
    }

    /// It was ended.
    pub fn end(&mut self, id: ReservationId, now: OffsetDateTime) {
        let booking = self.bookings.get_mut(&id).expect("judged before");
        // Nothing is as short as nothing.
        let end = now.max(booking.window.start() + Duration::MICROSECOND);
        booking.window = Window::new(booking.window.start(), end).unwrap();
        for hold in &mut booking.holds {
            hold.window = Window::new(hold.window.start(), end).unwrap();
        }
    }
}

/// Two wishes for the same thing, however their cards are listed.
fn same(a: &NewReservation, b: &NewReservation) -> bool {
    let cards = |ask: &NewReservation| ask.cards.iter().cloned().collect::<BTreeSet<_>>();
    cards(a) == cards(b) && a.window == b.window && a.purpose == b.purpose
}
