//! The panel in which somebody plans a booking: which cards, when, what for, how often. It stands beside the calendar and
//! on the page of the booking form.
//!
//! - [`scene`]: what it knows; [`state`]: what it is made of while somebody fills it
//! - [`look`]: how it looks as it stands; [`view`]: its parts
//! - [`fields`]: its fields by their names; [`address`]: the form in an address
//! - [`send`]: what is asked of the portal while it is filled, and once it is done
//!
//! Rendered by the server it is a plain form. Nothing that was typed is ever lost.

pub mod address;
pub mod fields;
pub mod look;
pub mod scene;
pub mod send;
pub mod state;
pub mod view;

use leptos::ev::{Event, SubmitEvent};
use leptos::prelude::*;

use crate::api::bookings::Sent;
use scene::Scene;
use state::Panel;

/// Where a form is sent to without scripts.
pub const ACTION: &str = "/api/page/book_form";

/// The form around the panel's fields and whatever else belongs into it. `after` is called with what has been booked.
#[component]
pub fn PanelForm(
    /// The panel.
    panel: Panel,
    /// Classes of the form.
    #[prop(optional)]
    class: &'static str,
    /// What happens once it is booked.
    after: Callback<Sent>,
    /// Everything in the form.
    children: Children,
) -> impl IntoView {
    Effect::new(move || send::begin(panel));
    let (zone, start) =
        panel.scene.with_untracked(|scene: &Scene| (scene.zone.name().to_owned(), panel.draft.get_untracked()));
    let hidden = move |name: &'static str, value: String| view! { <input type="hidden" name=name value=value /> };
    let change = start.is_change().then(|| {
        view! {
            {hidden("form[change]", start.change.clone())}
            {hidden("form[version]", start.version.clone())}
            {hidden("form[colleagues]", start.colleagues.clone())}
            {hidden("form[was_start]", start.was_start.clone())}
            {hidden("form[was_end]", start.was_end.clone())}
        }
    });
    view! {
        <form
            method="post"
            action=ACTION
            class=class
            autocomplete="off"
            novalidate
            node_ref=panel.form
            on:input=move |event: Event| send::typed(panel, &event)
            on:change=move |event: Event| send::typed(panel, &event)
            on:submit=move |event: SubmitEvent| send::submit(panel, &event, after)
        >
            {hidden("form[zone]", zone)}
            {hidden("form[key]", start.key.clone())}
            {change}
            {children()}
        </form>
    }
}
