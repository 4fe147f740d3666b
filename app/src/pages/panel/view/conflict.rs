//! Who is in the way, and the ways out.

use domain::text::t;
use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::components::icon::Icon;
use crate::components::person::Avatar;
use crate::pages::panel::look::conflict::{ConflictLook, Way, Who};
use crate::pages::panel::send;
use crate::pages::panel::state::Panel;

/// The box, where there is a conflict. It is read out when it comes up, and when it changes.
pub fn conflict(panel: Panel) -> AnyView {
    let conflict = panel.part(|look| look.conflict.clone());
    view! {
        <div role="alert" id="clash">
            {move || conflict.get().map(|conflict| inside(panel, conflict))}
        </div>
    }
    .into_any()
}

fn inside(panel: Panel, look: ConflictLook) -> AnyView {
    let ConflictLook { head, who, more, ways, wait } = look;
    let words = &t().book;
    let who = who.into_iter().map(person).collect_view();
    let ways = ways.into_iter().map(|one| way(panel, one)).collect_view();
    view! {
        <div class="conflict">
            <p class="hd">
                <Icon name="rogue" />
                <strong>{head}</strong>
            </p>
            {who}
            {(!more.is_empty()).then(|| view! { <p class="muted sm">{more}</p> })}
            <ul class="ways">
                {ways}
                {(!wait.is_empty())
                    .then(|| {
                        view! {
                            <li>
                                <button name="form[act]" value="wait" on:click=move |event| send::wait(panel, &event)>
                                    <span>
                                        {wait} <small>{words.wait_note}</small>
                                    </span>
                                    <Icon name="right" />
                                </button>
                            </li>
                        }
                    })}
            </ul>
        </div>
    }
    .into_any()
}

fn person(who: Who) -> AnyView {
    let words = &t().book;
    let purpose = if who.purpose.is_empty() { String::new() } else { format!(", {}", who.purpose) };
    let name = who.name.clone();
    view! {
        <p class="by">
            {if who.closed {
                view! { <Icon name="maint" /> }.into_any()
            } else {
                view! { <Avatar name=who.name.clone() hue=who.hue /> }.into_any()
            }}
            <span>
                {who.name}{purpose} <br /> <small>{who.cards} " · " {who.span}</small>
            </span>
            {who
                .href
                .map(|href| {
                    view! {
                        <a class="btn small" href=href aria-label=(words.open_of)(&name)>
                            {words.open}
                        </a>
                    }
                })}
        </p>
    }
    .into_any()
}

fn way(panel: Panel, way: Way) -> AnyView {
    let draft = way.draft;
    let take = move |event: MouseEvent| {
        event.prevent_default();
        let draft = draft.clone();
        panel.change(|now| *now = draft);
    };
    view! {
        <li>
            <a href=way.href on:click=take>
                <span>
                    {way.lead} <small>{way.rest}</small>
                </span>
                <Icon name="right" />
            </a>
        </li>
    }
    .into_any()
}
