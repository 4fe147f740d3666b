//! Making a booking.

use std::collections::BTreeSet;

use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{CardUuid, ReservationId, UserId};
use domain::notice::What;
use domain::reservation::{Awaits, Bookable, NewReservation, Unbookable};
use domain::text::en;
use domain::user::Act;
use domain::window::Window;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::checks;
use super::run::{By, Done, Failed, InTheWay, Outcome, Request};
use super::shape::{Shape, Wants};
use super::{Reservations, refusal, told};
use crate::clock::to_micros;
use crate::service::rules::ask::approval_within;
use crate::store::reservations::cards::taken;
use crate::store::reservations::clash::Wanted;
use crate::store::reservations::held::{Held, Hold};
use crate::store::reservations::people::{LockedPerson, known};
use crate::store::reservations::save::{Change, Work, save};
use crate::store::reservations::say::say;
use crate::store::reservations::{LockedCard, lock_cards_for};
use crate::store::{constraint, notices};
use crate::zone;

/// Most people who may launch on a booking beside its owner.
const CO_USERS_MAX: usize = 32;

impl Reservations {
    pub(super) async fn book_in(
        &self,
        conn: &mut PgConnection,
        by: By<'_>,
        ask: &NewReservation,
        offered_until: Option<OffsetDateTime>,
    ) -> Result<Done, Failed> {
        let owner = owner(by, ask)?;
        let people = self.lock_people(conn, by, &[owner]).await?;
        // Before the rules: the repeat of a request that has succeeded must not be told that its start is past by now.
        let request = Request::new(by.id().unwrap_or(owner), ask.idempotency_key, "book", &canonical(ask))?;
        let checked = self.check(ask);
        let asked = checked.as_ref().map(|bookable| bookable.cards.as_slice()).unwrap_or_default();
        let (cards, used) = lock_cards_for(conn, asked, Some(request.key())).await?;
        if let Some(outcome) = request.outcome_of(used)? {
            return Ok(Done::Same(outcome));
        }
        let owner = person(&people, owner)?;
        let zone = zone_of(by, ask, &people, owner)?;
        let bookable = checked?;
        let co_users = co_users(conn, &ask.co_users, owner.id).await?;
        let mut booking = Held {
            id: ReservationId(Uuid::now_v7()),
            owner: owner.id,
            booked_by: by.id().filter(|id| *id != owner.id),
            purpose: bookable.purpose,
            window: bookable.window,
            zone,
            version: 1,
            awaits: None,
            approved_by: None,
            fate: None,
            ended_at: None,
            series: None,
            co_users,
            holds: Vec::new(),
        };
        let outcome = Outcome::Booked(vec![booking.id]);
        // Waiting for the locks took time; a booking never begins in the past.
        let now = self.clock.now();
        booking.window = begin_at(&booking.window, now)?;
        let wants = wants(&bookable.cards, ask);
        self.settle(conn, by, None, &mut booking, wants, &cards, now).await?;
        if let Some(until) = offered_until {
            booking.awaits = Some((Awaits::Answer, until.min(booking.window.end())));
        }
        let notices = told::of(conn, by.viewer(), None, &booking, What::Booked, &owner.name).await?;
        let work = Work {
            changes: vec![Change { before: None, after: booking, action: "reservation.create" }],
            key: Some(request.answer(&outcome)?),
            ..self.work(by)
        };
        self.write(conn, &work, now).await?;
        notices::write(conn, &notices, now).await?;
        Ok(Done::Changed(outcome))
    }

    /// Everything that needs no knowledge of other bookings.
    pub(super) fn check(&self, ask: &NewReservation) -> Result<Bookable, ApiError> {
        let now = self.clock.now();
        let bookable = ask.check(now).map_err(|why| refusal::wish(&why, &ask.window, now))?;
        let window = Window::new(to_micros(bookable.window.start()), to_micros(bookable.window.end()))
            .map_err(|_| refusal::wish(&Unbookable::TooShort, &ask.window, now))?;
        Ok(Bookable { window, ..bookable })
    }

