//! The panel beside the timeline: there while something is planned, and gone once it is booked.
//!
//! The plan of the desk and the draft of the panel are two views of one thing. Whichever is changed, the other follows;
//! what the timeline knows nothing of, such as repeats and colleagues, is the draft's alone.

use domain::draft::Draft;
use domain::draft::offer::Known;
use domain::error::ErrorCode;
use domain::id::{ReservationId, UserId};
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::text::{When, t};
use domain::user::Act;
use domain::wire::calendar::CalendarBooking;
use leptos::prelude::*;
use time::format_description::well_known::Rfc3339;

use super::desk::{Back, Desk, Plan, Undo, use_desk};
#[cfg(feature = "hydrate")]
use crate::api::bookings::LoadAround;
use crate::api::bookings::Sent;
use crate::components::icon::Icon;
#[cfg(feature = "hydrate")]
use crate::live::fetch::call_form;
use crate::pages::panel::look::{cards, shares};
use crate::pages::panel::scene::Scene;
use crate::pages::panel::state::Panel;
use crate::pages::panel::{PanelForm, view};

/// The panel, while the desk has a plan.
#[component]
pub fn DeskPanel() -> impl IntoView {
    let Some(desk) = use_desk() else { return ().into_any() };
    listen(desk);
    // Another booking's plan is another panel; a plan that moves is the same.
    let open = Memo::new(move |was: Option<&Option<Option<ReservationId>>>| {
        let planned = desk.plan.with(|plan| plan.as_ref().map(|plan| plan.edits.map(|(id, _)| id)));
        // It takes room from the timeline, which must not shrink below a pointer that drags.
        let shut = was.is_none_or(Option::is_none);
        if shut && desk.dragging.get() { None } else { planned }
    });
    (move || open.get().map(|edits| aside(desk, edits))).into_any()
}

fn aside(desk: Desk, edits: Option<ReservationId>) -> AnyView {
    let words = &t().book;
    let panel = Panel::new(scene(desk, edits), first(desk), false);
    let colleagues = StoredValue::new(None::<Vec<UserId>>);
    follow(desk, panel, edits, colleagues);
    let before = edits.and_then(|id| desk.booking(id));
    let after = Callback::new(move |sent: Sent| {
        done(desk, panel, before.as_ref().map(|before| (before, colleagues.get_value())), &sent)
    });
    let heading = if edits.is_some() { words.change_title } else { words.new_title };
    view! {
        <aside class="panel" aria-labelledby="panel-h">
            <header>
                <h2 id="panel-h">{heading}</h2>
                <button
                    type="button"
                    class="btn quiet icon small"
                    aria-label=words.close
                    on:click=move |_| desk.plan.set(None)
                >
                    <Icon name="x" />
                </button>
            </header>
            <PanelForm panel class="panelbody" after>
                {view::fields(panel)}
            </PanelForm>
        </aside>
    }
    .into_any()
}

/// What the panel knows, out of what the timeline has.
fn scene(desk: Desk, edits: Option<ReservationId>) -> Scene {
    let (viewer, zone) = (desk.person(), desk.with_zone(Clone::clone));
    let heads = desk.heads.get_untracked();
    let calendar = desk.calendar.get_untracked();
    let mut known = Known::of_calendar(&calendar, viewer.id, |card| heads.get(card).is_none_or(|head| head.well));
    if edits.is_some() {
        // What it holds itself is not in the way.
        known.iter_mut().for_each(|card| card.booked.retain(|booked| booked.reservation != edits));
    }
    let scene = Scene {
        zone,
        now: desk.now().unix_timestamp(),
        known,
        linked: Vec::new(),
        rules: Vec::new(),
        standing: domain::rules::Standing::default(),
        people: Vec::new(),
        viewer: viewer.id,
        for_others: viewer.role.may(Act::ChangeAnyBooking),
    };
    scene.with_calendar(&calendar)
}

