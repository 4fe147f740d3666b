//! What the timeline and the panel beside it share: the island around both, and the signals in its context.
//!
//! Whoever stands inside [`CalendarDesk`] gets the signals with [`use_desk`]. A plan is both the ghost on the timeline
//! and what the panel edits: set it, and both show it. Nothing here is ever taken back by an update: a new calendar
//! changes `calendar` alone, so a drag in progress and typed text stay.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::band::State;
use domain::calendar::view::View;
use domain::id::{CardUuid, ReservationId, UserId};
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::text::t;
use domain::window::Window;
use domain::wire::calendar::{Calendar, CalendarAsk, CalendarBooking, Hold};
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::help::KeyList;
use super::panel::DeskPanel;
use super::popover::Popover;
use super::timeline::Timeline;
use super::toast::Toast;
use crate::live::use_live;

/// What the island begins with. The calendar itself is not in it: the page shows it already, and the island fetches it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Zone in which times are shown.
    pub zone: ZoneTable,
    /// Who looks.
    pub viewer: Viewer,
    /// The portal's clock, in seconds.
    pub now: i64,
    /// Names and values of the address's query.
    pub view: Vec<(String, String)>,
}

/// A booking that somebody is about to make, or to change.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Which cards, in the order of the rows.
    pub cards: Vec<CardUuid>,
    /// Of these only so many shares.
    pub shares: BTreeMap<CardUuid, u32>,
    /// When.
    pub window: Window,
    /// What for.
    pub purpose: String,
    /// The booking that is to become this, and its version; `None`: a new one.
    pub edits: Option<(ReservationId, i32)>,
}

impl Plan {
    /// A new booking of whole cards.
    #[must_use]
    pub fn new(cards: Vec<CardUuid>, window: Window) -> Self {
        Self { cards, shares: BTreeMap::new(), window, purpose: String::new(), edits: None }
    }

    /// A booking as it is now, without cards that have left it.
    #[must_use]
    pub fn of(booking: &CalendarBooking, now: OffsetDateTime) -> Self {
        let there = |hold: &&Hold| hold.window.is_none_or(|window| window.end() > now);
        let holds: Vec<&Hold> = booking.holds.iter().filter(there).collect();
        Self {
            cards: holds.iter().map(|hold| hold.card.clone()).collect(),
            shares: holds.iter().filter_map(|hold| Some((hold.card.clone(), hold.shares?))).collect(),
            window: booking.window,
            purpose: booking.purpose.clone(),
            edits: Some((booking.id, booking.version)),
        }
    }
}

/// A plan that has been sent and not been answered. The timeline draws it dashed, in the place of the booking it edits.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// Tells it from others; [`Desk::begin`] gives it.
    pub key: u32,
    /// What was sent.
    pub plan: Plan,
    /// When.
    pub since: OffsetDateTime,
    /// The answer has come; it stays until the calendar says the same.
    pub settled: bool,
}

/// Something that was done and can be taken back for ten seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    /// What was done, as a sentence.
    pub done: String,
    /// Takes it back; `None`: it is only said.
    pub back: Option<Back>,
}

/// How something is taken back.
#[derive(Clone, Debug, PartialEq)]
pub enum Back {
    /// By an edit.
    Edit(EditAsk),
    /// What was given back is booked again, as it was, for this time.
    Again(ReservationId, Window),
}

/// What a card is at now, as the head of its row says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// In the one vocabulary.
    pub state: State,
    /// In words, such as "Free until 16:00".
    pub words: String,
    /// It can be booked, as far as its own condition goes.
    pub well: bool,
}

/// The shared signals.
#[derive(Clone, Copy)]
pub struct Desk {
    start: StoredValue<Start>,
    /// The bookings; empty until `ready`.
    pub calendar: RwSignal<Arc<Calendar>>,
    /// The calendar has come.
    pub ready: RwSignal<bool>,
    /// Time, zoom and filters, as the address says.
    pub view: RwSignal<View>,
    /// What cards do now. Changes only when a word of it does.
    pub heads: RwSignal<Arc<BTreeMap<CardUuid, Head>>>,
    /// What is planned.
    pub plan: RwSignal<Option<Plan>>,
    /// The pointer drags something over the timeline.
    pub dragging: RwSignal<bool>,
    /// What has been sent and not been answered.
    pub pending: RwSignal<Vec<Pending>>,
    /// The booking whose popover is open, and where on the screen it was asked for.
    pub opened: RwSignal<Option<(ReservationId, f64, f64)>>,
    /// What the live region says.
    pub said: RwSignal<String>,
    /// What can be taken back.
    pub undo: RwSignal<Option<Undo>>,
    /// Counted up to have the calendar fetched anew.
    pub stale: RwSignal<u32>,
    /// Counted up by the key F, for whoever shows a finder.
    pub finder: RwSignal<u32>,
    keys: RwSignal<u32>,
}

