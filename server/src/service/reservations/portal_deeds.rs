//! What the portal does by itself: letting go of what nobody answered in time, giving back what a rule gives back,
//! booking for those who have waited.

use domain::error::ApiError;
use domain::id::{CardUuid, ReservationId};
use domain::notice::What;
use domain::reservation::edit::Edited;
use domain::reservation::{Fate, NewReservation, State};
use domain::window::Window;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::run::{By, Deed, Done, Failed, Outcome};
use super::{Reservations, refusal, told};
use crate::store::notices::{self, NewNotice};
use crate::store::reservations::held::{End, Held, Left, lock, peek};
use crate::store::reservations::lock_cards;
use crate::store::reservations::save::{Change, Work};

/// Cards of a running booking that a rule gives back.
#[derive(Debug, Clone)]
pub struct GiveBack {
    /// Which booking.
    pub reservation: ReservationId,
    /// Which of its cards.
    pub cards: Vec<CardUuid>,
    /// Why: idle, or nobody came.
    pub why: Left,
    /// Its owner is told so in the same transaction.
    pub notices: Vec<NewNotice>,
}

impl Reservations {
    /// Gives cards of a running booking back; without cards it is over. Gives whether there was anything to give back.
    ///
    /// # Errors
    /// `not_found`, `server.busy`, `server.unavailable`.
    pub async fn give_back(&self, what: &GiveBack) -> Result<bool, ApiError> {
        Ok(matches!(self.run(By::Portal, &Deed::GiveBack(what)).await?, Outcome::Edited(_)))
    }

    /// Books for the owner that `ask` names, who has waited for the cards. With `offered_until` they are held for the
    /// owner until then, who has to accept.
    ///
    /// # Errors
    /// As [`Reservations::book`]; `person.unknown` where no owner is named.
    pub async fn book_waited(
        &self,
        ask: &NewReservation,
        offered_until: Option<OffsetDateTime>,
    ) -> Result<ReservationId, ApiError> {
        match self.run(By::Portal, &Deed::Book { ask, offered_until }).await? {
            Outcome::Booked(ids) => ids.first().copied().ok_or_else(refusal::other_kind),
            _ => Err(refusal::other_kind()),
        }
    }

    pub(super) async fn lapse_in(&self, conn: &mut PgConnection, id: ReservationId) -> Result<Done, Failed> {
        let Some((before, name)) = self.lock_one(conn, id).await? else { return Ok(Done::Same(Outcome::Nothing)) };
        let now = self.clock.now();
        // Somebody may have answered, or another replica have done this, before the lock was had.
        if !before.is_overdue(now) {
            return Ok(Done::Same(Outcome::Nothing));
        }
        let mut after = Held { version: before.version + 1, ..before.clone() };
        after.release(End { fate: Fate::Lapsed, at: now, by: None, why: None });
        let notices = told::of(conn, None, Some(&before), &after, What::Cancelled, &name).await?;
        self.finish(conn, before, after, "reservation.lapse", &notices, now).await
    }

    pub(super) async fn give_back_in(&self, conn: &mut PgConnection, what: &GiveBack) -> Result<Done, Failed> {
        let Some((before, _)) = self.lock_one(conn, what.reservation).await? else {
            return Ok(Done::Same(Outcome::Nothing));
        };
        let now = self.clock.now();
        let goes = |card: &CardUuid| what.cards.contains(card);
        if before.state(now) != State::Active || !before.cards().iter().any(goes) {
            return Ok(Done::Same(Outcome::Nothing));
        }
        let mut after = Held { version: before.version + 1, ..before.clone() };
        after.holds.retain_mut(|hold| {
            if !goes(&hold.card) || hold.left.is_some() || hold.released {
                return true;
            }
            hold.left = Some(what.why);
            let cut = Window::new(hold.window.start(), hold.window.end().min(now));
            hold.window = cut.unwrap_or(hold.window);
            cut.is_ok()
        });
        if after.lasting().next().is_none() {
            let fate = if what.why == Left::Missed { Fate::Missed } else { Fate::Released };
            after.fate = Some(End { fate, at: now, by: None, why: None });
            after.window = Window::new(after.window.start(), now).unwrap_or(after.window);
        }
        self.finish(conn, before, after, "reservation.release", &what.notices, now).await
    }

    /// A booking with everything that is locked for it, and its owner's name.
    async fn lock_one(&self, conn: &mut PgConnection, id: ReservationId) -> Result<Option<(Held, String)>, Failed> {
        let Some(seen) = peek(conn, id).await? else { return Ok(None) };
        let people = self.lock_people(conn, By::Portal, &[seen.owner]).await?;
        let Some(held) = lock(conn, &[id]).await?.pop() else { return Ok(None) };
        if held.owner != seen.owner {
            return Err(Failed::Moved);
        }
        lock_cards(conn, &held.cards()).await?;
        Ok(Some((held, people.first().map(|person| person.name.clone()).unwrap_or_default())))
    }

    async fn finish(
        &self,
        conn: &mut PgConnection,
        before: Held,
        after: Held,
        action: &'static str,
        told: &[NewNotice],
        now: OffsetDateTime,
    ) -> Result<Done, Failed> {
        let edited = Edited { reservations: vec![after.id], version: after.version };
        let work = Work { changes: vec![Change { before: Some(before), after, action }], ..Work::default() };
        self.write(conn, &work, now).await?;
        notices::write(conn, told, now).await?;
        Ok(Done::Changed(Outcome::Edited(edited)))
    }
}
