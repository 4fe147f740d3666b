//! Finding and changing what the server rendered.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Everything in the document.
pub(crate) fn all(selector: &str) -> Vec<Element> {
    document().document_element().map(|root| children(&root, selector)).unwrap_or_default()
}

/// Everything inside.
pub(crate) fn children(root: &Element, selector: &str) -> Vec<Element> {
    let Ok(list) = root.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|index| list.item(index)?.dyn_into().ok()).collect()
}

/// The first one inside.
pub(crate) fn find(root: &Option<Element>, selector: &str) -> Option<Element> {
    root.as_ref()?.query_selector(selector).ok().flatten()
}

/// Changes the text of the first one inside.
pub(crate) fn text(root: &Option<Element>, selector: &str, value: &str) {
    if let Some(element) = find(root, selector) {
        say(&element, value);
    }
}

/// Touches a text only where it differs.
pub(crate) fn say(element: &Element, value: &str) {
    if element.text_content().as_deref() != Some(value) {
        element.set_text_content(Some(value));
    }
}

/// Sets an attribute, or takes it away, where it differs.
pub(crate) fn set(element: &Element, name: &str, value: Option<&str>) {
    if element.get_attribute(name).as_deref() != value {
        let _ = match value {
            Some(value) => element.set_attribute(name, value),
            None => element.remove_attribute(name),
        };
    }
}

/// Hides it, or shows it.
pub(crate) fn hide(element: &Element, hidden: bool) {
    set(element, "hidden", hidden.then_some(""));
}

/// Sets an attribute of the first one inside.
pub(crate) fn attribute(root: &Option<Element>, selector: &str, name: &str, value: &str) {
    if let Some(element) = find(root, selector) {
        set(&element, name, Some(value));
    }
}
