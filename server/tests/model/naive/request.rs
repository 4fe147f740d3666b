//! Every request, judged before it is sent and noted down when it was answered.

use std::collections::BTreeSet;

use domain::id::ReservationId;
use domain::reservation::Fate;
use domain::reservation::edit::{Edit, EditAsk, Scope};
use domain::wire::page::Viewer;
use time::OffsetDateTime;
use uuid::Uuid;

use server::store::reservations::held::Left;

use super::verdict::{Must, Verdict};
use super::{Booking, Books};
use crate::call::{Call, Done};
use crate::park::Park;

fn plain(reservation: ReservationId, edit: Edit) -> EditAsk {
    EditAsk { reservation, edit, scope: Scope::One, version: None, idempotency_key: Uuid::nil() }
}

impl Books {
    /// What must come of a request.
    pub fn judge(&self, park: &Park, viewer: &Viewer, call: &Call, now: OffsetDateTime) -> Verdict {
        match call {
            Call::Book(ask) => self.judge_book(park, Some(viewer), ask, now),
            Call::Offer(ask, _) => self.judge_book(park, None, ask, now),
            Call::Series(ask) => self.judge_series(park, viewer, ask, now),
            Call::Edit(ask) => self.judge_edit(park, viewer, ask, true, now),
            Call::Cancel(id) => self.judge_edit(park, viewer, &plain(*id, Edit::Cancel), false, now),
            Call::EndNow(id) => self.judge_edit(park, viewer, &plain(*id, Edit::EndNow), false, now),
            Call::GiveBack(id, cards, _) => self.judge_give_back(*id, cards, now).into(),
            Call::Plan(ask) => self.judge_plan(ask.id),
            Call::Spare(id) => self.judge_call_off(*id, now),
            Call::Share(card, count) => self.judge_share(park, card, *count, now),
            Call::Lapse | Call::KeepBack(..) => Must::Be.into(),
        }
    }

    /// It was done: what is wrong with what came of it, or else it is noted down.
    pub fn note(
        &mut self,
        park: &Park,
        viewer: &Viewer,
        call: &Call,
        now: OffsetDateTime,
        done: &Done,
    ) -> Result<(), String> {
        match (call, done) {
            (Call::Book(ask), Done::Booked(id)) => self.book(park, Some(viewer), ask, None, now, *id),
            (Call::Offer(ask, until), Done::Booked(id)) => self.book(park, None, ask, Some(*until), now, *id),
            (Call::Series(ask), Done::Series(outcome)) => return self.series(park, viewer, ask, now, outcome),
            (Call::Edit(ask), Done::Edited(_)) => return self.edit(park, viewer, ask, true, now, done),
            (Call::Cancel(id), Done::Did) => {
                return self.edit(park, viewer, &plain(*id, Edit::Cancel), false, now, done);
            }
            (Call::EndNow(id), Done::Did) => {
                return self.edit(park, viewer, &plain(*id, Edit::EndNow), false, now, done);
            }
            (Call::GiveBack(id, cards, why), Done::Did) => {
                let fate = if *why == Left::Missed { Fate::Missed } else { Fate::Released };
                self.give_back(*id, cards, fate, now);
            }
            (Call::Lapse, Done::Did) => self.lapse(now),
            (Call::Plan(ask), Done::Did) => self.plan(ask.id, &ask.plan, now),
            (Call::Spare(id), Done::Did) => self.call_off(*id, now),
            (Call::KeepBack(card, true), Done::Did) => drop(self.kept_back.insert(card.clone())),
            (Call::KeepBack(card, false), Done::Did) => drop(self.kept_back.remove(card)),
            (Call::Share(card, Some(count)), Done::Did) => drop(self.shares.insert(card.clone(), *count)),
            (Call::Share(card, None), Done::Did) => drop(self.shares.remove(card)),
            (call, done) => return Err(format!("{call:?} came to {done:?}")),
        }
        Ok(())
    }

    /// What a request would make of which bookings: those that it touches, and all that it would have.
    pub fn proposed(
        &self,
        park: &Park,
        viewer: &Viewer,
        call: &Call,
        now: OffsetDateTime,
    ) -> (BTreeSet<ReservationId>, Vec<Booking>) {
        match call {
            Call::Book(ask) => (BTreeSet::new(), self.would_be(park, viewer, ask, now).into_iter().collect()),
            Call::Edit(ask) => self.would_become(park, viewer, ask, now).into_iter().unzip(),
            _ => (BTreeSet::new(), Vec::new()),
        }
    }
}
