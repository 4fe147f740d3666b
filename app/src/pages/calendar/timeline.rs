//! The timeline: the box that scrolls, and what comes alive in it.

use domain::text::t;
use leptos::ev::{Event, KeyboardEvent, MouseEvent, PointerEvent};
use leptos::prelude::*;

use super::desk::{Desk, use_desk};

/// The box around the picture. In the browser [`super::stage`] takes the picture over.
#[component]
pub fn Timeline(children: Children) -> impl IntoView {
    let Some(desk) = use_desk() else { return children().into_any() };
    let zoom = move || desk.view.with(|view| view.zoom);
    inside::begin(desk);
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
            on:scroll=move |_: Event| inside::scrolled()
            on:pointerdown=move |event: PointerEvent| inside::down(&event)
            on:pointermove=move |event: PointerEvent| inside::moved(desk, &event)
            on:pointerup=move |event: PointerEvent| inside::up(&event)
            on:pointercancel=move |_: PointerEvent| inside::cancelled()
            on:touchmove=move |event| inside::touch_moved(&event)
            on:contextmenu=move |event: MouseEvent| inside::touch_moved(&event)
            on:dragstart=move |event| inside::no_drag(&event)
            on:click=move |event: MouseEvent| inside::clicked(&event)
            on:keydown=move |event: KeyboardEvent| inside::pressed(desk, &event)
        >
            {children()}
        </div>
    }
    .into_any()
}

#[cfg(feature = "hydrate")]
mod inside {
    use leptos::prelude::*;

    use super::super::stage::{self, drag, keys};
    use super::{Desk, Event, KeyboardEvent, MouseEvent, PointerEvent};

    pub use stage::scrolled;

    /// Waits for the document, then draws whenever something of it changes.
    pub fn begin(desk: Desk) {
        Effect::new(move || {
            stage::begin(desk);
            let _ = window_event_listener(leptos::ev::keydown, move |event| keys::anywhere(desk, &event));
        });
        Effect::new(move || {
            desk.calendar.track();
            desk.view.track();
            desk.ready.track();
            stage::draw();
        });
        Effect::new(move || {
            desk.plan.track();
            desk.pending.track();
            stage::ghosts();
        });
        Effect::new(move || {
            if desk.stale.get() > 0 {
                stage::send::fetch(desk);
            }
        });
    }

    pub fn down(event: &PointerEvent) {
        drag::down(event);
    }

    pub fn moved(desk: Desk, event: &PointerEvent) {
        drag::moved(event);
        drag::say_if_stuck(desk);
    }

    pub fn up(event: &PointerEvent) {
        drag::up(event);
    }

    pub fn cancelled() {
        drag::cancelled();
    }

    pub fn touch_moved(event: &Event) {
        drag::touch_moved(event);
    }

    /// Bars are links, and links can be dragged out of the page.
    pub fn no_drag(event: &Event) {
        event.prevent_default();
    }

    pub fn clicked(event: &MouseEvent) {
        drag::clicked(event);
    }

    pub fn pressed(desk: Desk, event: &KeyboardEvent) {
        keys::pressed(desk, event);
    }
}

#[cfg(not(feature = "hydrate"))]
mod inside {
    use super::{Desk, Event, KeyboardEvent, MouseEvent, PointerEvent};

    pub fn begin(_desk: Desk) {}
    pub fn scrolled() {}
    pub fn down(_event: &PointerEvent) {}
    pub fn moved(_desk: Desk, _event: &PointerEvent) {}
    pub fn up(_event: &PointerEvent) {}
    pub fn cancelled() {}
    pub fn touch_moved(_event: &Event) {}
    pub fn no_drag(_event: &Event) {}
    pub fn clicked(_event: &MouseEvent) {}
    pub fn pressed(_desk: Desk, _event: &KeyboardEvent) {}
}
