//! The picked cards, with the links between them drawn.

use domain::text::t;
use leptos::prelude::*;

use crate::pages::panel::look::picked::{Chip, PickedHost};
use crate::pages::panel::state::Panel;

/// The cards.
pub fn cards(panel: Panel) -> AnyView {
    let words = &t().book;
    let picked = panel.part(|look| look.picked.clone());
    let error = panel.part(|look| look.cards_error.clone());
    view! {
        <fieldset class="pickedcards" aria-describedby="cards-note">
            <legend>
                {move || {
                    let hosts = picked.get();
                    if let [one] = hosts.as_slice() { (words.cards_on)(&one.host) } else { words.cards.to_owned() }
                }}
                {like_these(panel)}
            </legend>
            {move || {
                let hosts = picked.get();
                if hosts.is_empty() {
                    return view! { <p class="muted sm">{words.none_picked}</p> }.into_any();
                }
                let several = hosts.len() > 1;
                hosts.into_iter().map(|host| picked_host(host, several)).collect_view().into_any()
            }}
            {super::error("cards-note".to_owned(), error)}
        </fieldset>
    }
    .into_any()
}

fn picked_host(picked: PickedHost, several: bool) -> AnyView {
    let chips = picked.chips.into_iter().map(chip).collect_view();
    view! {
        <div class="picked">
            <div class="chain">{chips}</div>
            <p>
                {several.then(|| view! { <b>{picked.host}</b> " " })}
                <b>{picked.title}</b>
                <span>{picked.line}</span>
            </p>
        </div>
    }
    .into_any()
}

fn chip(chip: Chip) -> AnyView {
    view! {
        {chip.wire.map(|word| view! { <span class="wire"><i>{word}</i></span> })}
        <span class=if chip.clash { "gpu clash" } else { "gpu" }>{chip.number.to_string()}</span>
    }
    .into_any()
}

/// Hands the choice to the finder: as many cards like these, whichever they are.
fn like_these(panel: Panel) -> AnyView {
    let words = &t().book;
    let count = panel.part(|look| look.picked.iter().map(|host| host.chips.len()).sum::<usize>());
    view! {
        <small class="scripted" hidden=move || count.get() == 0>
            <button type="button" class="lnk" on:click=move |_| crate::pages::panel::send::like_these(panel)>
                {move || (words.any_like_these)(count.get())}
            </button>
        </small>
    }
    .into_any()
}
