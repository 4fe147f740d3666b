//! The parts of the panel, in the order in which they stand in it.

mod cards;
mod conflict;
mod more;
mod rules;
mod series;
mod when;

use domain::text::t;
use leptos::prelude::*;

use super::state::Panel;
use crate::components::icon::Icon;

/// Everything between the heading and the button, and the button.
pub fn fields(panel: Panel) -> AnyView {
    view! {
        {cards::cards(panel)}
        {when::when(panel)}
        {conflict::conflict(panel)}
        {series::repeat(panel)}
        {more::purpose(panel)}
        {more::shares(panel)}
        {more::people(panel)}
        {rules::rules(panel)}
        {foot(panel)}
    }
    .into_any()
}

/// What the portal has refused, and the button.
fn foot(panel: Panel) -> AnyView {
    let words = &t().book;
    let label = panel.part(|look| look.label.clone());
    let said = move || if panel.sending.get() { words.booking.to_owned() } else { label.get() };
    view! {
        <footer class="send">
            <div role="alert" id="refused">
                {move || {
                    let refused = panel.refused.get();
                    refused.map(|why| view! { <p class="note bad"><Icon name="rogue" /> <strong>{why}</strong></p> })
                }}
            </div>
            <div role="status">
                {move || {
                    let told = panel.told.get();
                    told.map(|said| view! { <p class="note ok"><Icon name="check" /> <strong>{said}</strong></p> })
                }}
            </div>
            <button class="btn primary big wide" id="book-button" aria-disabled=move || panel.sending.get().then_some("true")>
                <span class="busy" hidden=move || !panel.sending.get()></span>
                <span class="scripted">{said}</span>
                // What is ticked is not known here.
                <span class="unscripted">{words.title}</span>
            </button>
        </footer>
    }
    .into_any()
}

/// A sentence about what is wrong with a field: read out, tied to it by its id.
fn error(id: String, text: Memo<String>) -> AnyView {
    view! {
        <small id=id class="err" role="alert">
            {move || text.get()}
        </small>
    }
    .into_any()
}
