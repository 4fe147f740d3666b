//! What the form knows: the fields as they stand, what is booked, and what the portal answered.

use domain::draft::offer::clashes;
use domain::draft::{Draft, Problem, Unreadable};
use domain::error::{ErrorCode, Field};
use domain::id::{CardUuid, UserId};
use domain::reservation::Clash;
use domain::text::{When, t};
use domain::window::Window;
use domain::wire::live_v1::Fleet;
use domain::wire::page::{Frame, Viewer};
use domain::zone::ZoneTable;
use leptos::prelude::*;
use time::OffsetDateTime;

use super::fields;
use super::query::Asked;
use crate::api::bookings::BookPage;
use crate::error::AppError;
use crate::live::{LiveState, use_live};

/// Everything about one filling of the form.
#[derive(Clone, Copy)]
pub struct Form {
    /// The fields as they stand.
    pub draft: RwSignal<Draft>,
    /// Hosts, cards and what is known to be booked.
    pub fleet: RwSignal<Fleet>,
    /// Zone of the two times.
    pub zone: StoredValue<ZoneTable>,
    /// Who books.
    pub viewer: UserId,
    /// The button was pressed: every problem is shown, also about fields that nobody has touched.
    pub tried: RwSignal<bool>,
    /// The last refusal, until a field changes.
    pub refused: RwSignal<Option<AppError>>,
    /// An answer is awaited.
    pub sending: RwSignal<bool>,
    /// The fields came back after signing in.
    pub restored: RwSignal<bool>,
    /// The span that the times name.
    pub window: Memo<Result<Window, Unreadable>>,
    /// What is wrong with the form as it stands.
    pub problem: Memo<Option<(Option<Field>, String)>>,
    /// Bookings in the way.
    pub clashes: Memo<Vec<Clash>>,
    live: LiveState,
    rendered: OffsetDateTime,
}

impl Form {
    /// As the address asks for it.
    pub fn new(frame: &Frame, viewer: &Viewer, page: BookPage, asked: &Asked) -> Self {
        let live = use_live();
        let rendered = page.fleet.now;
        let zone = StoredValue::new(frame.zone.clone());
        let draft = RwSignal::new(asked.draft(&page, &frame.zone));
        let fleet = RwSignal::new(page.fleet);
        let tried = RwSignal::new(asked.was_refused());
        let refused = RwSignal::new(None::<AppError>);
        let viewer = viewer.id;
        let window = Memo::new(move |_| zone.with_value(|zone| draft.read().window(zone)));
        // By the minute, like the fields.
        let now = Memo::new(move |_| domain::draft::wall::minute(live.now(rendered)));
        let problem = Memo::new(move |_| zone.with_value(|zone| judge(&draft.read(), zone, now.get(), tried.get())));
        let in_the_way = Memo::new(move |_| {
            let Ok(window) = window.get() else { return Vec::new() };
            let cards = cards(&draft.read());
            known_clashes(&fleet.read(), &cards, &window, viewer, refused.read().as_ref())
        });
        Self {
            draft,
            fleet,
            zone,
            viewer,
            tried,
            refused,
            sending: RwSignal::new(false),
            restored: RwSignal::new(false),
            window,
            problem,
            clashes: in_the_way,
            live,
            rendered,
        }
    }

    /// The portal's clock, in what is shown and judged.
    pub fn now(self) -> OffsetDateTime {
        self.live.now(self.rendered)
    }

    /// The same, without following it.
    pub fn now_untracked(self) -> OffsetDateTime {
        self.live.tick.get_untracked().unwrap_or(self.rendered)
    }

    /// Says times in the form's zone.
    pub fn say<T>(self, words: impl FnOnce(&When<'_>) -> T) -> T {
        // Times are told from the day of the page; that the minute passes changes no word here.
        self.zone.with_value(|zone| words(&When::new(zone, self.now_untracked())))
    }

    /// Cards that are ticked.
    pub fn cards(self) -> Vec<CardUuid> {
        cards(&self.draft.read())
    }

    /// The idempotency key of this filling.
    pub fn key(self) -> String {
        self.draft.with_untracked(|draft| draft.key.clone())
    }

    /// What is wrong with a field.
    pub fn error(self, field: Field) -> Signal<Option<String>> {
        Signal::derive(move || {
            let shown = |problem: (Option<Field>, String)| (problem.0 == Some(field)).then_some(problem.1);
            self.problem.get().and_then(shown)
        })
    }

    /// Takes over what stands in the browser's fields.
    pub fn follow(self) {
        let draft = fields::read(&self.fleet.read_untracked(), self.draft.get_untracked());
        if self.draft.with_untracked(|before| *before != draft) {
            self.refused.set(None);
            self.draft.set(draft);
        }
    }

    /// Rewrites fields.
    pub fn rewrite(self, change: impl FnOnce(&mut Draft, &ZoneTable)) {
        self.follow();
        self.refused.set(None);
        self.draft.update(|draft| self.zone.with_value(|zone| change(draft, zone)));
        self.draft.with_untracked(|draft| fields::write(&self.fleet.read_untracked(), draft));
    }
}

/// Ticked cards that are cards.
fn cards(draft: &Draft) -> Vec<CardUuid> {
    draft.cards.iter().filter_map(|card| CardUuid::parse(card).ok()).collect()
}

fn judge(draft: &Draft, zone: &ZoneTable, now: OffsetDateTime, done: bool) -> Option<(Option<Field>, String)> {
    let problem = draft.problem(zone, now, done)?;
    // An empty field is being filled: say so only once it is sent.
    if !done
        && matches!(&problem, Problem::Unreadable(Unreadable::Start(bad) | Unreadable::End(bad)) if *bad == domain::draft::wall::BadWall::Empty)
    {
        return None;
    }
    Some((problem.field(now), t().problem(&problem, &When::new(zone, now))))
}

/// What the page knows, and what the portal has added to that.
fn known_clashes(
    fleet: &Fleet,
    cards: &[CardUuid],
    window: &Window,
    viewer: UserId,
    refused: Option<&AppError>,
) -> Vec<Clash> {
    let mut known = clashes(fleet, cards, window, viewer);
    if let Some(AppError::Api(error)) = refused
        && error.code == ErrorCode::Overlap
    {
        for clash in &error.clashes {
            if !known.iter().any(|other| other.reservation == clash.reservation && other.card == clash.card) {
                known.push(clash.clone());
            }
        }
    }
    known
}
