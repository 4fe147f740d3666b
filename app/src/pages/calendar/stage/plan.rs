//! What a drag means: a pointer's place as rows and times, and the plan that follows from it.

use std::collections::BTreeMap;

use domain::calendar::axis::{snap, step};
use domain::calendar::free::Standing;
use domain::calendar::lanes::{Place, between, card_at, places};
use domain::id::{CardUuid, ReservationId};
use domain::reservation::State;
use domain::window::Window;
use domain::zone::ZoneTable;
use leptos::prelude::*;
use time::{Duration, OffsetDateTime};
use web_sys::Element;

use super::Stage;
use super::drag::Act;
use crate::pages::calendar::desk::Plan;

/// How near to the edge of a bar it is taken by its edge.
const EDGE_PX: f64 = 8.0;
/// How near to the edge of the box it scrolls, and how far in a frame.
const SCROLL_PX: f64 = 28.0;
const SCROLL_STEP: i32 = 14;

impl Stage {
    /// Place and time under a point of the screen; the time is not on any grid.
    pub(super) fn point(&self, x: f64, y: f64) -> Option<(Place, OffsetDateTime)> {
        let grid = &self.grid;
        let right = x - grid.left - grid.head + f64::from(self.scroll.scroll_left());
        let below = y - grid.top - grid.axis + f64::from(self.scroll.scroll_top());
        let place = grid.place(&self.unfolded(), below.max(0.0))?;
        let hours = (right / grid.hour).clamp(0.0, self.axis.length());
        Some((place, self.axis.instant(hours)))
    }

    /// A bar, taken in the middle or by an edge; `None` where it may not be changed.
    pub(super) fn grab(&self, bar: &Element, x: f64, y: f64) -> Option<Act> {
        let id: ReservationId = bar.get_attribute("data-id")?.parse().ok()?;
        let booking = self.calendar.bookings.iter().find(|booking| booking.id == id)?;
        if !booking.may_change || booking.window.end() <= self.desk.now() {
            return None;
        }
        self.take(Plan::of(booking, self.desk.now()), bar, x, y, Some(booking.state))
    }

    /// A bar or the plan's ghost, at a point of the screen. Without a state it is a plan.
    pub(super) fn take(&self, before: Plan, element: &Element, x: f64, y: f64, state: Option<State>) -> Option<Act> {
        let running = state == Some(State::Active);
        let rect = element.get_bounding_client_rect();
        let edge = EDGE_PX.min(rect.width() / 3.0);
        if x > rect.right() - edge {
            return Some(Act::End { before });
        }
        if x < rect.left() + edge && !running {
            return Some(Act::Start { before });
        }
        let (place, at) = self.point(x, y)?;
        let here = places(&self.calendar, &self.rows);
        let places = before.cards.iter().map(|card| here.get(card).copied()).collect::<Option<Vec<_>>>()?;
        let grab = at - before.window.start();
        Some(Act::Move { before, places, place, grab, end_only: running })
    }

    /// What a drag plans with the pointer here.
    pub(super) fn plan_of(&self, act: &Act, place: Place, at: OffsetDateTime, by: Duration) -> Option<Plan> {
        let (zone, now) = (&self.zone, self.desk.now());
        match act {
            Act::Select { place: from, at: began } => {
                let window = self.window(*began, at, by)?;
                let cards = between(&self.calendar, &self.rows, *from, place);
                let purpose = self.desk.plan.with_untracked(|plan| {
                    plan.as_ref().filter(|plan| plan.edits.is_none()).map(|plan| plan.purpose.clone())
                });
                Some(Plan { purpose: purpose.unwrap_or_default(), ..Plan::new(cards, window) })
            }
            Act::Move { end_only: true, .. } => None,
            Act::Move { before, places, place: from, grab, .. } => {
                let start = snap(zone, at - *grab, by).max(snap_up(zone, now, by));
                // Straight down keeps the time as it is, though it may be on no grid.
                let start =
                    if (start - before.window.start()).abs() < by { before.window.start().max(now) } else { start };
                let window = Window::new(start, start + before.window.length()).ok()?;
                let cards = self.shifted(places, *from, place).unwrap_or_else(|| before.cards.clone());
                let shares = if cards == before.cards { before.shares.clone() } else { BTreeMap::new() };
                Some(Plan { cards, shares, window, ..before.clone() })
            }
            Act::Start { before } => {
                let last = step(zone, before.window.end(), by, -1);
                let start = snap(zone, at, by).min(last).max(now);
                Some(Plan { window: Window::new(start, before.window.end()).ok()?, ..before.clone() })
            }
            Act::End { before } => {
                let first = before.window.start().max(now);
                let end = snap(zone, at, by);
                let end = if end <= first { step(zone, first, by, 1) } else { end };
                Some(Plan { window: Window::new(before.window.start(), end).ok()?, ..before.clone() })
            }
        }
    }

