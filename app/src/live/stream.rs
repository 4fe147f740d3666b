//! The browser's end of the stream: one `EventSource` for the whole document.
//!
//! Changes wait for the next frame of the screen. A gap in the numbers, a `resync` or a new connection fetches the fleet
//! again. The stream is closed while the page is hidden.

use std::cell::RefCell;
use std::time::Duration as StdDuration;

use domain::text::t;
use domain::wire::live_v1::{EVENTS_PATH, Fleet, HOSTS_EVENT, Live, RESYNC_EVENT};
use leptos::leptos_dom::helpers::{
    TimeoutHandle, request_animation_frame, set_interval_with_handle, set_timeout_with_handle,
};
use leptos::prelude::*;
use leptos::task::spawn_local;
use time::{Duration, OffsetDateTime};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Event, EventSource, MessageEvent, VisibilityState};

use crate::live::board::Board;
use crate::live::dom::{all, set};
use crate::live::fetch::{Answer, FORM, post};
use crate::live::{Link, LiveState};

/// A connection that takes longer counts as lost.
const LOST_AFTER_MS: f64 = 3_000.0;
/// Without a message for this long the server is asked whether it is still there.
const QUIET_MS: f64 = 20_000.0;
/// Longest wait between two attempts.
const BACK_OFF_MAX_MS: u32 = 15_000;

#[derive(Default)]
struct Stream {
    live: Option<LiveState>,
    source: Option<Source>,
    board: Option<Board>,
    queue: Vec<Live>,
    painting: bool,
    fetching: bool,
    fetch_again: bool,
    attempts: u32,
    waiting: Option<TimeoutHandle>,
    /// Server's clock minus the browser's, in milliseconds.
    offset_ms: f64,
    down_since_ms: f64,
    heard_ms: f64,
}

struct Source {
    events: EventSource,
    _listeners: [Closure<dyn FnMut(Event)>; 4],
}

impl Drop for Source {
    fn drop(&mut self) {
        self.events.close();
    }
}

thread_local! {
    static STREAM: RefCell<Stream> = RefCell::new(Stream::default());
}

/// Who on this page shows what the stream tells.
#[derive(Clone, Copy)]
pub struct Follower {
    /// Brings the page to the fleet at this time.
    pub paint: fn(&Fleet, OffsetDateTime),
    /// Bookings may have changed.
    pub stale: fn(),
}

thread_local! {
    static FOLLOWERS: RefCell<Vec<Follower>> = const { RefCell::new(Vec::new()) };
}

/// From now on the page is told. Islands say so themselves, so that the browser part of a page without them has none of
/// their code.
pub fn follow(follower: Follower) {
    FOLLOWERS.with_borrow_mut(|all| all.push(follower));
}

fn followers() -> Vec<Follower> {
    FOLLOWERS.with_borrow(Clone::clone)
}

/// Whether the page wants the fleet.
fn wanted() -> bool {
    FOLLOWERS.with_borrow(|all| !all.is_empty())
}

/// Why acts are disabled, or that they are not.
fn set_obstacle(reason: Option<&str>) {
    for selector in ["[data-act]", "[data-pick]"] {
        for element in all(selector) {
            set(&element, "aria-disabled", reason.map(|_| "true"));
            set(&element, "title", reason);
        }
    }
}

/// Made by whichever island asks first; islands live as long as the document.
pub fn state() -> LiveState {
    thread_local! {
        static STATE: LiveState = LiveState::default();
    }
    STATE.with(|state| *state)
}

fn with<T>(f: impl FnOnce(&mut Stream) -> T) -> T {
    STREAM.with_borrow_mut(f)
}

fn millis(at: OffsetDateTime) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit into 53 bits")]
    let millis = (at.unix_timestamp_nanos() / 1_000_000) as f64;
    millis
}

fn set_link(link: Link) {
    if let Some(live) = with(|stream| stream.live)
        && live.link.get_untracked() != link
    {
        live.link.set(link);
        set_obstacle((link == Link::Lost).then_some(t().frame.offline_act));
    }
}

/// Starts clock and stream; a second call does nothing.
pub fn start(live: LiveState, rendered: OffsetDateTime) {
    let first = with(|stream| {
        let first = stream.live.is_none();
        if first {
            stream.live = Some(live);
            stream.offset_ms = millis(rendered) - js_sys::Date::now();
        }
        first
    });
    if !first {
        return;
    }
    live.last.set(Some(rendered));
    let _ = set_interval_with_handle(tick, StdDuration::from_secs(1));
    let hidden = || document().visibility_state() == VisibilityState::Hidden;
    let _ = window_event_listener_untyped("visibilitychange", move |_| {
        if hidden() {
            disconnect();
        } else {
            retry();
        }
    });
    let _ = window_event_listener_untyped("online", |_| retry());
    let _ = window_event_listener_untyped("offline", |_| broken());
    connect();
}

/// Connects at once.
pub fn retry() {
    with(|stream| stream.attempts = 0);
    connect();
}

fn disconnect() {
    with(|stream| {
        stream.source = None;
        stream.queue.clear();
        if let Some(waiting) = stream.waiting.take() {
            waiting.clear();
        }
    });
}

fn connect() {
    disconnect();
    let link = with(|stream| {
        stream.down_since_ms = js_sys::Date::now();
        stream.live.map(|live| live.link.get_untracked())
    });
    if link == Some(Link::Live) {
        set_link(Link::Opening);
    }
    let Ok(events) = EventSource::new(EVENTS_PATH) else { return broken() };
    let listen = |name: &str, f: fn(Event)| {
        let closure = Closure::<dyn FnMut(Event)>::new(f);
        let _ = events.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
        closure
    };
    let listeners = [
        listen("open", |_| opened()),
        listen("error", |_| broken()),
        listen(HOSTS_EVENT, |event| heard(&event)),
        listen(RESYNC_EVENT, |_| {
            changed();
            if wanted() {
                refetch();
            }
        }),
    ];
    with(|stream| stream.source = Some(Source { events, _listeners: listeners }));
}

