//! Makes a code in place: it is shown once, so no other page can show it.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

/// Where the answer's texts go, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The code.
    Code,
    /// Until when it is valid.
    Until,
    /// The portal's address.
    Portal,
    /// The host.
    Host,
}

impl Slot {
    /// The mark of an element that shows it: `data-slot`.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Until => "until",
            Self::Portal => "portal",
            Self::Host => "host",
        }
    }
}

/// A button marked `data-make`, perhaps the name of a host in an input, a place for what is wrong marked `data-wrong`,
/// and a hidden part marked `data-made` with a place for each [`Slot`].
#[cfg_attr(not(feature = "look"), component)]
#[cfg_attr(feature = "look", island)]
pub fn CodeMaker(
    /// All of that.
    children: Children,
) -> impl IntoView {
    view! { <div class="codemaker" on:click=make>{children()}</div> }
}

#[cfg(not(feature = "hydrate"))]
fn make(_event: MouseEvent) {}

#[cfg(feature = "hydrate")]
fn make(event: MouseEvent) {
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlInputElement};

    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(button) = target.and_then(|target| target.closest("[data-make]").ok().flatten()) else { return };
    let Some(all) = button.closest(".codemaker").ok().flatten() else { return };
    if button.has_attribute("aria-disabled") {
        return;
    }
    let input = all.query_selector("input").ok().flatten().and_then(|input| input.dyn_into::<HtmlInputElement>().ok());
    let host = input.as_ref().map(HtmlInputElement::value).unwrap_or_default();
    // Without a name it would be another kind of code: let the browser ask for it.
    if input.is_some_and(|input| !input.report_validity()) {
        return;
    }
    let _ = button.set_attribute("aria-disabled", "true");
    leptos::task::spawn_local(async move {
        let filled = format!("host={}", js_sys::encode_uri_component(&host));
        let answer = crate::live::fetch::call_form::<crate::api::codes::NewCode>(&filled).await;
        let _ = button.remove_attribute("aria-disabled");
        show(&all, answer);
    });
}

#[cfg(feature = "hydrate")]
fn show(all: &web_sys::Element, answer: Result<Vec<String>, crate::error::AppError>) {
    let find = |mark: &str| all.query_selector(mark).ok().flatten();
    let (texts, wrong) = match answer {
        Ok(texts) => (texts, String::new()),
        Err(error) => (Vec::new(), error.message().to_owned()),
    };
    if let Some(note) = find("[data-wrong]") {
        note.set_text_content(Some(&wrong));
    }
    if texts.is_empty() {
        return;
    }
    for (slot, text) in [Slot::Code, Slot::Until, Slot::Portal, Slot::Host].into_iter().zip(&texts) {
        if let Some(place) = find(&format!("[data-slot={}]", slot.mark())) {
            place.set_text_content(Some(text));
        }
    }
    if let Some(made) = find("[data-made]") {
        let _ = made.remove_attribute("hidden");
    }
}
