//! What rules say of the draft.

use domain::text::t;
use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::components::icon::Icon;
use crate::pages::panel::look::rules::{Mark, RuleLook};
use crate::pages::panel::state::Panel;

/// Every rule that has something to say.
pub fn rules(panel: Panel) -> AnyView {
    let all = panel.part(|look| look.rules.clone());
    view! {
        <ul class="rules" aria-label=t().book.rules aria-live="polite">
            {move || all.get().into_iter().map(|rule| row(panel, rule)).collect_view()}
        </ul>
    }
    .into_any()
}

fn row(panel: Panel, rule: RuleLook) -> AnyView {
    let (icon, mark) = match rule.mark {
        Mark::Kept => ("check", "kept"),
        Mark::Broken => ("rogue", "broken"),
        Mark::Note => ("clock", "note"),
    };
    let way = rule.way.map(|(words, draft, href)| {
        let take = move |event: MouseEvent| {
            event.prevent_default();
            let draft = draft.clone();
            panel.change(|now| *now = draft);
        };
        view! {
            " "
            <a class="lnk" href=href on:click=take>
                {words}
            </a>
        }
    });
    view! {
        <li data-mark=mark>
            <Icon name=icon />
            <span>{rule.words} {way}</span>
        </li>
    }
    .into_any()
}
