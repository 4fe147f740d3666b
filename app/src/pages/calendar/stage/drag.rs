//! The pointer: drag over rows and time to select, drag a bar to move it, its edges to make it longer or shorter.
//!
//! A press becomes a drag after a few pixels, a touch after a moment of holding still, so that scrolling stays scrolling.
//! While it lasts, the pointer's place is looked at once a frame, and only a change of row or step does anything.

use std::cell::RefCell;
use std::time::Duration as StdDuration;

use domain::calendar::FINE_SNAP;
use domain::calendar::lanes::Place;
use domain::id::ReservationId;
use domain::text::t;
use leptos::leptos_dom::helpers::{TimeoutHandle, request_animation_frame, set_timeout_with_handle};
use leptos::prelude::*;
use time::{Duration, OffsetDateTime};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, MouseEvent, PointerEvent};

use super::{send, with};
use crate::pages::calendar::desk::{Desk, Plan};

/// A press that moves less than this is a click.
const THRESHOLD_PX: f64 = 4.0;
/// A touch that moves more than this before its time is a scroll.
const STILL_PX: f64 = 8.0;
/// A touch selects after holding still for so long.
const HOLD: StdDuration = StdDuration::from_millis(350);
/// What a drag does.
#[derive(Clone, Debug)]
pub enum Act {
    /// Selects from a place and a time on.
    Select {
        place: Place,
        at: OffsetDateTime,
    },
    Move {
        before: Plan,
        places: Vec<Place>,
        place: Place,
        grab: Duration,
        end_only: bool,
    },
    Start {
        before: Plan,
    },
    End {
        before: Plan,
    },
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
    /// It is the plan that is dragged, which stays a plan.
    keep: bool,
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
    let ghost = closest(&element, ".sel");
    let act = with(|stage| {
        stage.measure();
        match (&bar, &ghost) {
            (Some(bar), _) => stage.grab(bar, x, y),
            (None, Some(ghost)) => stage.take(stage.desk.plan.get_untracked()?, ghost, x, y, None),
            (None, None) => {
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
        keep: ghost.is_some(),
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
        told(true);
    }
}

/// Says whether something is dragged.
fn told(dragging: bool) {
    with(|stage| stage.desk).into_iter().for_each(|desk| desk.dragging.set(dragging));
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
    if desk.plan.get_untracked().as_ref() != Some(&plan) {
        desk.plan.set(Some(plan));
    }
}

/// It goes up: what was selected stays for the panel; what was moved is saved.
pub fn up(event: &PointerEvent) {
    if drag(|drag| drag.pointer == event.pointer_id()) != Some(true) {
        return;
    }
    frame();
    let done = drag(|drag| (drag.going, drag.keep, drag.act.clone()));
    end();
    let Some((true, keep, act)) = done else { return };
    SPENT.set(true);
    let Some(desk) = with(|stage| stage.desk) else { return };
    match act {
        _ if keep => with(|stage| stage.say_plan()).into_iter().for_each(|words| desk.say(words)),
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
        told(false);
    }
}

/// Ends a drag without doing anything; whether there was one.
pub fn give_up() -> bool {
    let before = drag(|drag| match (&drag.act, drag.keep) {
        (Act::Move { before, .. } | Act::Start { before } | Act::End { before }, true) => Some(before.clone()),
        _ => None,
    });
    let going = drag(|drag| drag.going) == Some(true);
    end();
    if going && let Some(desk) = with(|stage| stage.desk) {
        desk.plan.set(before.flatten());
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

/// Why a running booking does not move, said once it is tried.
pub fn say_if_stuck(desk: Desk) {
    if drag(|drag| drag.going && matches!(drag.act, Act::Move { end_only: true, .. })) == Some(true) {
        desk.say(t().calendar.running_end_only);
    }
}
