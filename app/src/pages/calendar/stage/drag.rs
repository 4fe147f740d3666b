//! The pointer: drag over rows and time to select, drag a bar to move it, its edges to make it longer or shorter.
//!
//! A press becomes a drag after a few pixels, a touch after a moment of holding still, so that scrolling stays scrolling.
//! While it lasts, the pointer's place is looked at once a frame, and only a change of row or step does anything.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration as StdDuration;

use domain::calendar::FINE_SNAP;
use domain::calendar::axis::{snap, step};
use domain::calendar::lanes::{Place, between, card_at, places};
use domain::id::{CardUuid, ReservationId};
use domain::reservation::State;
use domain::text::t;
use domain::window::Window;
use leptos::leptos_dom::helpers::{TimeoutHandle, request_animation_frame, set_timeout_with_handle};
use leptos::prelude::*;
use time::{Duration, OffsetDateTime};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, MouseEvent, PointerEvent};

use super::{Stage, send, with};
use crate::pages::calendar::desk::{Desk, Plan};

/// A press that moves less than this is a click.
const THRESHOLD_PX: f64 = 4.0;
/// A touch that moves more than this before its time is a scroll.
const STILL_PX: f64 = 8.0;
/// A touch selects after holding still for so long.
const HOLD: StdDuration = StdDuration::from_millis(350);
/// How near to the edge of a bar it is taken by its edge.
const EDGE_PX: f64 = 8.0;
/// How near to the edge of the box it scrolls, and how far in a frame.
const SCROLL_PX: f64 = 28.0;
const SCROLL_STEP: i32 = 14;

/// What a drag does.
#[derive(Clone, Debug)]
enum Act {
    Select { place: Place, at: OffsetDateTime },
    Move { before: Plan, places: Vec<Place>, place: Place, grab: Duration, end_only: bool },
    Start { before: Plan },
    End { before: Plan },
}

/// A pointer that is down.
struct Drag {
    act: Act,
    pointer: i32,
    began: (f64, f64),
    last: (f64, f64),
    fine: bool,
    /// It has moved far enough, or been held long enough.
    going: bool,
    touch: bool,
    hold: Option<TimeoutHandle>,
    asked: bool,
    seen: Option<(Place, OffsetDateTime)>,
}

