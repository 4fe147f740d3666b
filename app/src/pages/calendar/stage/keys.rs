//! The keyboard: a cursor over rows and time, all that a pointer can do, and one key for each view.

use domain::calendar::Zoom;
use domain::calendar::axis::{snap, step};
use domain::calendar::clash::{By, obstacles};
use domain::calendar::lanes::{Place, between, card_at};
use domain::text::{When, t};
use domain::window::Window;
use leptos::leptos_dom::helpers::request_animation_frame;
use leptos::prelude::*;
use time::{Duration, OffsetDateTime};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use super::{Stage, drag, ghosts, steer, with};
use crate::live::dom::find;
use crate::pages::calendar::desk::{Desk, Plan};

/// Where the keyboard is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    /// Row and time; `None` before the first key.
    pub at: Option<(Place, OffsetDateTime)>,
    /// Where a selection began.
    anchor: Option<(Place, OffsetDateTime)>,
}

impl Cursor {
    /// The next selection begins anew.
    pub fn forget_selection(&mut self) {
        self.anchor = None;
    }
}

/// A key in the timeline.
pub fn pressed(desk: Desk, event: &KeyboardEvent) {
    if event.default_prevented() || event.alt_key() || event.meta_key() {
        return;
    }
    let (shift, ctrl) = (event.shift_key(), event.ctrl_key());
    let done = match event.key().as_str() {
        "ArrowLeft" => moved(desk, 0, -1, shift, ctrl),
        "ArrowRight" => moved(desk, 0, 1, shift, ctrl),
        "ArrowUp" => moved(desk, -1, 0, shift, ctrl),
        "ArrowDown" => moved(desk, 1, 0, shift, ctrl),
        "Home" => home(desk),
        "PageUp" => window_by(desk, -1),
        "PageDown" => window_by(desk, 1),
        "Enter" => enter(desk),
        " " => mark(desk),
        _ => false,
    };
    if done {
        event.prevent_default();
    }
}

/// A key anywhere on the page, as long as nothing is being typed.
pub fn anywhere(desk: Desk, event: &KeyboardEvent) {
    if event.default_prevented() || event.alt_key() || event.meta_key() || event.ctrl_key() {
        return;
    }
    let key = event.key();
    if key == "Escape" {
        return escape(desk, event);
    }
    let typing = event.target().and_then(|target| target.dyn_into::<Element>().ok()).is_some_and(|element| {
        element.matches("input, textarea, select, [contenteditable], dialog *").unwrap_or(false)
    });
    if typing || crate::pages::calendar::help::keys_are_off() {
        return;
    }
    let view = desk.view.get_untracked();
    let done = match key.as_str() {
        "1" | "2" | "3" | "4" => {
            let index = key.parse::<usize>().unwrap_or(1) - 1;
            let zoom = Zoom::ALL.get(index).copied().unwrap_or_default();
            steer::go(desk, view.with(|view| view.zoom = zoom), true);
            true
        }
        "b" | "B" => book(desk),
        "f" | "F" => {
            desk.finder.update(|count| *count += 1);
            focus("[data-finder] select") || focus("#cal-find")
        }
        "l" | "L" => {
            steer::go(desk, view.with(|view| view.list = !view.list), true);
            true
        }
        "/" => focus("#cal-find"),
        "[" | "]" => fold(desk, key == "["),
        "?" => {
            crate::pages::calendar::help::show();
            true
        }
        _ => false,
    };
    if done {
        event.prevent_default();
    }
}

fn escape(desk: Desk, event: &KeyboardEvent) {
    if drag::give_up() {
        event.prevent_default();
    } else if desk.opened.get_untracked().is_some() {
        desk.opened.set(None);
        focus("#cal-scroll");
        event.prevent_default();
    } else if desk.plan.get_untracked().is_some() {
        desk.plan.set(None);
        desk.say(t().calendar.cleared);
        event.prevent_default();
    }
    with(|stage| stage.cursor.forget_selection());
}

