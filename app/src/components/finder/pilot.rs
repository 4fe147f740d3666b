//! Lets the suggestions follow the choices.

use leptos::ev::Event;
use leptos::prelude::*;

/// The sentence's form. Without this it is sent by its button.
#[island]
pub fn FinderPilot(
    /// Address of the page.
    at: String,
    /// The page's key.
    key: String,
    /// The sentence.
    children: Children,
) -> impl IntoView {
    let (action, asked) = (at.clone(), StoredValue::new((at, key)));
    Effect::new(move || {
        #[cfg(feature = "hydrate")]
        asked.with_value(|(at, key)| crate::live::finder::begin(at, key));
        #[cfg(not(feature = "hydrate"))]
        let _ = asked;
    });
    let changed = move |_: Event| {
        #[cfg(feature = "hydrate")]
        crate::live::finder::changed();
    };
    view! {
        <form method="get" action=action class="askrow" data-finder="" on:change=changed>
            {children()}
        </form>
    }
}