    /// From one instant to another on the grid, at least one step, not in the past.
    pub(super) fn window(&self, a: OffsetDateTime, b: OffsetDateTime, by: Duration) -> Option<Window> {
        let (zone, now) = (&self.zone, self.desk.now());
        let (first, last) = (a.min(b), a.max(b));
        let start = snap(zone, first, by).max(now);
        let end = snap(zone, last, by);
        let end = if end <= start { snap_up(zone, start + Duration::SECOND, by) } else { end };
        Window::new(start, end).ok()
    }

    /// Cards as many rows away as the pointer has gone; `None` where one of them would be nowhere.
    fn shifted(&self, places: &[Place], from: Place, to: Place) -> Option<Vec<CardUuid>> {
        let all: Vec<Place> = self
            .rows
            .iter()
            .enumerate()
            .flat_map(|(host, rows)| (0..rows.cards.len()).map(move |row| (host, row)))
            .collect();
        let at = |place: &Place| all.iter().position(|known| known == place);
        let (from, to) = (at(&from)?, at(&to)?);
        let moved = |place: &Place| {
            let index = (at(place)? + to).checked_sub(from)?;
            Some(card_at(&self.calendar, &self.rows, *all.get(index)?)?.uuid.clone())
        };
        places.iter().map(moved).collect()
    }

    /// Near an edge the box scrolls; whether it did.
    pub(super) fn nudge(&self, x: f64, y: f64) -> bool {
        let (grid, scroll) = (&self.grid, &self.scroll);
        let before = (scroll.scroll_left(), scroll.scroll_top());
        let by = |low: f64, high: f64, at: f64| {
            if at < low + SCROLL_PX {
                -SCROLL_STEP
            } else if at > high - SCROLL_PX {
                SCROLL_STEP
            } else {
                0
            }
        };
        let right = by(grid.left + grid.head, grid.left + grid.width, x);
        let down = by(grid.top + grid.axis, grid.top + grid.tall, y);
        if right != 0 {
            scroll.set_scroll_left(before.0 + right);
        }
        if down != 0 {
            scroll.set_scroll_top(before.1 + down);
        }
        before != (scroll.scroll_left(), scroll.scroll_top())
    }

    /// A plan with cards of a host that are free at a point of its head: linked ones, if a whole set is.
    pub(super) fn free_at(&self, x: f64, y: f64) -> Option<Plan> {
        let grid = &self.grid;
        let below = y - grid.top - grid.axis + f64::from(self.scroll.scroll_top());
        let mut edge = 0.0;
        let host = self.heights().into_iter().position(|height| {
            edge += height;
            below < edge
        })?;
        let (_, at) = self.point(x, y)?;
        let host = self.calendar.hosts.get(self.rows.get(host)?.host)?;
        let scene = self.scene();
        let at = at.max(self.desk.now());
        let free = |card: &CardUuid| scene.busy.is_free(card, at) && scene.standing(card) == Standing::Well;
        let set = host.linked.iter().filter(|(set, _)| set.len() < host.cards.len()).find_map(|(set, _)| {
            let cards: Vec<_> = set.iter().filter_map(|at| host.cards.get(usize::from(*at))).collect();
            cards.iter().all(|card| free(&card.uuid)).then(|| cards.iter().map(|card| card.uuid.clone()).collect())
        });
        let one = || Some(vec![host.cards.iter().find(|card| free(&card.uuid))?.uuid.clone()]);
        let cards: Vec<CardUuid> = set.or_else(one)?;
        let until = cards.iter().filter_map(|card| scene.busy.free_until(card, at)).min();
        let start = snap(&self.zone, at, self.view.zoom.snap()).max(self.desk.now());
        let end = until.unwrap_or(start + USUAL).min(start + USUAL).max(start + Duration::minutes(15));
        Some(Plan::new(cards, Window::new(start, end).ok()?))
    }

    /// The plan in words, and who is in its way.
    pub(super) fn say_plan(&self) -> String {
        let Some(plan) = self.desk.plan.get_untracked() else { return String::new() };
        super::keys::plan_words(self, &plan)
    }
}

/// Length of a booking that nobody has said anything about.
const USUAL: Duration = Duration::hours(4);

/// The first instant on the grid that is not before `at`.
pub fn snap_up(zone: &ZoneTable, at: OffsetDateTime, by: Duration) -> OffsetDateTime {
    let near = snap(zone, at, by);
    if near < at { step(zone, near, by, 1) } else { near }
}
