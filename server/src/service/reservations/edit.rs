//! Changing a booking that exists, or one that repeats and all that follow it.

use std::collections::BTreeSet;

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, UserId};
use domain::notice::What;
use domain::reservation::edit::{Edit, EditAsk, Edited, Scope};
use domain::reservation::{Awaits, Fate, PURPOSE_MAX_CHARS, State};
use domain::text::en;
use domain::user::is_deceptive;
use domain::window::Window;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::run::{By, Done, Failed, Outcome, Request};
use super::{Reservations, checks, may_change, refusal, told};
use crate::store::reservations::held::{End, Held, following, lock, peek};
use crate::store::reservations::people::LockedPerson;
use crate::store::reservations::save::{Change, Work, make_room, still_using};
use crate::store::reservations::{LockedCard, keys, lock_cards};
use crate::store::rules::of_person;
use crate::store::{change, notices};

/// An edit that is being made, with everything locked that it may touch.
pub(super) struct Desk<'a> {
    pub by: By<'a>,
    pub ask: &'a EditAsk,
    /// The booking that was named, as it was.
    pub head: Held,
    pub people: Vec<LockedPerson>,
    pub cards: Vec<LockedCard>,
    pub now: OffsetDateTime,
    /// Several are moved at once: each may go where another one of them is now.
    pub parked: bool,
}

impl Reservations {
    pub(super) async fn edit_in(
        &self,
        conn: &mut PgConnection,
        by: By<'_>,
        ask: &EditAsk,
        keyed: bool,
    ) -> Result<Done, Failed> {
        let text = &en().reservation;
        let seen = peek(conn, ask.reservation).await?;
        let mut others: Vec<_> = seen.iter().map(|seen| seen.owner).collect();
        if let Edit::Transfer { to } = ask.edit {
            others.push(to);
        }
        let people = self.lock_people(conn, by, &others).await?;
        let request = match by.id() {
            Some(id) if keyed => Some(Request::new(id, ask.idempotency_key, "edit", &canonical(ask))?),
            _ => None,
        };
        if let Some(request) = &request
            && let Some(outcome) = request.answered(conn).await?
        {
            return Ok(Done::Same(outcome));
        }
        let seen = seen.ok_or_else(|| refusal::said(ErrorCode::NotFound, text.unknown))?;
        let mut ids = match (ask.scope, seen.series) {
            (Scope::Following, Some(series)) => following(conn, series, seen.owner).await?,
            _ => Vec::new(),
        };
        if !ids.contains(&ask.reservation) {
            ids.push(ask.reservation);
        }
        let mut all = lock(conn, &ids).await?;
        // Its owner's row is not the one that was locked: it was given away meanwhile.
        all.retain(|held| held.owner == seen.owner);
        let head = all.iter().find(|held| held.id == ask.reservation).cloned().ok_or(Failed::Moved)?;
        self.authorise(conn, by, &ask.edit, &head).await?;
        if ask.version.is_some_and(|version| version != head.version) {
            return Err(refusal::said(ErrorCode::Changed, text.changed).into());
        }
        let mut cards: BTreeSet<CardUuid> = all.iter().flat_map(Held::cards).collect();
        if let Edit::Set(target) = &ask.edit {
            cards.extend(target.cards.iter().flatten().cloned());
        }
        let cards = lock_cards(conn, &cards.into_iter().collect::<Vec<_>>()).await?;
        let mut desk = Desk { by, ask, head, people, cards, now: self.clock.now(), parked: false };
        // Those that have ended, or were called off one by one, stay as they are.
        all.retain(|held| held.id == ask.reservation || desk.reaches(held));
        desk.parked = all.len() > 1
            && matches!(&ask.edit, Edit::Set(target) if target.window.is_some() || target.cards.is_some());
        self.edit_all(conn, &desk, all, request).await
    }

