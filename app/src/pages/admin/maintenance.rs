//! Maintenance: what runs, what is planned, what was; and the form that plans it, which shows who is hit before anything
//! is saved.

mod form;
pub mod look;

use domain::text::{When, t};
use domain::upkeep::{Hit, Maintenance as Planned};
use domain::wire::page::Frame;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::desk::{Desk, Head, Part, Table, nothing, refusal_above};
use super::nav::AdminPage;
use crate::api::upkeep::{CallOffMaintenance, MaintenanceView, PlanForm, SaveMaintenance, maintenance};
use crate::components::confirm::Confirm;
use crate::components::icon::Icon;
use crate::components::person::Person;
use crate::frame::loaded;
use form::PlanBox;

/// The page.
#[component]
pub fn Maintenance() -> impl IntoView {
    let words = &t().upkeep;
    let query = use_query_map();
    let asked = PlanForm::read(&query.read_untracked());
    let data = Resource::new_blocking(|| (), move |()| maintenance(asked.clone()));
    let (save, call_off) = (ServerAction::<SaveMaintenance>::new(), ServerAction::<CallOffMaintenance>::new());
    view! {
        <Desk title=words.title here=AdminPage::Maintenance>
            {loaded(data, move |frame, view| lists(&frame, view, save, call_off))}
        </Desk>
    }
}

fn lists(
    frame: &Frame,
    shown: MaintenanceView,
    save: ServerAction<SaveMaintenance>,
    call_off: ServerAction<CallOffMaintenance>,
) -> AnyView {
    let words = &t().upkeep;
    let when = When::new(&frame.zone, shown.page.now);
    let refused = call_off.value().get_untracked().and_then(Result::err);
    let open = shown.page.open.iter().map(|planned| open_one(planned, frame, &when, call_off)).collect_view();
    let past = shown.page.past.iter().map(|planned| past_one(planned, &when)).collect_view();
    let (no_open, no_past) = (shown.page.open.is_empty(), shown.page.past.is_empty());
    let heads =
        vec![Head::Text(words.when), Head::Text(words.reason), Head::Text(words.concerned), Head::Text(words.made_by)];
    view! {
        <Part id="planned" heading=words.planned note=words.planned_note>
            {refusal_above(refused)}
            {nothing(no_open, words.none_planned)}
            <ul class="works" hidden=no_open>
                {open}
            </ul>
        </Part>
        <PlanBox frame=frame.clone() shown save />
        <Part id="past" heading=words.past>
            {nothing(no_past, words.none_past)}
            <Table heads empty=no_past>{past}</Table>
        </Part>
    }
    .into_any()
}

fn open_one(planned: &Planned, frame: &Frame, when: &When<'_>, call_off: ServerAction<CallOffMaintenance>) -> AnyView {
    let words = &t().upkeep;
    let id = planned.id.to_string();
    let (anchor, href) = (format!("m-{id}"), format!("/admin/maintenance?change={id}#plan"));
    let window = &planned.plan.window;
    let runs = window.contains(when.now);
    let (state, icon) = if runs { ("maint", "maint") } else { ("booked", "cal") };
    let said = if runs { (words.runs_until)(&when.at(window.end())) } else { when.range(window) };
    let about = |label| (t().bookings.about)(label, &planned.plan.reason);
    let (label, sentence) = if runs {
        (words.end_now, (words.end_now_sure)(&planned.plan.reason))
    } else {
        (words.call_off, (words.call_off_sure)(&planned.plan.reason, planned.hits.len()))
    };
    view! {
        <li id=anchor>
            <div class="what">
                <p>
                    <span class="st" data-state=state>
                        <Icon name=icon />
                        {said}
                    </span>
                    " "
                    <b>{planned.plan.reason.clone()}</b>
                </p>
                <p class="ink2 sm">{concerned(planned)}</p>
                <p class="muted sm">{(words.planned_by)(&planned.made_by)}</p>
                {hit_list(&planned.hits, frame, when)}
            </div>
            <div class="acts">
                <a class="btn small" href=href aria-label=about(words.change)>
                    {words.change}
                </a>
                <Confirm label about=about(label) sentence class="small quiet">
                    <ActionForm action=call_off>
                        <input type="hidden" name="id" value=id />
                        <button class="btn small danger">{label}</button>
                    </ActionForm>
                </Confirm>
            </div>
        </li>
    }
    .into_any()
}

/// Who is hit, folded away.
fn hit_list(hits: &[Hit], frame: &Frame, when: &When<'_>) -> AnyView {
    if hits.is_empty() {
        return view! { <p class="muted sm">{t().upkeep.nobody_hit}</p> }.into_any();
    }
    view! {
        <details class="hits">
            <summary class="lnk sm">{(t().upkeep.hits)(hits.len())}</summary>
            {hit_table(hits, frame, when)}
        </details>
    }
    .into_any()
}

/// Who is hit: person, booking, cards, and the time in which both are.
pub(super) fn hit_table(hits: &[Hit], frame: &Frame, when: &When<'_>) -> AnyView {
    let words = &t().upkeep;
    let row = |hit: &Hit| {
        let own = frame.viewer.as_ref().is_some_and(|viewer| viewer.id == hit.owner);
        let purpose = if hit.purpose.is_empty() { t().booking.untitled.to_owned() } else { hit.purpose.clone() };
        view! {
            <tr>
                <th scope="row">
                    <Person name=hit.person.clone() hue=(!own).then_some(hit.hue) />
                </th>
                <td class="wrap">
                    <a class="lnk" href=format!("/bookings/{}", hit.reservation)>
                        {purpose}
                    </a>
                    <br />
                    <span class="muted">{when.range(&hit.window)}</span>
                </td>
                <td class="wrap">{t().cards_by_host(&hit.cards)}</td>
                <td>{when.range(&hit.overlap)}</td>
            </tr>
        }
        .into_any()
    };
    let rows = hits.iter().map(row).collect_view();
    let heads =
        vec![Head::Text(words.person), Head::Text(words.booking), Head::Text(words.cards), Head::Text(words.overlap)];
    view! {
        <Table heads>{rows}</Table>
    }
    .into_any()
}

fn past_one(planned: &Planned, when: &When<'_>) -> AnyView {
    let words = &t().upkeep;
    view! {
        <tr>
            <th scope="row">
                {when.range(&planned.plan.window)}
                {planned.called_off.then(|| view! { " "<span class="muted">{words.called_off}</span> })}
            </th>
            <td class="wrap">{planned.plan.reason.clone()}</td>
            <td class="wrap ink2">{concerned(planned)}</td>
            <td>{planned.made_by.clone()}</td>
        </tr>
    }
    .into_any()
}

/// What it concerns, in words.
fn concerned(planned: &Planned) -> String {
    let words = &t().upkeep;
    if planned.plan.targets.everywhere {
        return words.everything.to_owned();
    }
    let hosts = planned.hosts.iter().map(|host| (words.whole_host)(host));
    let cards = (!planned.cards.is_empty()).then(|| t().cards_by_host(&planned.cards));
    hosts.chain(cards).collect::<Vec<_>>().join("; ")
}
