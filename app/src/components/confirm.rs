//! A button that asks before it does something. Opens and works without scripts.

use domain::text::t;
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
    let details = NodeRef::<leptos::html::Details>::new();
    let close = move |_| {
        if let Some(details) = details.get_untracked() {
            details.set_open(false);
        }
    };
    view! {
        <details class="confirm" node_ref=details>
            <summary class=format!("btn {class}") aria-label=about>
                {label}
            </summary>
            <div class="ask">
                <p>{sentence}</p>
                <div class="row">
                    {children()}
                    <button type="button" class="btn small quiet scripted" on:click=close>
                        {t().bookings.keep}
                    </button>
                </div>
            </div>
        </details>
    }
}
