//! The form that plans maintenance. Its first button shows who is hit, its second saves what was shown.

use domain::draft::wall::{self, Which};
use domain::error::Field;
use domain::text::{When, t};
use domain::upkeep::{CaredCard, CaredHost, Preview, REASON_MAX_CHARS};
use domain::wire::page::Frame;
use domain::zone::Wall;
use leptos::prelude::*;

use super::super::desk::{Part, refusal_above};
use super::hit_table;
use crate::api::upkeep::{Judged, MaintenanceView, PlanForm, SaveMaintenance};

/// The form, and what it would mean.
#[component]
pub fn PlanBox(frame: Frame, shown: MaintenanceView, save: ServerAction<SaveMaintenance>) -> impl IntoView {
    let words = &t().upkeep;
    let MaintenanceView { page, form, changing, judged } = shown;
    let when = When::new(&frame.zone, page.now);
    let refusal = match &judged {
        Some(Judged::Refused(refusal)) => Some(refusal.clone()),
        _ => None,
    };
    let said = |fields: &[Field]| {
        let refusal = refusal.as_ref()?;
        refusal.field.is_some_and(|field| fields.contains(&field)).then(|| refusal.message.clone())
    };
    let zone = (words.zone)(frame.zone.name());
    let heading = if changing.is_some() { words.change_heading } else { words.plan_heading };
    let too_late = save.value().get_untracked().and_then(Result::err);
    let reason = reason(&form, said(&[Field::Reason]));
    let start = time("start", words.start, &form.start, form.start_which, said(&[Field::Start]), &when);
    let end = time("end", words.end, &form.end, form.end_which, said(&[Field::End]), &when);
    let targets = targets(&form, &page.hosts, said(&[Field::Cards, Field::Host]));
    let judged = match judged {
        Some(Judged::Fits { preview, ask }) => preview_part(&preview, ask, changing.is_some(), &frame, &when, save),
        _ => ().into_any(),
    };
    view! {
        <Part id="plan" heading=heading note=words.plan_note>
            <form class="pad form planform" method="get" action="/admin/maintenance#look">
                <input type="hidden" name="look" value="1" />
                {changing.map(|id| view! { <input type="hidden" name="change" value=id.to_string() /> })}
                {reason} <div class="two">{start} {end}</div> <p class="muted sm">{zone}</p> {targets} <div class="row">
                    <button class="btn">{words.show_hits}</button>
                    {changing
                        .is_some()
                        .then(|| {
                            view! {
                                <a class="btn quiet" href="/admin/maintenance">
                                    {words.leave_as_is}
                                </a>
                            }
                        })}
                </div>
            </form>
            {refusal_above(too_late)}
            {judged}
        </Part>
    }
}

fn reason(form: &PlanForm, error: Option<String>) -> AnyView {
    let words = &t().upkeep;
    let bad = error.is_some();
    view! {
        <div class="field">
            <label for="reason">{words.reason}</label>
            <input
                class="input"
                id="reason"
                name="reason"
                value=form.reason.clone()
                required
                maxlength=REASON_MAX_CHARS.to_string()
                autocomplete="off"
                aria-invalid=bad.then_some("true")
                aria-describedby="reason-note"
            />
            <small id="reason-note" class=if bad { "err" } else { "" }>
                {error.unwrap_or_else(|| words.reason_hint.to_owned())}
            </small>
        </div>
    }
    .into_any()
}

/// A time; where clocks show it twice, which of the two.
fn time(
    name: &'static str,
    label: &'static str,
    value: &str,
    which: Option<Which>,
    error: Option<String>,
    when: &When<'_>,
) -> AnyView {
    let note = format!("{name}-note");
    let bad = error.is_some();
    let twice = match wall::parse(value).map(|wall| when.zone.resolve(wall)) {
        Some(Wall::Twice(first, second)) => Some([(Which::First, first), (Which::Second, second)]),
        _ => None,
    };
    let choice = |(one, at): (Which, _)| {
        view! {
            <label class="check">
                <input
                    type="radio"
                    name=format!("{name}_which")
                    value=one.as_str()
                    checked=which == Some(one)
                />
                {when.clock(at)}
            </label>
        }
        .into_any()
    };
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <input
                class="input"
                type="datetime-local"
                id=name
                name=name
                value=value.to_owned()
                required
                aria-invalid=bad.then_some("true")
                aria-describedby=note.clone()
            />
            {twice.map(|both| both.into_iter().map(choice).collect_view())}
            <small id=note class=if bad { "err" } else { "" }>
                {error}
            </small>
        </div>
    }
    .into_any()
}

fn targets(form: &PlanForm, hosts: &[CaredHost], error: Option<String>) -> AnyView {
    let words = &t().upkeep;
    let bad = error.is_some();
    view! {
        <fieldset class="targets" aria-describedby="targets-note" aria-invalid=bad.then_some("true")>
            <legend>{words.concerned}</legend>
            <label class="check">
                <input type="checkbox" name="everywhere" value="1" checked=form.everywhere />
                {words.everything}
            </label>
            {hosts.iter().map(|host| host_targets(form, host)).collect_view()}
            <small id="targets-note" class=if bad { "err" } else { "muted" }>
                {error.unwrap_or_else(|| words.concerned_hint.to_owned())}
            </small>
        </fieldset>
    }
    .into_any()
}

fn host_targets(form: &PlanForm, host: &CaredHost) -> AnyView {
    let words = &t().upkeep;
    let id = host.id.to_string();
    let ticked = |card: &CaredCard| form.cards.iter().any(|ticked| ticked == card.uuid.as_str());
    let some = host.cards.iter().any(ticked);
    let cards = host.cards.iter().map(|card| {
        view! {
            <label class="check">
                <input type="checkbox" name="card" value=card.uuid.to_string() checked=ticked(card) />
                <b>{card.number.to_string()}</b>
                <span class="muted">{card.model.clone()}</span>
            </label>
        }
        .into_any()
    });
    view! {
        <div class="target">
            <label class="check">
                <input type="checkbox" name="host" value=id.clone() checked=form.hosts.contains(&id) />
                {host.name.clone()}
                <span class="muted">{(words.all_cards_of)(host.cards.len())}</span>
            </label>
            <details open=some>
                <summary class="lnk sm" aria-label=(words.single_cards_of)(&host.name)>
                    {words.single_cards}
                </summary>
                <div class="ticks">{cards.collect_view()}</div>
            </details>
        </div>
    }
    .into_any()
}

/// Who is hit, and the button that saves just this.
fn preview_part(
    preview: &Preview,
    ask: String,
    change: bool,
    frame: &Frame,
    when: &When<'_>,
    save: ServerAction<SaveMaintenance>,
) -> AnyView {
    let words = &t().upkeep;
    let plan = &preview.plan;
    let hits = preview.hits.len();
    let lead = (words.preview)(preview.cards, &when.range(&plan.window), &when.length(plan.window.length()));
    let told = (words.preview_told)(hits);
    let label = if change { (words.save_change)(hits) } else { (words.save)(hits) };
    view! {
        <div class="lookbox" id="look">
            <h3>{words.look_heading}</h3>
            <p class="sm">{lead} " " {told}</p>
            {(hits > 0).then(|| hit_table(&preview.hits, frame, when))}
            <ActionForm action=save>
                <input type="hidden" name="ask" value=ask />
                {change.then(|| view! { <input type="hidden" name="change" value="true" /> })}
                <button class="btn primary">{label}</button>
            </ActionForm>
        </div>
    }
    .into_any()
}
