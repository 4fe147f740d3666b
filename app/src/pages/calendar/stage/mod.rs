//! Draws the calendar in the browser: what is in sight, and of that only what has changed.
//!
//! A host is filled when it comes into sight and emptied when it is far from it; its height stays. A new calendar is
//! compared row by row: a row that says what it said is not touched, whatever somebody does with the pointer meanwhile.
//!
//! - here: what is drawn, and when; `paint` changes what is there already
//! - [`grid`]: where a pointer is, in rows and times
//! - [`ghost`]: the plan, what is in its way, what is being saved, the cursor
//! - [`drag`], [`keys`]: selecting, moving, resizing; `plan`: what a drag means
//! - [`steer`]: time, zoom and filters
//! - [`send`]: fetching and saving

pub mod drag;
pub mod ghost;
pub mod grid;
pub mod keys;
mod paint;
mod plan;
pub mod send;
pub mod steer;

use std::cell::RefCell;
use std::sync::Arc;

use domain::calendar::axis::Axis;
use domain::calendar::free::Busy;
use domain::calendar::lanes::HostRows;
use domain::calendar::traces::Traces;
use domain::calendar::view::View;
use domain::calendar::visible::visible;
use domain::id::ReservationId;
use domain::text::When;
use domain::wire::calendar::Calendar;
use domain::wire::live_v1::Fleet;
use domain::zone::ZoneTable;
use leptos::leptos_dom::helpers::request_animation_frame;
use leptos::prelude::*;
use time::OffsetDateTime;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::desk::Desk;
use super::heads::{RowHead, RowHeads, row_heads, shared};
use super::markup::Markup;
use super::scene::{Scene, Sight};
use super::{agenda, axis, bars, rows};
use crate::live::dom::{children, text};
use crate::live::stream::{Follower, follow};
use grid::Grid;

/// Heads are drawn again after so long at the earliest.
const HEADS_EVERY_MS: f64 = 900.0;

/// A host in the document.
struct Drawn {
    element: Element,
    over: String,
    /// What is in it, where it is filled.
    inside: Option<Inside>,
}

/// What a host was filled with.
struct Inside {
    free: String,
    tracks: Vec<String>,
    used: String,
    heads: Vec<Option<RowHead>>,
}

/// The picture, and what it was made from.
pub struct Stage {
    desk: Desk,
    scroll: HtmlElement,
    tl: HtmlElement,
    zone: ZoneTable,
    calendar: Arc<Calendar>,
    heads: RowHeads,
    traces: Option<Traces>,
    view: View,
    axis: Axis,
    rows: Arc<Vec<HostRows>>,
    busy: Arc<Busy>,
    drawn: Vec<Drawn>,
    /// Everything of which a change needs other elements.
    shape: String,
    minute: OffsetDateTime,
    heads_ms: f64,
    grid: Grid,
    pub(self) cursor: keys::Cursor,
}

thread_local! {
    static STAGE: RefCell<Option<Stage>> = const { RefCell::new(None) };
}

/// Something with the stage, once there is one. Nothing in it may come back here.
fn with<T>(f: impl FnOnce(&mut Stage) -> T) -> Option<T> {
    STAGE.with_borrow_mut(|stage| stage.as_mut().map(f))
}

/// Begins with what the server rendered; the calendar is fetched at once.
pub fn begin(desk: Desk) {
    let by_id = |id: &str| document().get_element_by_id(id)?.dyn_into::<HtmlElement>().ok();
    let (Some(scroll), Some(tl)) = (by_id("cal-scroll"), by_id("cal-tl")) else { return };
    let zone = desk.with_zone(Clone::clone);
    let view = desk.view.get_untracked();
    let axis = view.axis(&zone, desk.now());
    let stage = Stage {
        desk,
        scroll,
        tl,
        zone,
        calendar: desk.calendar.get_untracked(),
        heads: RowHeads::new(),
        traces: None,
        view,
        axis,
        rows: Arc::default(),
        busy: Arc::default(),
        drawn: Vec::new(),
        shape: String::new(),
        minute: OffsetDateTime::UNIX_EPOCH,
        heads_ms: 0.0,
        grid: Grid::default(),
        cursor: keys::Cursor::default(),
    };
    STAGE.set(Some(stage));
    follow(Follower { paint: fleet, stale });
    steer::begin(desk);
    send::fetch(desk);
    let _ = window_event_listener_untyped("resize", |_| draw());
    // Unless somebody has scrolled already, or wants another day.
    if with(|stage| stage.scroll.scroll_left() == 0 && stage.view.from.is_none()) == Some(true) {
        steer::to_now(desk, false);
    }
}

