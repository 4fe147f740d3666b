//! Rules: those that are in force, the form that makes one and tries it on the last 30 days, the time for approvals.

mod form;
pub mod look;
mod trial;

use domain::rules::draft::Kind;
use domain::text::{When, t};
use domain::wire::page::Frame;
use domain::wire::rules::{RuleRow, RulesPage};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::desk::{Desk, Part, nothing, refusal_above};
use super::nav::AdminPage;
use crate::api::rules::{RemoveRule, RulesLook, RulesView, SaveRule, SetApprovalHours, rules};
use crate::components::confirm::Confirm;
use crate::components::field::TextField;
use crate::components::icon::Icon;
use crate::frame::loaded;
use form::RuleForm;

/// What can be done here.
#[derive(Clone, Copy)]
struct Acts {
    save: ServerAction<SaveRule>,
    remove: ServerAction<RemoveRule>,
    approvals: ServerAction<SetApprovalHours>,
}

/// The page.
#[component]
pub fn Rules() -> impl IntoView {
    let title = t().rules.title;
    let query = use_query_map();
    let look = RulesLook::read(&query.read_untracked());
    let data = Resource::new_blocking(move || look.clone(), rules);
    let acts = Acts { save: ServerAction::new(), remove: ServerAction::new(), approvals: ServerAction::new() };
    view! {
        <Desk title=title here=AdminPage::Rules>
            {loaded(data, move |frame, view| content(&frame, view, acts))}
        </Desk>
    }
}

fn content(frame: &Frame, view: RulesView, acts: Acts) -> AnyView {
    let RulesView { page, form, tried } = view;
    let hours = page.approval_hours;
    let form = match form {
        None => kinds(),
        Some(draft) => {
            view! { <RuleForm frame=frame.clone() page=page.clone() draft tried save=acts.save /> }.into_any()
        }
    };
    view! {
        {list(frame, &page, acts)}
        {form}
        {approvals(hours, acts)}
    }
    .into_any()
}

fn list(frame: &Frame, page: &RulesPage, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let refused = acts.remove.value().get_untracked().and_then(Result::err);
    let rows = page.rules.iter().map(|row| one(frame, page, row, acts)).collect_view();
    let none = page.rules.is_empty();
    view! {
        <Part id="rules" heading=t().rules.title note=words.rules_note>
            {refusal_above(refused)}
            {nothing(none, words.no_rules)}
            <ul class="rulelist" hidden=none>
                {rows}
            </ul>
        </Part>
    }
    .into_any()
}

fn one(frame: &Frame, page: &RulesPage, row: &RuleRow, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let rule = &row.rule;
    let when = When::new(&frame.zone, frame.now);
    let group = rule
        .group
        .map(|id| page.groups.iter().find(|group| group.id == id).map_or_else(String::new, |group| group.name.clone()));
    let scope = (words.scope)(group.as_deref(), rule.label.as_deref());
    let about = |label| (t().bookings.about)(label, &rule.name);
    let id = rule.id.to_string();
    view! {
        <li class="rule">
            <div>
                <h3>{rule.name.clone()}</h3>
                <p>{t().limit(&rule.limit)}</p>
                <p class="muted sm">
                    {scope} " · " {(words.made)(&row.made_by, &when.at(row.made_at))}
                </p>
            </div>
            <div class="acts">
                <a
                    class="btn small"
                    href=format!("/admin/rules?change={}#form", rule.id)
                    aria-label=about(words.change)
                >
                    {words.change}
                </a>
                <Confirm
                    label=words.remove
                    about=about(words.remove)
                    sentence=(words.remove_rule_sure)(&rule.name)
                    class="small quiet"
                >
                    <ActionForm action=acts.remove>
                        <input type="hidden" name="rule" value=id />
                        <button class="btn small danger">{words.remove_yes}</button>
                    </ActionForm>
                </Confirm>
            </div>
        </li>
    }
    .into_any()
}

/// What a new rule could limit.
fn kinds() -> AnyView {
    let words = &t().rules.pages;
    let one = |kind: Kind| {
        view! {
            <li>
                <a class="kind" href=format!("/admin/rules?kind={}#form", kind.as_str())>
                    <b>{(words.kind)(kind)}</b>
                    <span>{(words.kind_note)(kind)}</span>
                    <Icon name="right" />
                </a>
            </li>
        }
        .into_any()
    };
    view! {
        <Part id="form" heading=words.add_rule note=words.add_rule_note>
            <ul class="kinds">{Kind::ALL.map(one).collect_view()}</ul>
        </Part>
    }
    .into_any()
}

fn approvals(hours: u32, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let refused = acts.approvals.value().get_untracked().and_then(Result::err).map(|error| error.message().to_owned());
    let query = use_query_map();
    let typed = query.read_untracked().get("approval").filter(|_| refused.is_some());
    view! {
        <Part id="approval" heading=words.approvals note=words.approvals_note>
            <div class="pad">
                <ActionForm action=acts.approvals attr:class="form inline short">
                    <TextField
                        label=words.approval_hours
                        name="hours"
                        value=typed.unwrap_or_else(|| hours.to_string())
                        error=Signal::stored(refused)
                        maxlength=4
                    />
                    <button class="btn">{t().rules.pages.set}</button>
                </ActionForm>
            </div>
        </Part>
    }
    .into_any()
}
