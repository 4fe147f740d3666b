//! The timeline: the box that scrolls, and what comes alive in it.

use domain::text::t;
use leptos::prelude::*;

use super::desk::use_desk;

/// The box around the picture.
#[component]
pub fn Timeline(children: Children) -> impl IntoView {
    let desk = use_desk();
    let zoom = move || desk.map(|desk| desk.view.with(|view| view.zoom)).unwrap_or_default();
    view! {
        <p class="sr" id="cal-help">
            {t().calendar.help}
        </p>
        <div
            class="tl-scroll"
            id="cal-scroll"
            data-zoom=move || zoom().word()
            style=("--zoom", move || (zoom().days() * 24).to_string())
            tabindex="0"
            role="region"
            aria-label=t().calendar.timeline
            aria-describedby="cal-help"
        >
            {children()}
        </div>
    }
}