    /// Finds what a booking is to hold, and asks everything that has a say in it. `booking` has its window already; its
    /// holds, and what it waits for, are set here.
    #[expect(clippy::too_many_arguments, reason = "the booking, its past, its wish and its surroundings")]
    pub(super) async fn settle(
        &self,
        conn: &mut PgConnection,
        by: By<'_>,
        before: Option<&Held>,
        booking: &mut Held,
        wants: Wants,
        cards: &[LockedCard],
        now: OffsetDateTime,
    ) -> Result<(), Failed> {
        checks::known(wants.keys(), cards)?;
        let begun = before.is_some_and(|before| before.window.start() <= now).then_some(now);
        let shape = Shape { window: booking.window, wants, begun };
        let growth = shape.growth(before, cards);
        let zone = (self.zone_table)(&booking.zone, now);
        checks::cards(&growth, cards, now)?;
        // What only gives back needs nobody's leave.
        let only_gives = growth.parts.is_empty() && before.is_some_and(|before| before.owner == booking.owner);
        let say = match hull(growth.parts.iter().map(|(_, window)| *window)).or((!only_gives).then_some(booking.window))
        {
            Some(within) => Some(say(conn, booking.owner, &within).await?),
            None => None,
        };
        if say.as_ref().is_some_and(|say| say.maintenance) {
            checks::maintenance(conn, &growth, &zone, now).await?;
        }
        let except: Vec<ReservationId> = before.iter().map(|before| before.id).collect();
        let shared: Vec<&str> = cards
            .iter()
            .filter(|c| shape.wants.get(&c.uuid).is_some_and(Option::is_some))
            .map(|c| c.gpu.as_str())
            .collect();
        let others = if shared.is_empty() {
            Vec::new()
        } else {
            let window = Window::new(shape.from(), shape.window.end()).unwrap_or(shape.window);
            taken(conn, &shared, &window, &except).await?
        };
        booking.holds = shape.holds(before, cards, &others).map_err(|no_room| {
            Failed::Held(Box::new(InTheWay {
                wanted: wanted(&shape, false),
                asked: shape.window,
                except: except.clone(),
                zone: booking.zone.clone(),
                refusal: Some(refusal::no_shares(&no_room, cards)),
            }))
        })?;
        let Some(say) = say.filter(|_| !only_gives) else { return Ok(()) };
        let was = before.filter(|before| before.owner == booking.owner);
        if checks::rules(conn, &say.rules, by, booking, was, &zone, now).await? {
            self.needs_approval(conn, by, begun.is_some(), booking, now).await?;
        }
        Ok(())
    }

    /// A rule asks for approval of what a booking has become.
    pub(super) async fn needs_approval(
        &self,
        conn: &mut PgConnection,
        by: By<'_>,
        begun: bool,
        booking: &mut Held,
        now: OffsetDateTime,
    ) -> Result<(), Failed> {
        if by.id().is_some() && checks::may_approve(conn, by, booking.owner).await? {
            booking.awaits = None;
            booking.approved_by = by.id();
        } else if begun && booking.awaits.is_none() {
            // It would stop in the middle of its time.
            return Err(refusal::said(ErrorCode::AgainstRule, en().reservation.approval_while_running).into());
        } else if booking.awaits.is_none() {
            let until = (now + approval_within(conn).await?).min(booking.window.end());
            booking.awaits = Some((Awaits::Approval, until));
            booking.approved_by = None;
        }
        Ok(())
    }

    pub(super) fn work(&self, by: By<'_>) -> Work {
        Work { actor: by.id(), address: self.address, ..Work::default() }
    }

    /// Writes it; where a card is held, what is wanted is named.
    pub(super) async fn write(&self, conn: &mut PgConnection, work: &Work, now: OffsetDateTime) -> Result<(), Failed> {
        let Err(error) = save(conn, work, now).await else { return Ok(()) };
        if error.constraint() != Some(constraint::RESERVATION_CARD_NO_OVERLAP) {
            return Err(Failed::Store(error));
        }
        let lasting = |held: &Held| held.fate.is_none();
        let after: Vec<&Held> = work.changes.iter().map(|change| &change.after).filter(|held| lasting(held)).collect();
        let Some(asked) = hull(after.iter().map(|held| held.window)) else { return Err(Failed::Store(error)) };
        Err(Failed::Held(Box::new(InTheWay {
            wanted: after.iter().flat_map(|held| wanted_by(held, now)).collect(),
            asked,
            except: after.iter().map(|held| held.id).collect(),
            zone: after.first().map(|held| held.zone.clone()).unwrap_or_default(),
            refusal: None,
        })))
    }
}