    async fn edit_all(
        &self,
        conn: &mut PgConnection,
        desk: &Desk<'_>,
        all: Vec<Held>,
        request: Option<Request>,
    ) -> Result<Done, Failed> {
        if desk.parked {
            make_room(conn, &all.iter().map(|held| held.id).collect::<Vec<_>>(), desk.now).await?;
        }
        let last = all.len().saturating_sub(1);
        let mut edited = Edited { reservations: Vec::new(), version: desk.head.version };
        let mut first: Option<Change> = None;
        let mut request = request;
        for (place, before) in all.into_iter().enumerate() {
            let head = before.id == desk.head.id;
            let changes = self.edit_one(conn, desk, before).await?;
            let real: Vec<&Change> = changes.iter().filter(|change| change.is_any()).collect();
            // The one that was named comes first.
            let at = if head { 0 } else { edited.reservations.len() };
            edited.reservations.splice(at..at, real.iter().map(|change| change.after.id));
            if let Some(change) = real.first() {
                if head {
                    edited.version = change.after.version;
                }
                if head || first.is_none() {
                    first = Some((*change).clone());
                }
            }
            let key = match request.take_if(|_| place == last && first.is_some()) {
                Some(request) => Some(request.answer(&Outcome::Edited(edited.clone()))?),
                None => None,
            };
            // Rules count what is written: each is written before the next one is judged.
            self.write(conn, &Work { changes, key, parked: desk.parked, ..self.work(desk.by) }, desk.now).await?;
        }
        let confirmed = desk.ask.edit == Edit::StillUsing;
        let outcome = Outcome::Edited(edited);
        let written = first.is_some() || confirmed;
        if !written && request.is_none() {
            return Ok(Done::Same(outcome));
        }
        if confirmed {
            still_using(conn, desk.head.id, desk.now).await?;
            change::note(conn, desk.now).await?;
        }
        if let Some(Change { before, after, .. }) = &first {
            let before = before.as_ref().unwrap_or(&desk.head);
            let name = desk.name(after.owner);
            let told = told::of(conn, desk.by.viewer(), Some(before), after, desk.what(), &name).await?;
            notices::write(conn, &told, desk.now).await?;
        }
        if let Some(request) = request {
            keys::keep(conn, &request.answer(&outcome)?, desk.now).await?;
        }
        Ok(if written { Done::Changed(outcome) } else { Done::Kept(outcome) })
    }

    /// What becomes of one booking: nothing, itself changed, or with another one beside it.
    async fn edit_one(&self, conn: &mut PgConnection, desk: &Desk<'_>, before: Held) -> Result<Vec<Change>, Failed> {
        let text = &en().reservation;
        let now = desk.now;
        let state = before.state(now);
        if !state.is_open() {
            return Err(refusal::said(ErrorCode::AlreadyOver, text.already_over).into());
        }
        let mut after = Held { version: before.version + 1, ..before.clone() };
        match &desk.ask.edit {
            Edit::Set(target) => self.set(conn, desk, &before, &mut after, target).await?,
            Edit::Cancel if state == State::Active => {
                return Err(refusal::said(ErrorCode::AlreadyBegun, text.already_begun).into());
            }
            Edit::Cancel => after.release(desk.end(Fate::Cancelled, None)),
            Edit::EndNow if state == State::Active => end(&mut after, now),
            // Ended with all that follow: these have not begun.
            Edit::EndNow if before.id != desk.head.id => after.release(desk.end(Fate::Cancelled, None)),
            Edit::EndNow => return Err(refusal::said(ErrorCode::NotBegun, text.not_begun).into()),
            Edit::Transfer { to } => return self.transfer(conn, desk, before, *to).await,
            Edit::Approve => {
                desk.awaiting(&before, Awaits::Approval)?;
                self.judge(conn, desk, &mut after).await?;
                after.awaits = None;
                after.approved_by = desk.by.id();
            }
            Edit::Refuse { why } => {
                desk.awaiting(&before, Awaits::Approval)?;
                let why = why.trim();
                if why.chars().count() > PURPOSE_MAX_CHARS || why.chars().any(is_deceptive) {
                    return Err(
                        refusal::said(ErrorCode::BadInput, (text.bad_reason)(PURPOSE_MAX_CHARS).as_str()).into()
                    );
                }
                after.release(desk.end(Fate::Refused, (!why.is_empty()).then(|| why.to_owned())));
            }
            Edit::Accept => {
                desk.awaiting(&before, Awaits::Answer)?;
                after.awaits = None;
                if self.judge(conn, desk, &mut after).await? {
                    self.needs_approval(conn, desk.by, false, &mut after, now).await?;
                }
            }
            Edit::StillUsing if state == State::Active => return Ok(Vec::new()),
            Edit::StillUsing => return Err(refusal::said(ErrorCode::NotBegun, text.not_begun).into()),
        }
        if after.is_same_as(&before) {
            // What was parked goes back to where it was, and nothing else is written of it.
            after.version = before.version;
        }
        Ok(vec![Change { before: Some(before), after, action: desk.action() }])
    }

