//! Giving a booking to a colleague.

use domain::error::ErrorCode;
use domain::id::{ReservationId, UserId};
use domain::text::en;
use domain::window::Window;
use sqlx::PgConnection;
use uuid::Uuid;

use super::book::person;
use super::edit::{Desk, end};
use super::run::Failed;
use super::{Reservations, refusal};
use crate::store::reservations::held::{Held, Hold};
use crate::store::reservations::save::Change;

impl Reservations {
    /// A booking that has not begun changes its owner. One that runs is ended, and what is left of it is a booking of the
    /// colleague's: what was used stays on record with whoever used it.
    pub(super) async fn transfer(
        &self,
        conn: &mut PgConnection,
        desk: &Desk<'_>,
        before: Held,
        to: UserId,
    ) -> Result<Vec<Change>, Failed> {
        person(&desk.people, to)?;
        if to == before.owner {
            return Err(refusal::said(ErrorCode::BadInput, en().reservation.theirs_already).into());
        }
        let now = desk.now;
        let action = "reservation.transfer";
        let mut given = Held { owner: to, version: before.version + 1, ..before.clone() };
        given.co_users.remove(&to);
        let begun = before.window.start() < now;
        if begun && let Ok(rest) = Window::new(now, before.window.end()) {
            let lasting: Vec<Hold> = before.holds.iter().filter(|hold| goes_on(hold, &rest)).cloned().collect();
            let holds = lasting.into_iter().map(|hold| {
                let start = hold.window.start().max(now);
                Hold { id: None, window: Window::new(start, hold.window.end()).unwrap_or(rest), ..hold }
            });
            given =
                Held { id: ReservationId(Uuid::now_v7()), version: 1, window: rest, holds: holds.collect(), ..given };
        }
        // The rules that hold for the colleague, and what else the colleague has.
        let replaces = before.id;
        let mut judged = Held { id: replaces, ..given.clone() };
        if self.judge(conn, desk, &mut judged).await? {
            self.needs_approval(conn, desk.by, begun, &mut given, now).await?;
        }
        if given.id == before.id {
            return Ok(vec![Change { before: Some(before), after: given, action }]);
        }
        let mut ended = Held { version: before.version + 1, ..before.clone() };
        end(&mut ended, now);
        Ok(vec![Change { before: None, after: given, action }, Change { before: Some(before), after: ended, action }])
    }
}

fn goes_on(hold: &Hold, rest: &Window) -> bool {
    !hold.released && hold.left.is_none() && hold.window.overlaps(rest)
}