/// Whether it took the focus: what is not shown does not.
fn focus(selector: &str) -> bool {
    let element =
        find(&document().document_element(), selector).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    let Some(element) = element else { return false };
    element.focus().is_ok() && document().active_element().as_ref() == Some(element.as_ref())
}

fn moved(desk: Desk, rows: i32, steps: i32, select: bool, jump: bool) -> bool {
    let plan = with(|stage| {
        let before = stage.here();
        let after = stage.moved(before, rows, steps, jump)?;
        stage.cursor.at = Some(after);
        let plan = select.then(|| {
            let from = *stage.cursor.anchor.get_or_insert(before);
            stage.selected(from, after)
        });
        if !select {
            stage.cursor.anchor = None;
        }
        stage.show_cursor();
        Some(plan.flatten())
    });
    let Some(Some(plan)) = plan else { return false };
    let said = match plan {
        Some(plan) => {
            desk.plan.set(Some(plan.clone()));
            with(|stage| plan_words(stage, &plan))
        }
        None => with(|stage| stage.say_cursor()),
    };
    ghosts();
    desk.say(said.unwrap_or_default());
    true
}

fn home(desk: Desk) -> bool {
    steer::to_now(desk, true);
    with(|stage| {
        let (place, _) = stage.here();
        let now = snap(&stage.zone, stage.desk.now(), stage.view.zoom.snap());
        stage.cursor = Cursor { at: Some((place, now)), anchor: None };
    });
    ghosts();
    desk.say(with(|stage| stage.say_cursor()).unwrap_or_default());
    true
}

fn window_by(desk: Desk, by: i64) -> bool {
    let view = desk.view.get_untracked();
    let next = desk.with_zone(|zone| view.step(by, zone, desk.now()));
    steer::go(desk, next, true);
    with(|stage| {
        if let Some((_, at)) = &mut stage.cursor.at {
            *at += Duration::days(by * i64::from(stage.view.zoom.days()));
        }
    });
    true
}

/// Opens the booking at the cursor; on free time goes to the panel with what is selected, or with the usual length.
fn enter(desk: Desk) -> bool {
    let selecting = with(|stage| stage.cursor.anchor.is_some()) == Some(true);
    let open = with(|stage| (!selecting).then(|| stage.booking_here()).flatten()).flatten();
    if let Some((id, x, y)) = open {
        desk.open(id, x, y);
        return true;
    }
    book(desk)
}

fn book(desk: Desk) -> bool {
    if desk.plan.get_untracked().is_none() {
        let plan = with(|stage| {
            let (place, at) = stage.here();
            let card = card_at(&stage.calendar, &stage.rows, place)?.uuid.clone();
            let start = at.max(stage.desk.now());
            Some(Plan::new(vec![card], Window::new(start, start + Duration::hours(4)).ok()?))
        });
        desk.plan.set(plan.flatten());
    }
    // The panel may have to be drawn first.
    request_animation_frame(|| _ = focus("[data-panel-focus]"));
    true
}

/// Adds the card at the cursor to the plan, or takes it out.
fn mark(desk: Desk) -> bool {
    let plan = with(|stage| {
        let (place, at) = stage.here();
        let card = card_at(&stage.calendar, &stage.rows, place)?.uuid.clone();
        let Some(mut plan) = desk.plan.get_untracked() else {
            let window = stage.window(at, step(&stage.zone, at, stage.view.zoom.snap(), 1), stage.view.zoom.snap())?;
            return Some(Plan::new(vec![card], window));
        };
        if plan.cards.contains(&card) {
            plan.cards.retain(|known| *known != card);
            plan.shares.remove(&card);
        } else {
            plan.cards.push(card);
        }
        Some(plan)
    });
    let Some(plan) = plan.flatten() else { return false };
    let words = with(|stage| plan_words(stage, &plan)).unwrap_or_default();
    desk.plan.set((!plan.cards.is_empty()).then_some(plan));
    desk.say(words);
    true
}

