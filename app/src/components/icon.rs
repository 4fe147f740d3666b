//! Icons: drawn once per document in the sprite of [`crate::shell`], used by name.

use leptos::prelude::*;

/// One of the sprite's icons; decoration, the words stand beside it.
#[component]
pub fn Icon(
    /// Without the leading `i-`.
    name: &'static str,
    /// A smaller one.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let class = if small { "i i-s" } else { "i" };
    view! {
        <svg class=class aria-hidden="true">
            <use href=format!("#i-{name}")></use>
        </svg>
    }
}