/// What is wanted of every card that a booking is to have.
pub(super) fn wanted(shape: &Shape, shared: bool) -> Vec<Wanted> {
    let window = Window::new(shape.from(), shape.window.end()).unwrap_or(shape.window);
    let want = |(card, want): (&CardUuid, &Option<u32>)| Wanted {
        card: card.clone(),
        window,
        shared: shared && want.is_some(),
    };
    shape.wants.iter().map(want).collect()
}

fn wanted_by(held: &Held, now: OffsetDateTime) -> Vec<Wanted> {
    let live = held.holds.iter().filter(|hold| hold.left.is_none() && !hold.released && hold.window.end() > now);
    // Who has other shares of a card is in nobody's way; an instance is a part of a card that is wanted as a whole.
    let shared = |hold: &Hold| hold.slices.until.is_some() && !hold.card.is_mig();
    live.map(|hold| Wanted { card: hold.card.clone(), window: hold.window, shared: shared(hold) }).collect()
}

pub(super) fn hull(windows: impl Iterator<Item = Window>) -> Option<Window> {
    windows.reduce(|a, b| Window::new(a.start().min(b.start()), a.end().max(b.end())).unwrap_or(a))
}

pub(super) fn wants(cards: &[CardUuid], ask: &NewReservation) -> Wants {
    cards.iter().map(|card| (card.clone(), ask.shares.get(card).copied())).collect()
}

/// For whom; for somebody else only administrators, and the portal.
pub(super) fn owner(by: By<'_>, ask: &NewReservation) -> Result<UserId, Failed> {
    match (ask.owner, by.id()) {
        (Some(owner), Some(id)) if owner != id && !by.may(Act::ChangeAnyBooking) => {
            Err(refusal::said(ErrorCode::NotAllowed, en().reservation.only_for_oneself).into())
        }
        (Some(owner), _) => Ok(owner),
        (None, Some(id)) => Ok(id),
        (None, None) => Err(unknown_person().into()),
    }
}

pub(super) fn person(people: &[LockedPerson], id: UserId) -> Result<&LockedPerson, ApiError> {
    people.iter().find(|person| person.id == id && !person.disabled).ok_or_else(unknown_person)
}

pub(super) fn unknown_person() -> ApiError {
    refusal::said(ErrorCode::UnknownPerson, en().reservation.unknown_person)
}

/// The zone in which the times are meant: the one that was named, or that of whoever books.
pub(super) fn zone_of(
    by: By<'_>,
    ask: &NewReservation,
    people: &[LockedPerson],
    owner: &LockedPerson,
) -> Result<String, ApiError> {
    match &ask.zone {
        Some(name) => zone::canonical(name)
            .ok_or_else(|| ApiError::new(ErrorCode::BadInput, en().reservation.unknown_zone).on(Field::Zone)),
        None => Ok(people.iter().find(|person| Some(person.id) == by.id()).unwrap_or(owner).zone.clone()),
    }
}

/// Those who may launch on it beside its owner.
pub(super) async fn co_users(
    conn: &mut PgConnection,
    asked: &[UserId],
    owner: UserId,
) -> Result<BTreeSet<UserId>, Failed> {
    let asked: BTreeSet<UserId> = asked.iter().copied().filter(|person| *person != owner).collect();
    if asked.is_empty() {
        return Ok(asked);
    }
    if asked.len() > CO_USERS_MAX {
        let message = (en().reservation.too_many_co_users)(CO_USERS_MAX);
        return Err(ApiError::new(ErrorCode::BadInput, message).into());
    }
    let there = known(conn, &asked.iter().copied().collect::<Vec<_>>()).await?;
    if there.len() == asked.len() { Ok(asked) } else { Err(unknown_person().into()) }
}

pub(super) fn begin_at(window: &Window, now: OffsetDateTime) -> Result<Window, ApiError> {
    Window::new(window.start().max(now), window.end()).map_err(|_| refusal::wish(&Unbookable::InThePast, window, now))
}

/// The same wish in one order, without its key.
pub(super) fn canonical(ask: &NewReservation) -> NewReservation {
    let mut ask = NewReservation { idempotency_key: Uuid::nil(), ..ask.clone() };
    ask.cards.sort_unstable();
    ask.cards.dedup();
    ask.co_users.sort_unstable();
    ask.co_users.dedup();
    ask
}