fn fold(desk: Desk, closed: bool) -> bool {
    let name = with(|stage| {
        let (place, _) = stage.here();
        Some(stage.calendar.hosts.get(stage.rows.get(place.0)?.host)?.name.clone())
    });
    let Some(name) = name.flatten() else { return false };
    let view = desk.view.get_untracked();
    if view.folded.contains(&name) != closed {
        steer::go(desk, steer::fold(&view, &name), true);
    }
    true
}

/// A plan in words, and who is in its way.
pub fn plan_words(stage: &Stage, plan: &Plan) -> String {
    let when = When::new(&stage.zone, stage.desk.now());
    let length = when.length(plan.window.length());
    let words = (t().calendar.selection)(&when.range(&plan.window), &length, &stage.names(&plan.cards));
    let except = plan.edits.map(|(id, _)| id);
    let first = obstacles(&stage.calendar, &plan.cards, &plan.shares, &plan.window, except).into_iter().next();
    let who = first.and_then(|obstacle| match obstacle.by {
        By::Booking(at) => stage.calendar.bookings.get(at).map(|booking| {
            if booking.owner == stage.desk.viewer() { t().calendar.you.to_owned() } else { booking.holder.clone() }
        }),
        By::Closure(at) => stage.calendar.closures.get(at).map(|closure| closure.reason.clone()),
    });
    who.map_or_else(|| words.clone(), |who| (t().calendar.selection_taken)(&words, &who))
}

impl Stage {
    /// The cursor, or where it begins: the first row in sight, now.
    fn here(&self) -> (Place, OffsetDateTime) {
        let by = self.view.zoom.snap();
        let inside = |(place, at): &(Place, OffsetDateTime)| {
            card_at(&self.calendar, &self.rows, *place).is_some() && (self.axis.from()..self.axis.to()).contains(at)
        };
        self.cursor.at.filter(inside).unwrap_or_else(|| {
            let first = self.unfolded().iter().position(|rows| *rows > 0).unwrap_or(0);
            let now = self.desk.now();
            let at = if (self.axis.from()..self.axis.to()).contains(&now) { now } else { self.axis.from() };
            ((first, 0), snap(&self.zone, at, by))
        })
    }

    fn moved(
        &self,
        from: (Place, OffsetDateTime),
        rows: i32,
        steps: i32,
        jump: bool,
    ) -> Option<(Place, OffsetDateTime)> {
        let ((host, row), at) = from;
        let unfolded = self.unfolded();
        let all: Vec<Place> =
            unfolded.iter().enumerate().flat_map(|(host, rows)| (0..*rows).map(move |row| (host, row))).collect();
        let index = all.iter().position(|place| *place == (host, row)).unwrap_or(0);
        let index = index.saturating_add_signed(isize::try_from(rows).unwrap_or(0)).min(all.len().saturating_sub(1));
        let place = *all.get(index)?;
        let at = match steps {
            0 => at,
            steps if jump => self.edge(place, at, steps).unwrap_or(at),
            steps => step(&self.zone, at, self.view.zoom.snap(), steps),
        };
        let last = step(&self.zone, self.axis.to(), self.view.zoom.snap(), -1);
        Some((place, at.clamp(self.axis.from(), last)))
    }

    /// The next start or end on a row.
    fn edge(&self, place: Place, at: OffsetDateTime, way: i32) -> Option<OffsetDateTime> {
        let rows = self.rows.get(place.0)?;
        let on_row = |block: &&domain::calendar::lanes::Block| (block.row..block.row + block.rows).contains(&place.1);
        let edges = rows.blocks.iter().filter(on_row).flat_map(|block| [block.window.start(), block.window.end()]);
        let edges = edges.filter(|edge| (self.axis.from()..self.axis.to()).contains(edge));
        if way > 0 { edges.filter(|edge| *edge > at).min() } else { edges.filter(|edge| *edge < at).max() }
    }

