//! The form of one rule. One of its buttons saves it, the other tries it on the last 30 days and saves nothing.

use domain::error::{ApiError, Field};
use domain::rules::draft::{Kind, RuleDraft};
use domain::rules::{LABEL_MAX_CHARS, NAME_MAX_CHARS};
use domain::text::t;
use domain::wire::page::Frame;
use domain::wire::rules::{RulesPage, Trial};
use leptos::prelude::*;

use super::super::desk::{Part, refusal};
use super::trial::result;
use crate::api::rules::SaveRule;
use crate::components::field::TextField;
use crate::error::AppError;

/// The form, and what the rule would have done.
#[component]
pub fn RuleForm(
    frame: Frame,
    page: RulesPage,
    draft: RuleDraft,
    tried: Option<Result<Trial, ApiError>>,
    save: ServerAction<SaveRule>,
) -> impl IntoView {
    let words = &t().rules.pages;
    let kind = draft.kind().unwrap_or(Kind::Longest);
    let not_saved = save.value().get_untracked().and_then(Result::err);
    let not_tried = tried.as_ref().and_then(|tried| tried.as_ref().err()).cloned().map(AppError::Api);
    let refused = not_tried.or(not_saved);
    let errors = Errors(refused.clone());
    let other = refused.filter(|error| !matches!(error.field(), Some(Field::Name | Field::Label | Field::Limit)));
    let heading = if draft.id.is_empty() {
        (words.kind)(kind).to_owned()
    } else {
        let known = page.rules.iter().find(|row| row.rule.id.to_string() == draft.id);
        (words.change_rule)(known.map_or(draft.name.as_str(), |row| row.rule.name.as_str()))
    };
    view! {
        <Part id="form" heading=heading note=(words.kind_note)(kind)>
            <div class="pad">
                <ActionForm action=save attr:class="form ruleform">
                    <input type="hidden" name="id" value=draft.id.clone() />
                    <input type="hidden" name="kind" value=kind.as_str() />
                    <div class="three">
                        <TextField
                            label=words.name
                            name="name"
                            value=name(&draft, kind)
                            hint=words.name_hint
                            error=errors.on(Field::Name)
                            maxlength=u32::try_from(NAME_MAX_CHARS).unwrap_or(u32::MAX)
                        />
                        {group(&page, &draft)}
                        {label(&page, &draft, errors.on(Field::Label))}
                    </div>
                    <div class="three">{figures(kind, &draft, errors.on(Field::Limit))}</div>
                    {refusal(other)}
                    <div class="row">
                        <button class="btn primary">{words.save}</button>
                        <button class="btn" name="try" value="1" formmethod="get" formaction="/admin/rules#tried">
                            {words.try_it}
                        </button>
                        <a class="btn quiet" href="/admin/rules">
                            {words.leave}
                        </a>
                    </div>
                </ActionForm>
            </div>
            {tried.and_then(Result::ok).map(|trial| result(&frame, &trial))}
        </Part>
    }
}

/// What is wrong, by the field that it is about.
#[derive(Clone)]
struct Errors(Option<AppError>);

impl Errors {
    fn on(&self, field: Field) -> Signal<Option<String>> {
        let about = self.0.as_ref().filter(|error| error.field() == Some(field));
        Signal::stored(about.map(|error| error.message().to_owned()))
    }
}

/// A new rule is called after its kind.
fn name(draft: &RuleDraft, kind: Kind) -> String {
    if draft.name.is_empty() { (t().rules.pages.kind)(kind).to_owned() } else { draft.name.clone() }
}

fn group(page: &RulesPage, draft: &RuleDraft) -> AnyView {
    let words = &t().rules.pages;
    let option = |id: String, name: String| {
        let selected = id == draft.group;
        view! {
            <option value=id selected=selected>
                {name}
            </option>
        }
        .into_any()
    };
    let groups = page.groups.iter().map(|group| option(group.id.to_string(), group.name.clone())).collect_view();
    view! {
        <div class="field">
            <label for="group">{words.group}</label>
            <select class="input" id="group" name="group">
                <option value="">{words.everybody}</option>
                {groups}
            </select>
        </div>
    }
    .into_any()
}

fn label(page: &RulesPage, draft: &RuleDraft, error: Signal<Option<String>>) -> AnyView {
    let words = &t().rules.pages;
    let known = page.labels.iter().map(|label| view! { <option value=label.clone()></option> }).collect_view();
    let said = error.get_untracked();
    let bad = said.is_some();
    view! {
        <div class="field">
            <label for="label">{words.label}</label>
            <input
                class="input"
                id="label"
                name="label"
                list="labels-known"
                value=draft.label.clone()
                maxlength=LABEL_MAX_CHARS.to_string()
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                aria-invalid=bad.then_some("true")
                aria-describedby="label-note"
            />
            <datalist id="labels-known">{known}</datalist>
            <small id="label-note" class=if bad { "err" } else { "" }>
                {said.unwrap_or_else(|| words.label_hint.to_owned())}
            </small>
        </div>
    }
    .into_any()
}

/// The fields of the limit itself; what is wrong with it stands at the first of them.
fn figures(kind: Kind, draft: &RuleDraft, error: Signal<Option<String>>) -> AnyView {
    let words = &t().rules.pages;
    let none = Signal::stored(None);
    let text = |label, name, value: &str, hint: &str, error, optional| {
        view! { <TextField label=label name=name value=value.to_owned() hint=hint.to_owned() error=error optional=optional /> }
            .into_any()
    };
    let length = |error| text((words.length)(kind), "length", &draft.length, words.length_hint, error, false);
    let cards = |error| text(words.cards, "cards", &draft.cards, "", error, false);
    match kind {
        Kind::Longest | Kind::Shortest | Kind::Horizon => length(error),
        Kind::MostCards => cards(error),
        Kind::Far => view! {
            {cards(error)}
            {length(none)}
        }
        .into_any(),
        Kind::GpuHours => view! {
            {text(words.gpu_hours, "hours", &draft.hours, "", error, false)}
            <div class="field">
                <label for="per">{words.per}</label>
                <select class="input" id="per" name="per">
                    <option value="week" selected=draft.per != "month">
                        {words.week}
                    </option>
                    <option value="month" selected=draft.per == "month">
                        {words.month}
                    </option>
                </select>
            </div>
        }
        .into_any(),
        Kind::Hours => view! {
            <div class="whole-row">
                {text(words.spans, "spans", &draft.spans, words.spans_hint, error, false)}
            </div>
        }
        .into_any(),
        Kind::Approval => ().into_any(),
        Kind::Idle => view! {
            {length(error)}
            {text(words.no_show, "no_show", &draft.no_show, words.length_hint, none, false)}
            {text(words.release, "release", &draft.release, words.release_hint, none, true)}
        }
        .into_any(),
    }
}