fn opened() {
    with(|stream| {
        stream.attempts = 0;
        stream.heard_ms = js_sys::Date::now();
    });
    set_link(Link::Live);
    changed();
    // What happened since the page was rendered, or since the last connection, is nowhere in the stream.
    if wanted() {
        refetch();
    }
}

/// Has whoever shows more than the stream tells look again.
fn changed() {
    if let Some(live) = with(|stream| stream.live) {
        live.changes.update(|changes| *changes = changes.wrapping_add(1));
    }
}

/// The browser would try again by itself, but not after every kind of answer, and without back-off.
fn broken() {
    disconnect();
    let attempt = with(|stream| {
        stream.attempts += 1;
        stream.attempts
    });
    match with(|stream| stream.live).map(|live| live.link.get_untracked()) {
        Some(Link::SignedOut) => return,
        Some(Link::Lost) => {}
        _ => {
            with(|stream| stream.down_since_ms = js_sys::Date::now());
            set_link(if attempt > 1 { Link::Lost } else { Link::Opening });
        }
    }
    // An `EventSource` does not tell the status: ask whether the session is over.
    if attempt == 1 {
        spawn_local(async {
            let answer = post("/api/page/fleet", FORM, "").await;
            if answer.is_some_and(|(status, _)| status == 401) {
                signed_out();
            }
        });
    }
    let most = (500_u32 << attempt.min(5)).min(BACK_OFF_MAX_MS);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 15 000")]
    let wait = (f64::from(most) * (0.5 + js_sys::Math::random() / 2.0)) as u64;
    let waiting = set_timeout_with_handle(connect, StdDuration::from_millis(wait)).ok();
    with(|stream| stream.waiting = waiting);
}

fn heard(event: &Event) {
    let Some(text) = event.dyn_ref::<MessageEvent>().and_then(|event| event.data().as_string()) else { return };
    let Some(news) = crate::json::read::<Live>(&text) else { return };
    let paint = with(|stream| {
        let now = js_sys::Date::now();
        stream.heard_ms = now;
        // The largest difference is the one with the shortest way; a clock that was set shows as a leap.
        let offset = millis(news.now) - now;
        let leap = (offset - stream.offset_ms).abs() > 5_000.0;
        stream.offset_ms = if leap { offset } else { stream.offset_ms.max(offset) };
        stream.queue.push(news);
        !std::mem::replace(&mut stream.painting, true)
    });
    if paint {
        request_animation_frame(paint_queue);
    }
}

fn paint_queue() {
    let gap = with(|stream| {
        stream.painting = false;
        // While the fleet is on its way events wait: some may be in it, the rest continue it.
        if stream.fetching {
            return false;
        }
        let queue = std::mem::take(&mut stream.queue);
        if let (Some(last), Some(live)) = (queue.last(), stream.live) {
            live.last.set(Some(last.now));
        }
        let board = &mut stream.board;
        !queue.into_iter().all(|event| board.as_mut().is_none_or(|board| board.apply(event)))
    });
    if gap {
        refetch();
    } else {
        repaint();
    }
}

fn repaint() {
    let Some(live) = with(|stream| stream.live) else { return };
    STREAM.with_borrow(|stream| {
        if let Some(board) = &stream.board {
            let now = live.tick.get_untracked().unwrap_or(board.fleet.now).max(board.fleet.now);
            for follower in followers() {
                (follower.paint)(&board.fleet, now);
            }
        }
    });
}

/// Asks for the fleet anew; on pages that show none it only asks whether the session still stands. Bookings may have
/// changed too.
fn refetch() {
    for follower in followers() {
        (follower.stale)();
    }
    let go = with(|stream| {
        if stream.fetching {
            stream.fetch_again = true;
        }
        !std::mem::replace(&mut stream.fetching, true)
    });
    if go {
        spawn_local(async {
            fetched(post("/api/page/fleet", FORM, "").await);
        });
    }
}

fn fetched(answer: Option<Answer>) {
    let again = with(|stream| {
        stream.fetching = false;
        std::mem::take(&mut stream.fetch_again)
    });
    let Some((status, body)) = answer else { return broken() };
    if status == 401 {
        return signed_out();
    }
    let Some(fleet) = crate::json::read::<Fleet>(&body) else { return broken() };
    with(|stream| {
        stream.heard_ms = js_sys::Date::now();
        stream.queue.retain(|event| event.seq > fleet.seq);
        if let Some(live) = stream.live {
            live.last.set(Some(fleet.now));
        }
        stream.board = wanted().then(|| Board::new(fleet));
    });
    paint_queue();
    if again {
        refetch();
    }
}

fn signed_out() {
    disconnect();
    set_link(Link::SignedOut);
}

fn tick() {
    let now = js_sys::Date::now();
    let (live, offset, down, heard) =
        with(|stream| (stream.live, stream.offset_ms, stream.down_since_ms, stream.heard_ms));
    let Some(live) = live else { return };
    if document().visibility_state() == VisibilityState::Hidden {
        return;
    }
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970")]
    let at = OffsetDateTime::UNIX_EPOCH + Duration::milliseconds((now + offset) as i64);
    live.tick.set(Some(at));
    match live.link.get_untracked() {
        Link::Opening | Link::Still if now - down > LOST_AFTER_MS => set_link(Link::Lost),
        Link::Live if now - heard > QUIET_MS => {
            with(|stream| stream.heard_ms = now);
            refetch();
        }
        _ => {}
    }
    repaint();
}