    /// Judges a booking as it stands; gives whether a rule asks for approval.
    pub(super) async fn judge(
        &self,
        conn: &mut PgConnection,
        desk: &Desk<'_>,
        after: &mut Held,
    ) -> Result<bool, Failed> {
        let zone = (self.zone_table)(&after.zone, desk.now);
        let rules = of_person(&mut *conn, after.owner).await?;
        Ok(checks::rules(conn, &rules, desk.by, after, None, &zone, desk.now).await?)
    }

    async fn authorise(&self, conn: &mut PgConnection, by: By<'_>, edit: &Edit, head: &Held) -> Result<(), Failed> {
        let text = &en().reservation;
        let Some(viewer) = by.viewer() else { return Ok(()) };
        let (allowed, why) = match edit {
            Edit::Approve | Edit::Refuse { .. } => {
                (checks::may_approve(conn, by, head.owner).await?, text.not_an_approver)
            }
            Edit::StillUsing => (may_change(viewer, head.owner) || head.co_users.contains(&viewer.id), text.not_yours),
            Edit::Accept | Edit::Set(_) | Edit::Cancel | Edit::EndNow | Edit::Transfer { .. } => {
                (may_change(viewer, head.owner), text.not_yours)
            }
        };
        if allowed { Ok(()) } else { Err(refusal::said(ErrorCode::NotAllowed, why).into()) }
    }
}

impl Desk<'_> {
    /// Whether an edit of the one that was named and all that follow it touches this one.
    fn reaches(&self, held: &Held) -> bool {
        let waits = held.awaits.map(|(awaits, _)| awaits);
        let fits = match self.ask.edit {
            Edit::Approve | Edit::Refuse { .. } => waits == Some(Awaits::Approval),
            Edit::Accept => waits == Some(Awaits::Answer),
            Edit::StillUsing => false,
            _ => true,
        };
        fits && held.state(self.now).is_open() && held.window.start() >= self.head.window.start()
    }

    pub(super) fn name(&self, id: UserId) -> String {
        self.people.iter().find(|person| person.id == id).map(|person| person.name.clone()).unwrap_or_default()
    }

    fn awaiting(&self, held: &Held, what: Awaits) -> Result<(), ApiError> {
        if held.awaits.is_some_and(|(awaits, _)| awaits == what) {
            return Ok(());
        }
        let text = &en().reservation;
        let message = if what == Awaits::Approval { text.awaits_no_approval } else { text.awaits_no_answer };
        Err(refusal::said(ErrorCode::NotAwaiting, message))
    }

    fn end(&self, fate: Fate, why: Option<String>) -> End {
        End { fate, at: self.now, by: self.by.id(), why }
    }

    fn action(&self) -> &'static str {
        match self.ask.edit {
            Edit::Set(_) => "reservation.edit",
            Edit::Cancel => "reservation.cancel",
            Edit::EndNow => "reservation.end",
            Edit::Transfer { .. } => "reservation.transfer",
            Edit::Approve => "reservation.approve",
            Edit::Refuse { .. } => "reservation.refuse",
            Edit::Accept => "reservation.accept",
            Edit::StillUsing => "reservation.still_using",
        }
    }

    fn what(&self) -> What {
        match self.ask.edit {
            Edit::Cancel | Edit::Refuse { .. } => What::Cancelled,
            Edit::EndNow => What::Ended,
            Edit::Transfer { .. } => What::Transferred,
            _ => What::Edited,
        }
    }
}

/// Ends a booking that runs: what was used stays on record, the rest is free.
pub(super) fn end(held: &mut Held, now: OffsetDateTime) {
    // Ended in the very instant of its start it would be empty, which no booking is.
    let end = now.max(held.window.start() + Duration::MICROSECOND);
    held.window = Window::new(held.window.start(), end).unwrap_or(held.window);
    held.ended_at = Some(now);
    held.holds.retain_mut(|hold| {
        if hold.released || hold.window.end() <= end {
            return true;
        }
        // A card that came in this very instant was never used.
        let cut = Window::new(hold.window.start(), end);
        hold.window = cut.unwrap_or(hold.window);
        cut.is_ok()
    });
}

/// The same edit in one order, without its key.
fn canonical(ask: &EditAsk) -> EditAsk {
    let mut ask = EditAsk { idempotency_key: Uuid::nil(), ..ask.clone() };
    if let Edit::Set(target) = &mut ask.edit {
        if let Some(cards) = &mut target.cards {
            cards.sort_unstable();
            cards.dedup();
        }
        if let Some(people) = &mut target.co_users {
            people.sort_unstable();
            people.dedup();
        }
    }
    ask
}
