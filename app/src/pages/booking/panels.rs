//! The tabs of the launch box and what each of them shows. All of it is text that the server writes; the browser part only
//! opens one panel and closes another.

use domain::launch::{Check, Command, Dialect, Form, Naming};
use domain::text::t;
use leptos::prelude::*;

use super::tabs::TabList;
use crate::components::copy::CopyBox;

/// The tabs, by group; and links in their place where there are no scripts.
pub fn tab_list(all: &[Command], key: &str) -> AnyView {
    let groups = || all.chunk_by(|a, b| a.group == b.group);
    let heading = |group: &[Command]| group.first().map(|command| command.group);
    let tabs = groups()
        .map(|group| {
            view! {
                <div role="presentation">
                    <p role="presentation">{heading(group)}</p>
                    {group.iter().map(|command| tab(command, key, command.id == all[0].id)).collect_view()}
                </div>
            }
        })
        .collect_view();
    let links = groups()
        .map(|group| {
            view! {
                <p>
                    {heading(group)} ": " {group.iter().map(|command| link(command, key)).collect_view()}
                </p>
            }
        })
        .collect_view();
    view! {
        <TabList>
            <div class="tablist scripted" role="tablist" aria-orientation="vertical" aria-label=t().booking.how>
                {tabs}
            </div>
            <nav class="unscripted sm" aria-label=t().booking.how>
                {links}
            </nav>
        </TabList>
    }
    .into_any()
}

fn tab(command: &Command, key: &str, open: bool) -> AnyView {
    let id = tab_id(key, command.id);
    view! {
        <button
            type="button"
            role="tab"
            id=format!("tab-{id}")
            aria-controls=format!("panel-{id}")
            aria-selected=if open { "true" } else { "false" }
            tabindex=if open { "0" } else { "-1" }
        >
            {command.title}
        </button>
    }
    .into_any()
}

fn link(command: &Command, key: &str) -> AnyView {
    view! {
        <a class="lnk" href=format!("#panel-{}", tab_id(key, command.id))>
            {command.title}
        </a>
        " "
    }
    .into_any()
}

/// Host and tool: a booking on two hosts has two lists of tabs.
fn tab_id(key: &str, id: &str) -> String {
    format!("{id}-{key}")
}

/// Everything about one tool.
pub fn panel(command: &Command, key: &str, open: bool) -> AnyView {
    let id = tab_id(key, command.id);
    let (other, usual): (Vec<&Form>, Vec<&Form>) = command.forms.iter().partition(|form| is_other(form.dialect));
    let other = other
        .chunk_by(|a, b| a.dialect == b.dialect)
        .map(|forms| {
            let name = forms.first().map(|form| (t().launch.dialect)(form.dialect));
            view! {
                <details class="dialect">
                    <summary>{name}</summary>
                    <div class="stack tight">{boxes(forms)}</div>
                </details>
            }
        })
        .collect_view();
    view! {
        <div
            role="tabpanel"
            id=format!("panel-{id}")
            aria-labelledby=format!("tab-{id}")
            data-off=(!open).then_some("")
        >
            <h3 class="unscripted">{command.title}</h3>
            {boxes(&usual)}
            {other}
            {said(&command.note)}
            {said(&command.reason)}
            {checks(&command.checks)}
        </div>
    }
    .into_any()
}

/// Shells that fewer people use here: folded away.
fn is_other(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Fish | Dialect::PowerShell | Dialect::WindowsPowerShell | Dialect::Cmd)
}

fn boxes(forms: &[&Form]) -> Vec<AnyView> {
    let mut boxes = Vec::new();
    let mut forms = forms.iter().peekable();
    while let Some(form) = forms.next() {
        // A form by index stands beside its twin by UUID.
        let twin = |next: &Form| form.key == next.key && form.naming == Naming::Uuid && next.naming == Naming::Index;
        boxes.push(match forms.next_if(|next| twin(next)) {
            Some(index) => view! { <div class="pairf">{form_box(form)} {form_box(index)}</div> }.into_any(),
            None => form_box(form),
        });
    }
    boxes
}

fn form_box(form: &Form) -> AnyView {
    let about: Vec<&str> =
        [form.file.as_deref().unwrap_or_default(), form.needs.as_str()].into_iter().filter(|s| !s.is_empty()).collect();
    view! {
        <CopyBox
            text=form.text.clone()
            label=form.label.clone()
            needs=about.join("; ")
            name=if form.label.is_empty() { (t().launch.dialect)(form.dialect) } else { "" }
            placeholders=form.placeholders.clone()
        />
    }
    .into_any()
}

fn said(text: &str) -> Option<AnyView> {
    (!text.is_empty()).then(|| view! { <p class="ink2 sm">{text.to_owned()}</p> }.into_any())
}

fn checks(checks: &[Check]) -> Option<AnyView> {
    let words = &t().booking;
    let one = |check: &Check| {
        let expected: Vec<String> =
            check.expected.lines().map(|line| format!("# {}", (words.expected)(line))).collect();
        view! {
            <CopyBox
                text=check.text.clone()
                comment=expected.join("\n")
                name=words.check
                placeholders=vec!["IMAGE"]
            />
        }
    };
    (!checks.is_empty()).then(|| {
        view! {
            <h3>{words.check}</h3>
            {checks.iter().map(one).collect_view()}
        }
        .into_any()
    })
}