/// The form that a plan begins with.
fn first(desk: Desk) -> Draft {
    let mut draft = Draft { key: uuid::Uuid::new_v4().to_string(), ..Draft::default() };
    let Some(plan) = desk.plan.get_untracked() else { return draft };
    if let Some((id, version)) = plan.edits {
        draft.change = id.to_string();
        draft.version = version.to_string();
        if let Some(booking) = desk.booking(id) {
            let instant = |at: time::OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
            draft.was_start = instant(booking.window.start());
            draft.was_end = instant(booking.window.end());
            if !booking.repeats {
                "none".clone_into(&mut draft.scope);
            }
        }
    }
    draft.purpose.clone_from(&plan.purpose);
    put(desk, &mut draft, &plan);
    draft
}

/// Puts what the timeline knows of a plan into a form.
fn put(desk: Desk, draft: &mut Draft, plan: &Plan) {
    draft.cards = plan.cards.iter().map(|card| card.as_str().to_owned()).collect();
    draft.shares = plan.shares.iter().map(|(card, count)| (card.as_str().to_owned(), count.to_string())).collect();
    desk.with_zone(|zone| draft.set_window(&plan.window, zone));
}

/// What the timeline can draw of a form; `None` while its times cannot be read.
fn plan_of(desk: Desk, draft: &Draft) -> Option<Plan> {
    let window = desk.with_zone(|zone| draft.window(zone)).ok()?;
    let edits = draft.change.parse().ok().zip(draft.version.parse().ok());
    Some(Plan { cards: cards(draft), shares: shares(draft), window, purpose: draft.purpose.clone(), edits })
}

/// Each follows the other.
///
/// `colleagues` becomes those of the booking that is changed, as they were.
fn follow(desk: Desk, panel: Panel, edits: Option<ReservationId>, colleagues: StoredValue<Option<Vec<UserId>>>) {
    Effect::new(move || {
        let Some(plan) = desk.plan.get() else { return };
        let now = panel.draft.with_untracked(|draft| plan_of(desk, draft));
        if now
            .as_ref()
            .is_none_or(|now| (&now.cards, now.window, &now.shares) != (&plan.cards, plan.window, &plan.shares))
        {
            panel.change(|draft| put(desk, draft, &plan));
        }
    });
    Effect::new(move || {
        let Some(plan) = panel.draft.with(|draft| plan_of(desk, draft)) else { return };
        let differs = desk.plan.with_untracked(|now| now.as_ref().is_some_and(|now| *now != plan));
        // Without a card there is nothing to draw, but the panel stays.
        if differs && !plan.cards.is_empty() {
            desk.plan.set(Some(plan));
        }
    });
    Effect::new(move |known: Option<()>| {
        desk.calendar.track();
        desk.heads.track();
        // The first time it has just been worked out.
        if known.is_some() {
            panel.scene.update(|now| {
                let Scene { people, rules, standing, .. } = std::mem::replace(now, scene(desk, edits));
                (now.people, now.rules, now.standing) = (people, rules, standing);
            });
        }
    });
    let drawn = StoredValue::new(None::<u32>);
    Effect::new(move || {
        let begun = drawn.try_update_value(Option::take).flatten();
        if let Some(key) = begun {
            desk.done(key);
        }
        if panel.sending.get()
            && let Some(plan) = desk.plan.get_untracked()
        {
            drawn.set_value(Some(desk.begin(plan)));
        }
    });
    #[cfg(not(feature = "hydrate"))]
    let _ = colleagues;
    #[cfg(feature = "hydrate")]
    leptos::task::spawn_local(async move {
        let about = edits.map(|id| format!("change={id}")).unwrap_or_default();
        if let Ok(around) = call_form::<LoadAround>(&about).await {
            if edits.is_some() {
                let shared = around.co_users;
                let _ = panel.draft.try_update(|draft| {
                    draft.co_users = shared.iter().map(ToString::to_string).collect();
                    "shown".clone_into(&mut draft.colleagues);
                });
                let _ = colleagues.try_set_value(Some(shared));
            }
            let _ = panel.scene.try_update(|scene| {
                scene.people = around.people;
                (scene.rules, scene.standing) = (around.own.rules, around.own.standing);
            });
        }
    });
}