thread_local! {
    static DRAG: RefCell<Option<Drag>> = const { RefCell::new(None) };
    /// A drag has just ended: the click that follows it is none.
    static SPENT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn drag<T>(f: impl FnOnce(&mut Drag) -> T) -> Option<T> {
    DRAG.with_borrow_mut(|drag| drag.as_mut().map(f))
}

fn target(event: &Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

fn closest(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// A pointer goes down.
pub fn down(event: &PointerEvent) {
    SPENT.set(false);
    if event.button() != 0 || !event.is_primary() {
        return;
    }
    let Some(element) = target(event) else { return };
    if closest(&element, ".lane-head, .tl-axis, .empty, .free li").is_some() {
        return;
    }
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let bar = closest(&element, ".bk[data-id]");
    let act = with(|stage| {
        stage.measure();
        match &bar {
            Some(bar) => stage.grab(bar, x, y),
            None => {
                let (place, at) = stage.point(x, y)?;
                Some(Act::Select { place, at })
            }
        }
    });
    let Some(act) = act.flatten() else { return };
    let touch = event.pointer_type() == "touch";
    let pointer = event.pointer_id();
    let hold = touch.then(|| set_timeout_with_handle(held, HOLD).ok()).flatten();
    let drag = Drag {
        act,
        pointer,
        began: (x, y),
        last: (x, y),
        fine: event.alt_key(),
        going: false,
        touch,
        hold,
        asked: false,
        seen: None,
    };
    DRAG.set(Some(drag));
}

/// A touch was held still long enough.
fn held() {
    if drag(|drag| drag.going = true).is_some() {
        capture();
        frame();
    }
}

fn capture() {
    if let Some(pointer) = drag(|drag| drag.pointer) {
        with(|stage| {
            let _ = stage.scroll.set_pointer_capture(pointer);
            let _ = stage.scroll.class_list().add_1("dragging");
        });
    }
}

/// It moves.
pub fn moved(event: &PointerEvent) {
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    let Some((begins, gives_up, ask)) = drag(|drag| {
        if drag.pointer != event.pointer_id() {
            return (false, false, false);
        }
        let far = (x - drag.began.0).hypot(y - drag.began.1);
        drag.last = (x, y);
        drag.fine = event.alt_key();
        let begins = !drag.going && !drag.touch && far >= THRESHOLD_PX;
        drag.going |= begins;
        let ask = drag.going && !std::mem::replace(&mut drag.asked, drag.going);
        (begins, drag.touch && !drag.going && far > STILL_PX, ask)
    }) else {
        light(event);
        return;
    };
    if gives_up {
        return end();
    }
    if begins {
        capture();
        with(|stage| stage.desk).into_iter().for_each(|desk| desk.opened.set(None));
    }
    if ask {
        request_animation_frame(frame);
    }
}

/// All parts of a booking are lit while one of them is pointed at.
fn light(event: &PointerEvent) {
    thread_local! {
        static LIT: RefCell<Option<String>> = const { RefCell::new(None) };
    }
    let id = target(event).and_then(|element| closest(&element, ".bk[data-id]")?.get_attribute("data-id"));
    if LIT.with_borrow(|lit| *lit == id) {
        return;
    }
    with(|stage| {
        for bar in crate::live::dom::children(&stage.tl, ".bk.lit") {
            let _ = bar.class_list().remove_1("lit");
        }
        let Some(id) = &id else { return };
        let parts = crate::live::dom::children(&stage.tl, &format!(".bk[data-id='{id}']"));
        if parts.len() > 1 {
            parts.iter().for_each(|bar| _ = bar.class_list().add_1("lit"));
        }
    });
    LIT.set(id);
}

/// Once a frame: scrolls near an edge, and shows where the pointer is.
fn frame() {
    let Some((last, fine, going)) = drag(|drag| {
        drag.asked = false;
        (drag.last, drag.fine, drag.going)
    }) else {
        return;
    };
    if !going {
        return;
    }
    let (scrolled, at) = with(|stage| {
        let scrolled = stage.nudge(last.0, last.1);
        (scrolled, stage.point(last.0, last.1))
    })
    .unwrap_or_default();
    if scrolled && drag(|drag| !std::mem::replace(&mut drag.asked, true)) == Some(true) {
        request_animation_frame(frame);
    }
    let Some((place, at)) = at else { return };
    let Some(act) = drag(|drag| drag.act.clone()) else { return };
    let plan = with(|stage| {
        let by = if fine { FINE_SNAP } else { stage.view.zoom.snap() };
        let plan = stage.plan_of(&act, place, at, by);
        (stage.desk, plan)
    });
    let Some((desk, Some(plan))) = plan else { return };
    let seen = Some((place, plan.window.start() + (plan.window.end() - plan.window.start())));
    if drag(|drag| drag.seen != seen || matches!(drag.act, Act::Select { .. } | Act::Move { .. } | Act::Start { .. }))
        == Some(true)
        && desk.plan.get_untracked().as_ref() != Some(&plan)
    {
        drag(|drag| drag.seen = seen);
        desk.plan.set(Some(plan));
    }
}

/// It goes up: what was selected stays for the panel; what was moved is saved.
pub fn up(event: &PointerEvent) {
    if drag(|drag| drag.pointer == event.pointer_id()) != Some(true) {
        return;
    }
    frame();
    let done = drag(|drag| (drag.going, drag.act.clone()));
    end();
    let Some((true, act)) = done else { return };
    SPENT.set(true);
    let Some(desk) = with(|stage| stage.desk) else { return };
    match act {
        Act::Select { .. } => with(|stage| stage.say_plan()).into_iter().for_each(|words| desk.say(words)),
        Act::Move { before, .. } | Act::Start { before } | Act::End { before } => {
            let plan = desk.plan.get_untracked();
            desk.plan.set(None);
            if let Some(plan) = plan
                && (plan.window != before.window || plan.cards != before.cards)
            {
                send::save(desk, plan, before);
            }
        }
    }
}

/// The browser took the pointer away, as for scrolling.
pub fn cancelled() {
    if drag(|drag| drag.going) == Some(true) {
        give_up();
    }
    end();
}

fn end() {
    if let Some(drag) = DRAG.take() {
        if let Some(hold) = drag.hold {
            hold.clear();
        }
        with(|stage| {
            let _ = stage.scroll.release_pointer_capture(drag.pointer);
            let _ = stage.scroll.class_list().remove_1("dragging");
        });
    }
}

/// Ends a drag without doing anything; whether there was one.
pub fn give_up() -> bool {
    let going = drag(|drag| drag.going) == Some(true);
    end();
    if going && let Some(desk) = with(|stage| stage.desk) {
        desk.plan.set(None);
    }
    going
}

/// While a touch selects, it does not scroll.
pub fn touch_moved(event: &Event) {
    if drag(|drag| drag.going) == Some(true) {
        event.prevent_default();
    }
}

/// A click: opens a bar's popover, or plans with the cards that are free.
pub fn clicked(event: &MouseEvent) {
    if SPENT.replace(false) {
        event.prevent_default();
        return;
    }
    let plain = !(event.ctrl_key() || event.meta_key() || event.shift_key()) && event.button() == 0;
    let Some(element) = target(event).filter(|_| plain) else { return };
    let Some(desk) = with(|stage| stage.desk) else { return };
    if let Some(bar) = closest(&element, ".bk[data-id]") {
        let id = bar.get_attribute("data-id").and_then(|id| id.parse::<ReservationId>().ok());
        if let Some(id) = id {
            event.prevent_default();
            desk.open(id, f64::from(event.client_x()), f64::from(event.client_y()));
        }
    } else if closest(&element, ".free li").is_some() {
        let plan = with(|stage| stage.free_at(f64::from(event.client_x()), f64::from(event.client_y()))).flatten();
        if let Some(plan) = plan {
            desk.plan.set(Some(plan));
        }
    }
}

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
    fn grab(&self, bar: &Element, x: f64, y: f64) -> Option<Act> {
        let id: ReservationId = bar.get_attribute("data-id")?.parse().ok()?;
        let booking = self.calendar.bookings.iter().find(|booking| booking.id == id)?;
        if !booking.may_change || booking.window.end() <= self.desk.now() {
            return None;
        }
        let before = Plan::of(booking);
        let running = booking.state == State::Active;
        let rect = bar.get_bounding_client_rect();
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
    fn plan_of(&self, act: &Act, place: Place, at: OffsetDateTime, by: Duration) -> Option<Plan> {
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
    fn nudge(&self, x: f64, y: f64) -> bool {
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
    fn free_at(&self, x: f64, y: f64) -> Option<Plan> {
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
        let free = |card: &CardUuid| {
            scene.busy.is_free(card, at) && scene.standing(card) == domain::calendar::free::Standing::Well
        };
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
pub fn snap_up(zone: &domain::zone::ZoneTable, at: OffsetDateTime, by: Duration) -> OffsetDateTime {
    let near = snap(zone, at, by);
    if near < at { step(zone, near, by, 1) } else { near }
}

/// Why a running booking does not move, said once it is tried.
pub fn say_if_stuck(desk: Desk) {
    if drag(|drag| drag.going && matches!(drag.act, Act::Move { end_only: true, .. })) == Some(true) {
        desk.say(t().calendar.running_end_only);
    }
}
