//! People: initials on their own colour.

use domain::user::initials;
use leptos::prelude::*;

/// A person's initials; decoration, the name stands beside it.
#[component]
pub fn Avatar(
    /// Display name.
    name: String,
    /// The person's colour, in degrees; `None` for the viewer.
    #[prop(optional_no_strip)]
    hue: Option<u16>,
    /// A larger one.
    #[prop(optional)]
    big: bool,
) -> impl IntoView {
    let class = match (hue.is_some(), big) {
        (true, false) => "av o",
        (true, true) => "av o big",
        (false, false) => "av me",
        (false, true) => "av me big",
    };
    view! {
        <span class=class style=hue.map(|hue| format!("--hue:{hue}")) aria-hidden="true">
            {initials(&name)}
        </span>
    }
}

/// Initials and name.
#[component]
pub fn Person(
    /// Display name.
    name: String,
    /// The person's colour; `None` for the viewer.
    #[prop(optional_no_strip)]
    hue: Option<u16>,
) -> impl IntoView {
    view! {
        <span class="person">
            <Avatar name=name.clone() hue />
            <b>{name}</b>
        </span>
    }
}