impl Desk {
    /// With an empty calendar.
    #[must_use]
    pub fn new(start: Start) -> Self {
        let now = OffsetDateTime::from_unix_timestamp(start.now).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let empty = Calendar {
            span: CalendarAsk { from: now, to: now },
            now,
            version: String::new(),
            hosts: Vec::new(),
            bookings: Vec::new(),
            closures: Vec::new(),
            waiting: Vec::new(),
            rules: Vec::new(),
            groups: Vec::new(),
        };
        let view = View::read(start.view.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        Self {
            start: StoredValue::new(start),
            calendar: RwSignal::new(Arc::new(empty)),
            ready: RwSignal::new(false),
            view: RwSignal::new(view),
            heads: RwSignal::new(Arc::default()),
            plan: RwSignal::new(None),
            dragging: RwSignal::new(false),
            pending: RwSignal::new(Vec::new()),
            opened: RwSignal::new(None),
            said: RwSignal::new(String::new()),
            undo: RwSignal::new(None),
            stale: RwSignal::new(0),
            finder: RwSignal::new(0),
            keys: RwSignal::new(0),
        }
    }

    /// Who looks.
    #[must_use]
    pub fn viewer(&self) -> UserId {
        self.start.with_value(|start| start.viewer.id)
    }

    /// Who looks, with name and role.
    #[must_use]
    pub fn person(&self) -> Viewer {
        self.start.with_value(|start| start.viewer.clone())
    }

    /// Something with the zone in which times are shown.
    pub fn with_zone<T>(&self, f: impl FnOnce(&ZoneTable) -> T) -> T {
        self.start.with_value(|start| f(&start.zone))
    }

    /// The portal's time; as rendered until the browser's clock runs. Does not track.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        let rendered = self.start.with_value(|start| start.now);
        let rendered = OffsetDateTime::from_unix_timestamp(rendered).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        use_live().tick.get_untracked().unwrap_or(rendered)
    }

    /// Says something in the one polite live region.
    pub fn say(&self, text: impl Into<String>) {
        self.said.set(text.into());
    }

    /// Opens the popover of a booking at a place on the screen.
    pub fn open(&self, booking: ReservationId, x: f64, y: f64) {
        self.opened.set(Some((booking, x, y)));
    }

    /// A booking of the calendar at hand.
    #[must_use]
    pub fn booking(&self, id: ReservationId) -> Option<CalendarBooking> {
        self.calendar.with_untracked(|calendar| calendar.bookings.iter().find(|booking| booking.id == id).cloned())
    }

    /// Has the calendar fetched anew.
    pub fn refetch(&self) {
        self.stale.update(|count| *count += 1);
    }

    /// Draws a plan dashed until [`Desk::done`] is called with the key that this gives.
    #[must_use]
    pub fn begin(&self, plan: Plan) -> u32 {
        let key = self.keys.get_untracked() + 1;
        self.keys.set(key);
        let since = self.now();
        self.pending.update(|pending| pending.push(Pending { key, plan, since, settled: false }));
        key
    }

    /// The answer has come: fetches the calendar, and takes the dashed bar away once that is here.
    pub fn done(&self, key: u32) {
        let mine = |one: &&mut Pending| one.key == key;
        self.pending.update(|pending| pending.iter_mut().filter(mine).for_each(|one| one.settled = true));
        self.refetch();
    }
}

/// The ask that makes a booking what a plan says.
#[must_use]
pub fn edit_of(plan: &Plan, scope: Scope) -> Option<EditAsk> {
    let (reservation, version) = plan.edits?;
    let target = Target {
        window: Some(plan.window),
        cards: Some(plan.cards.clone()),
        shares: plan.shares.clone(),
        ..Target::default()
    };
    let key = uuid::Uuid::new_v4();
    Some(EditAsk { reservation, edit: Edit::Set(target), scope, version: Some(version), idempotency_key: key })
}

/// The signals of the island around this.
#[must_use]
pub fn use_desk() -> Option<Desk> {
    use_context::<Desk>()
}

/// The island: the timeline that the server rendered, the popover, what can be taken back, and the panel.
#[cfg_attr(not(feature = "plan"), component)]
#[cfg_attr(feature = "plan", island)]
pub fn CalendarDesk(
    /// [`Start`], as JSON.
    start: String,
    /// The timeline as the server rendered it.
    children: Children,
) -> impl IntoView {
    // Written by this program; where that fails there is nothing to come alive.
    let Some(start) = crate::json::read::<Start>(&start) else { return children().into_any() };
    let desk = Desk::new(start);
    provide_context(desk);
    view! {
        <Timeline>{children()}</Timeline>
        <Popover />
        <Toast />
        <KeyList />
        <DeskPanel />
        <p class="sr" role="status" aria-label=t().calendar.timeline>
            {move || desk.said.get()}
        </p>
    }
    .into_any()
}