/// Bookings may have changed.
fn stale() {
    if let Some(desk) = with(|stage| stage.desk) {
        send::fetch(desk);
    }
}

/// Takes in what cards do now.
fn fleet(fleet: &Fleet, now: OffsetDateTime) {
    let news = with(|stage| stage.take_fleet(fleet, now)).flatten();
    // Outside, because signals call back.
    if let Some(desk) = news {
        let heads = with(|stage| shared(&stage.heads)).unwrap_or_default();
        if *desk.heads.get_untracked() != heads {
            desk.heads.set(Arc::new(heads));
        }
        send::fetch_use(desk);
        draw();
    }
}

/// Takes in the calendar and the view, and draws what differs. Called where one of both has changed.
pub fn draw() {
    with(|stage| {
        let desk = stage.desk;
        if !desk.ready.get_untracked() || stage.heads.is_empty() {
            return;
        }
        stage.calendar = desk.calendar.get_untracked();
        stage.view = desk.view.get_untracked();
        stage.draw();
        agenda::show(&stage.scene());
    });
}

/// Draws the plan and everything else that lies over the rows.
pub fn ghosts() {
    with(|stage| {
        let plan = stage.desk.plan.get_untracked();
        let moving = plan.as_ref().and_then(|plan| plan.edits).map(|(id, _)| id);
        stage.fade(moving);
        stage.draw_over();
    });
}

/// The box was scrolled: fills what comes into sight.
pub fn scrolled() {
    thread_local! {
        static ASKED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }
    if !ASKED.replace(true) {
        request_animation_frame(|| {
            ASKED.set(false);
            with(|stage| {
                if stage.is_out_of_date() {
                    stage.fill(false);
                }
            });
        });
    }
}