/// A booking as it was before it was changed, and who shared it, as far as that is known.
type Before<'a> = (&'a CalendarBooking, Option<Vec<UserId>>);

/// It is booked: the panel clears itself, and what was done can be taken back.
fn done(desk: Desk, panel: Panel, before: Option<Before<'_>>, sent: &Sent) {
    let words = &t().book;
    let draft = panel.draft.get_untracked();
    let span = desk.with_zone(|zone| draft.window(zone).map(|window| When::new(zone, desk.now()).range(&window)));
    let said = match (&before, sent.reservations.len(), sent.refused.len()) {
        (Some(_), ..) => (words.saved)(&span.unwrap_or_default()),
        (None, 0, _) => {
            panel.refused.set(Some(series_refused(desk, sent)));
            return;
        }
        (None, 1, 0) => (words.booked)(cards(&draft).len(), &span.unwrap_or_default()),
        (None, booked, refused) => (words.booked_series)(booked, booked + refused),
    };
    let back = sent.reservations.first().map(|id| Back::Edit(back(desk, &draft, before, *id, sent)));
    desk.plan.set(None);
    desk.say(said.clone());
    desk.undo.set(Some(Undo { done: said, back }));
    desk.refetch();
}

/// The edit that takes it back.
fn back(desk: Desk, draft: &Draft, before: Option<Before<'_>>, id: ReservationId, sent: &Sent) -> EditAsk {
    let begun = desk.with_zone(|zone| draft.window(zone)).is_ok_and(|window| window.start() <= desk.now());
    let edit = match before {
        Some((before, co_users)) => Edit::Set(Target {
            window: Some(before.window),
            cards: Some(before.holds.iter().map(|hold| hold.card.clone()).collect()),
            shares: before.holds.iter().filter_map(|hold| Some((hold.card.clone(), hold.shares?))).collect(),
            purpose: Some(before.purpose.clone()),
            co_users,
            doubled: None,
        }),
        None if begun => Edit::EndNow,
        None => Edit::Cancel,
    };
    let scope = if sent.reservations.len() > 1 { Scope::Following } else { Scope::One };
    EditAsk { reservation: id, edit, scope, version: None, idempotency_key: sent.next_key }
}

/// Of all that repeat none was booked: each day with its reason.
fn series_refused(desk: Desk, sent: &Sent) -> String {
    let words = &t().book;
    let days = sent.refused.iter().take(5).map(|one| {
        let day = desk.with_zone(|zone| crate::pages::panel::look::series::day(one.day, &When::new(zone, desk.now())));
        let why = if one.why.code == ErrorCode::Overlap { words.day_taken_plain } else { one.why.message.as_str() };
        format!("{day}: {why}")
    });
    format!("{} {}", words.none_of_series, days.collect::<Vec<_>>().join("; "))
}

/// Links of the list that begin a booking open the panel instead of a page.
fn listen(desk: Desk) {
    Effect::new(move || {
        #[cfg(feature = "hydrate")]
        {
            let clicked = window_event_listener(leptos::ev::click, move |event| {
                use wasm_bindgen::JsCast;
                let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
                let link = target.and_then(|target| target.closest("a[data-plan]").ok().flatten());
                let Some(link) = link.filter(|_| !event.default_prevented() && !event.ctrl_key() && !event.meta_key())
                else {
                    return;
                };
                let text = |name: &str| link.get_attribute(name).unwrap_or_default();
                let at = |name: &str| time::OffsetDateTime::parse(&text(name), &Rfc3339).ok();
                let window = at("data-start").zip(at("data-end"));
                let window = window.and_then(|(start, end)| domain::window::Window::new(start, end).ok());
                if let (Some(window), Ok(card)) = (window, domain::id::CardUuid::parse(&text("data-plan"))) {
                    event.prevent_default();
                    desk.plan.set(Some(Plan::new(vec![card], window)));
                }
            });
            on_cleanup(move || clicked.remove());
        }
        #[cfg(not(feature = "hydrate"))]
        let _ = desk;
    });
}
