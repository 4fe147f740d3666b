//! A button that asks before it does something. Needs no scripts; a second press of the button takes it back.

use leptos::prelude::*;

/// A button, and behind it a sentence and the form that does it.
#[component]
pub fn Confirm(
    /// What the button says.
    label: &'static str,
    /// The same with what it is about, for those who do not see where it stands.
    about: String,
    /// What would happen.
    #[prop(into)]
    sentence: String,
    /// Classes of the button beside `btn`.
    #[prop(default = "small")]
    class: &'static str,
    /// The form with the button that does it.
    children: Children,
) -> impl IntoView {
    view! {
        <details class="confirm">
            <summary class=format!("btn {class}") aria-label=about>
                {label}
            </summary>
            <div class="ask">
                <p>{sentence}</p>
                {children()}
            </div>
        </details>
    }
}
