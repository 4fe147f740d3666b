//! All keys of the calendar, in a dialog; and the switch that takes the meaning from those of one letter.

use domain::text::t;
use leptos::prelude::*;

/// Its element.
#[cfg(feature = "hydrate")]
const ID: &str = "cal-keylist";
/// Where the switch is remembered.
#[cfg(feature = "hydrate")]
const STORED: &str = "berth-keys";

/// The dialog, closed.
#[component]
pub fn KeyList() -> impl IntoView {
    let words = &t().calendar;
    let off = RwSignal::new(false);
    #[cfg(feature = "hydrate")]
    Effect::new(move || {
        off.set(keys_are_off());
        listen();
    });
    let keys = words.key_list.iter().map(|(key, deed)| {
        view! {
            <dt>
                <kbd>{*key}</kbd>
            </dt>
            <dd>{*deed}</dd>
        }
    });
    view! {
        <dialog class="keylist" id="cal-keylist" aria-label=words.keys>
            <dl>{keys.collect_view()}</dl>
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=move || off.get()
                    on:change=move |_| {
                        off.update(|off| *off = !*off);
                        remember(off.get_untracked());
                    }
                />
                <span>{words.keys_off}</span>
            </label>
            <form method="dialog">
                <button class="btn">{words.close}</button>
            </form>
        </dialog>
    }
}

/// The button of the bar, which the server rendered.
#[cfg(feature = "hydrate")]
fn listen() {
    let _ = window_event_listener(leptos::ev::click, |event| {
        use wasm_bindgen::JsCast;
        let element = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        if element.is_some_and(|element| element.closest("#cal-keys").ok().flatten().is_some()) {
            show();
        }
    });
}

/// Opens it.
#[cfg(feature = "hydrate")]
pub fn show() {
    use wasm_bindgen::JsCast;
    let dialog =
        document().get_element_by_id(ID).and_then(|dialog| dialog.dyn_into::<web_sys::HtmlDialogElement>().ok());
    if let Some(dialog) = dialog.filter(|dialog| !dialog.open()) {
        let _ = dialog.show_modal();
    }
}

/// Whether keys of one letter mean nothing.
#[cfg(feature = "hydrate")]
#[must_use]
pub fn keys_are_off() -> bool {
    let stored = window().local_storage().ok().flatten().and_then(|storage| storage.get_item(STORED).ok().flatten());
    stored.as_deref() == Some("off")
}

fn remember(off: bool) {
    #[cfg(feature = "hydrate")]
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = if off { storage.set_item(STORED, "off") } else { storage.remove_item(STORED) };
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = off;
}
