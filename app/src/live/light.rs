//! In the picture of a host's links, shows what belongs to the card that somebody points at or has the focus on: its
//! links, the cards at their other ends, its row and column of the matrix.

use leptos::prelude::{document, window_event_listener_untyped};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::dom::{all, set};

/// What can be pointed at.
const SOURCES: &str = "#topology [data-at], #topology [data-ends]";

/// Listens from now on.
pub(super) fn start() {
    for name in ["pointerover", "focusin", "focusout"] {
        let _ = window_event_listener_untyped(name, |event| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let pointed = source(target).filter(|_| event.type_() != "focusout");
            let focused = || source(document().active_element()).filter(|_| event.type_() != "focusout");
            show(pointed.or_else(focused).as_deref());
        });
    }
}

/// The cards that an element is about.
fn source(element: Option<Element>) -> Option<String> {
    let element = element?.closest(SOURCES).ok().flatten()?;
    element.get_attribute("data-at").or_else(|| element.get_attribute("data-ends"))
}

fn show(cards: Option<&str>) {
    let cards: Vec<&str> = cards.map(|cards| cards.split(' ').collect()).unwrap_or_default();
    let mut reached: Vec<String> = cards.iter().map(|card| (*card).to_owned()).collect();
    for part in all("#topology [data-ends]") {
        let ends = part.get_attribute("data-ends").unwrap_or_default();
        // A link that was pointed at itself has both its ends in the list.
        let lit =
            if cards.len() > 1 { ends == cards.join(" ") } else { ends.split(' ').any(|end| cards.contains(&end)) };
        if lit {
            reached.extend(ends.split(' ').map(ToOwned::to_owned));
        }
        set(&part, "data-lit", lit.then_some(""));
    }
    for node in all("#topology [data-at]") {
        let lit = node.get_attribute("data-at").is_some_and(|at| reached.contains(&at));
        set(&node, "data-lit", lit.then_some(""));
    }
    if let Some(topology) = document().get_element_by_id("topology") {
        set(&topology, "data-lighting", (!cards.is_empty()).then_some(""));
    }
}
