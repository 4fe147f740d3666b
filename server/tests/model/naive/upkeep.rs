//! Maintenance, cards that are kept back, cards that are open for shares.

use std::collections::HashSet;

use domain::error::ErrorCode;
use domain::id::{CardUuid, MaintenanceId};
use domain::upkeep::Plan;
use domain::window::Window;
use time::OffsetDateTime;

use super::Books;
use super::book::micros;
use super::timeline::Amount;
use super::verdict::{Must, Verdict};
use crate::park::{Card, Park};

impl Books {
    /// Whether anything is planned for a card in that time.
    pub fn under_maintenance(&self, park: &Park, card: &Card, window: &Window) -> bool {
        self.maintenance.values().any(|plan| {
            let targets = &plan.targets;
            let part = |uuid| park.card(uuid).is_some_and(|target: &Card| target.part.meets(&card.part));
            plan.window.overlaps(window)
                && (targets.everywhere || targets.hosts.contains(&card.host) || targets.cards.iter().any(part))
        })
    }

    /// What must come of a plan.
    pub fn judge_plan(&self, id: MaintenanceId) -> Verdict {
        if self.maintenance.contains_key(&id) { Verdict::from(ErrorCode::KeyReused) } else { Must::Be.into() }
    }

    pub fn plan(&mut self, id: MaintenanceId, plan: &Plan, now: OffsetDateTime) {
        let window = Window::new(micros(plan.window.start().max(now)), micros(plan.window.end())).unwrap();
        self.maintenance.insert(id, Plan { window, ..plan.clone() });
    }

    /// What must come of calling one off.
    pub fn judge_call_off(&self, id: MaintenanceId, now: OffsetDateTime) -> Verdict {
        match self.maintenance.get(&id) {
            None => Verdict::from(HashSet::from([ErrorCode::NotFound, ErrorCode::AlreadyOver])),
            Some(plan) if plan.window.end() <= now => Verdict::from(ErrorCode::AlreadyOver),
            Some(_) => Must::Be.into(),
        }
    }

    pub fn call_off(&mut self, id: MaintenanceId, now: OffsetDateTime) {
        let plan = self.maintenance.remove(&id).expect("judged before");
        if let Ok(window) = Window::new(plan.window.start(), plan.window.end().min(now)) {
            self.maintenance.insert(id, Plan { window, ..plan });
        }
    }

    /// What must come of opening a card for so many shares, or closing it.
    pub fn judge_share(&self, park: &Park, uuid: &CardUuid, count: Option<u32>, now: OffsetDateTime) -> Verdict {
        let had = self.shares.get(uuid).copied();
        if had == count {
            return Must::Be.into();
        }
        let card = park.card(uuid).expect("a card of the park");
        let mut reasons = HashSet::new();
        // What is not a whole card cannot be opened.
        if count.is_some() && card.part.to.is_some() {
            reasons.insert(ErrorCode::CardNotBookable);
        }
        let shared = self.bookings.values().any(|booking| {
            !booking.released
                && booking
                    .cards
                    .pieces()
                    .any(|(of, window, amount)| of == uuid && now < window.end() && matches!(amount, Amount::Shares(_)))
        });
        if reasons.is_empty() && shared && count.unwrap_or_default() < had.unwrap_or_default() {
            return Must::May(HashSet::from([ErrorCode::Overlap, ErrorCode::NoShares])).into();
        }
        Verdict::from(reasons)
    }
}