impl Stage {
    fn sight(&self) -> Sight<'_> {
        Sight {
            calendar: &self.calendar,
            heads: &self.heads,
            view: &self.view,
            zone: &self.zone,
            viewer: self.desk.viewer(),
            now: self.desk.now(),
            scripted: true,
        }
    }

    /// With the rows as they were drawn last.
    fn scene(&self) -> Scene<'_> {
        let mut scene = Scene::again(self.sight(), self.rows.clone(), self.busy.clone());
        scene.hidden = self.moving();
        scene
    }

    /// Bookings of which a change is planned or on its way.
    fn moving(&self) -> Vec<ReservationId> {
        let planned = self.desk.plan.with_untracked(|plan| plan.as_ref().and_then(|plan| plan.edits));
        let sent = self.desk.pending.with_untracked(|pending| {
            pending.iter().filter_map(|one| one.plan.edits).map(|(id, _)| id).collect::<Vec<_>>()
        });
        planned.map(|(id, _)| id).into_iter().chain(sent).collect()
    }

    fn take_fleet(&mut self, fleet: &Fleet, now: OffsetDateTime) -> Option<Desk> {
        let at = js_sys::Date::now();
        let minute = now.replace_second(0).and_then(|at| at.replace_nanosecond(0)).unwrap_or(now);
        if at - self.heads_ms < HEADS_EVERY_MS && minute == self.minute {
            return None;
        }
        self.heads_ms = at;
        let heads = row_heads(fleet, self.desk.viewer(), &When::new(&self.zone, now));
        let bars = |head: &RowHead| (head.state, head.standing_kind(), head.idle, head.words.clone());
        let same = heads.len() == self.heads.len()
            && heads.iter().all(|(card, head)| self.heads.get(card).map(bars) == Some(bars(head)));
        self.heads = heads;
        if same && minute == self.minute {
            self.paint_heads();
            // Says when saving takes long.
            self.draw_over();
            return None;
        }
        self.minute = minute;
        Some(self.desk)
    }

    fn draw(&mut self) {
        let scene = Scene::new(self.sight());
        let mut shape = format!("{:?} {:?} {}", scene.axis.span(), self.view.zoom, self.view.by_number);
        for rows in scene.rows.iter() {
            let Some(host) = scene.host(rows) else { continue };
            shape += &format!(" {} {}", host.name, scene.is_folded(&host.name));
            for card in rows.cards.iter().filter_map(|card| host.cards.get(*card)) {
                shape += card.uuid.as_str();
            }
        }
        let (axis, rows, busy) = (scene.axis.clone(), scene.rows.clone(), scene.busy.clone());
        let mut html = Markup::default();
        let anew = shape != self.shape;
        if anew {
            axis::write(&mut html, &scene);
            for rows in scene.rows.iter() {
                rows::shell(&mut html, &scene, rows);
            }
            if scene.rows.is_empty() {
                super::nothing(&mut html, &scene);
            }
        }
        let (now, clock, hours) = (axis.at(self.desk.now()), scene.when().clock(self.desk.now()), axis.length());
        let style = self.tl.style();
        let _ = style.set_property("--now", &format!("{now:.3}"));
        if anew {
            let _ = style.set_property("--hours", &format!("{hours:.3}"));
            self.tl.set_inner_html(&html.done());
            let shells = children(&self.tl, ".tl-host");
            let empty = |element| Drawn { element, over: String::new(), inside: None };
            self.drawn = shells.into_iter().map(empty).collect();
            self.shape = shape;
        } else {
            text(&Some(self.tl.clone().into()), ".nowbadge", &clock);
        }
        self.axis = axis;
        (self.rows, self.busy) = (rows, busy);
        self.fill(true);
    }

    /// Hosts that have to be there: those in sight, and as much again above and below.
    fn in_sight(&self) -> std::ops::Range<usize> {
        let (top, tall) = (f64::from(self.scroll.scroll_top()), f64::from(self.scroll.client_height()));
        visible(&self.heights(), top - tall, top + 2.0 * tall)
    }

    /// Whether a host is in sight and not there, or there and far away.
    fn is_out_of_date(&self) -> bool {
        let range = self.in_sight();
        self.drawn.iter().enumerate().any(|(index, drawn)| drawn.inside.is_some() != range.contains(&index))
    }

    /// Fills what is in sight, empties what is far away. `all`: and changes what differs in what is there.
    fn fill(&mut self, all: bool) {
        self.measure();
        let range = self.in_sight();
        let mut drawn = std::mem::take(&mut self.drawn);
        let scene = self.scene();
        for (index, (drawn, rows)) in drawn.iter_mut().zip(scene.rows.iter()).enumerate() {
            let Some(host) = scene.host(rows) else { continue };
            if !range.contains(&index) {
                if drawn.inside.take().is_some() {
                    drawn.element.set_inner_html("");
                    drawn.over.clear();
                }
                continue;
            }
            if drawn.inside.is_some() && !all {
                continue;
            }
            let free = rows::free(&scene, host);
            let folded = scene.is_folded(&host.name);
            let count = if folded { 0 } else { rows.cards.len() };
            let tracks: Vec<String> = (0..count).map(|row| bars::track(&scene, rows, row)).collect();
            let used = rows::used(&scene, self.traces.as_ref(), rows, host);
            if let Some(inside) = &mut drawn.inside {
                paint::change(&drawn.element, inside, free, tracks);
                paint::change_used(&drawn.element, inside, used);
            } else {
                let mut html = Markup::default();
                rows::inside(&mut html, &scene, rows, host, &free, &tracks, &used);
                drawn.element.set_inner_html(&html.done());
                drawn.over.clear();
                let head = |card: &usize| scene.head(&host.cards.get(*card)?.uuid).cloned();
                let heads = rows.cards.iter().take(count).map(head).collect();
                drawn.inside = Some(Inside { free, tracks, used, heads });
            }
        }
        self.drawn = drawn;
        self.paint_heads();
        self.draw_over();
    }

    fn measure(&mut self) {
        self.grid = Grid::measure(&self.scroll, &self.tl, self.view.zoom);
    }

    /// Rows of each host that are unfolded.
    fn unfolded(&self) -> Vec<usize> {
        let folded = |rows: &HostRows| {
            let host = self.calendar.hosts.get(rows.host);
            host.is_some_and(|host| self.view.folded.contains(&host.name))
        };
        self.rows.iter().map(|rows| if folded(rows) { 0 } else { rows.cards.len() }).collect()
    }

    /// Height of each host, in pixels.
    fn heights(&self) -> Vec<f64> {
        self.unfolded().into_iter().map(|rows| self.grid.height(rows)).collect()
    }

    /// Bars of bookings that are being moved stand back.
    fn fade(&self, moving: Option<ReservationId>) {
        for bar in children(&self.tl, ".bk.moving") {
            let _ = bar.class_list().remove_1("moving");
        }
        for id in self.moving().into_iter().chain(moving) {
            for bar in children(&self.tl, &format!(".track .bk[data-id='{id}']")) {
                let _ = bar.class_list().add_1("moving");
            }
        }
    }
}