    /// What lies between two places of the cursor, its own step included.
    fn selected(&self, a: (Place, OffsetDateTime), b: (Place, OffsetDateTime)) -> Option<Plan> {
        let by = self.view.zoom.snap();
        let window = self.window(a.1.min(b.1), step(&self.zone, a.1.max(b.1), by, 1), by)?;
        let kept = self
            .desk
            .plan
            .with_untracked(|plan| plan.as_ref().filter(|plan| plan.edits.is_none()).map(|plan| plan.purpose.clone()));
        let plan = Plan::new(between(&self.calendar, &self.rows, a.0, b.0), window);
        Some(Plan { purpose: kept.unwrap_or_default(), ..plan })
    }

    /// Scrolls so that the cursor is in sight.
    fn show_cursor(&mut self) {
        let Some((place, at)) = self.cursor.at else { return };
        self.measure();
        let grid = self.grid;
        let x = self.axis.at(at) * grid.hour;
        let y = grid.top_of(&self.unfolded(), place);
        let (wide, tall) = (grid.width - grid.head, grid.tall - grid.axis);
        let (left, top) = (f64::from(self.scroll.scroll_left()), f64::from(self.scroll.scroll_top()));
        #[expect(clippy::cast_possible_truncation, reason = "pixels")]
        let pixels = |at: f64| at.max(0.0) as i32;
        if x < left || x + grid.hour > left + wide {
            self.scroll.set_scroll_left(pixels(x - wide / 3.0));
        }
        if y < top || y + grid.lane > top + tall {
            self.scroll.set_scroll_top(pixels(y - tall / 3.0));
        }
    }

    /// The booking at the cursor, and where it is on the screen.
    fn booking_here(&self) -> Option<(domain::id::ReservationId, f64, f64)> {
        let (place, at) = self.cursor.at?;
        let on = |block: &&domain::calendar::lanes::Block| {
            (block.row..block.row + block.rows).contains(&place.1) && block.window.contains(at)
        };
        let block = self.rows.get(place.0)?.blocks.iter().find(on)?;
        let booking = self.calendar.bookings.get(block.booking)?;
        let grid = &self.grid;
        let x = grid.left + grid.head + self.axis.at(at) * grid.hour - f64::from(self.scroll.scroll_left());
        let y = grid.top + grid.axis + grid.top_of(&self.unfolded(), place) - f64::from(self.scroll.scroll_top());
        Some((booking.id, x, y + grid.lane))
    }

    /// Where the cursor is, in words.
    fn say_cursor(&self) -> String {
        let Some((place, at)) = self.cursor.at else { return String::new() };
        let words = &t().calendar;
        let when = When::new(&self.zone, self.desk.now());
        let host = self.rows.get(place.0).and_then(|rows| self.calendar.hosts.get(rows.host));
        let (Some(host), Some(card)) = (host, card_at(&self.calendar, &self.rows, place)) else { return String::new() };
        let scene = self.scene();
        let holder = self.calendar.bookings.iter().find_map(|booking| {
            let hold = booking.holds.iter().find(|hold| hold.card == card.uuid)?;
            let window = hold.window.unwrap_or(booking.window);
            window.contains(at).then(|| {
                let own = booking.owner == self.desk.viewer();
                (words.held_until)(if own { words.you } else { &booking.holder }, &when.at(window.end()))
            })
        });
        let closure = self.calendar.closures.iter().find(|closure| {
            closure.cards.contains(&card.uuid) && closure.window.is_none_or(|window| window.contains(at))
        });
        let what = if let Some(held) = holder {
            held
        } else if let Some(closure) = closure {
            (words.shut)(&closure.reason)
        } else if at + self.view.zoom.snap() <= self.desk.now() {
            words.past.to_owned()
        } else {
            let until = scene.busy.free_until(&card.uuid, at).map(|until| when.at(until));
            (words.free_until)(until.as_deref())
        };
        (words.cursor)(&host.name, card.number, &when.at(at), &what)
    }
}
