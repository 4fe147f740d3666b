//! The list of tabs beside the panels: both are the page's own, only what is chosen changes.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;

/// Around a `tablist`: shows one panel at a time; arrows, Home and End move. The last tool that was chosen is open next
/// time too.
#[cfg_attr(not(feature = "look"), component)]
#[cfg_attr(feature = "look", island)]
pub fn TabList(
    /// The `tablist`.
    children: Children,
) -> impl IntoView {
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || inside::begin(root));
    view! {
        <div node_ref=root on:click=move |event: MouseEvent| inside::click(&event) on:keydown=move |event: KeyboardEvent| inside::key(&event)>
            {children()}
        </div>
    }
}

#[cfg(not(feature = "hydrate"))]
mod inside {
    use super::{KeyboardEvent, MouseEvent, NodeRef};

    pub fn begin(_root: NodeRef<leptos::html::Div>) {}
    pub fn click(_event: &MouseEvent) {}
    pub fn key(_event: &KeyboardEvent) {}
}

#[cfg(feature = "hydrate")]
mod inside {
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, EventTarget, HtmlElement};

    use super::{KeyboardEvent, MouseEvent, step};

    const LAST_TAB: &str = "berth.launch";

    /// Opens the tool that was open last, on any booking.
    pub fn begin(root: NodeRef<leptos::html::Div>) {
        let last =
            window().local_storage().ok().flatten().and_then(|storage| storage.get_item(LAST_TAB).ok().flatten());
        if let (Some(root), Some(last)) = (root.get(), last) {
            let tabs = tabs(&root);
            if let Some(at) = tabs.iter().position(|tab| tool(tab) == last) {
                open(&tabs, at);
            }
        }
    }

    /// Opens the tab that was pressed.
    pub fn click(event: &MouseEvent) {
        if let Some((tabs, at)) = pressed(event.target()) {
            open(&tabs, at);
            remember(&tabs[at]);
        }
    }

    /// Moves between tabs.
    pub fn key(event: &KeyboardEvent) {
        if let Some((tabs, at)) = pressed(event.target())
            && let Some(to) = step(&event.key(), at, tabs.len())
        {
            event.prevent_default();
            open(&tabs, to);
            remember(&tabs[to]);
            let _ = tabs[to].focus();
        }
    }

    /// All tabs of the list, and which of them an event is about.
    fn pressed(target: Option<EventTarget>) -> Option<(Vec<HtmlElement>, usize)> {
        let tab = target?.dyn_into::<Element>().ok()?.closest("[role=tab]").ok()??;
        let tabs = tabs(&tab.closest("[role=tablist]").ok()??);
        let at = tabs.iter().position(|other| **other == tab)?;
        Some((tabs, at))
    }

    fn tabs(root: &Element) -> Vec<HtmlElement> {
        let Ok(found) = root.query_selector_all("[role=tab]") else { return Vec::new() };
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
    }

    fn open(tabs: &[HtmlElement], chosen: usize) {
        for (at, tab) in tabs.iter().enumerate() {
            let on = at == chosen;
            let _ = tab.set_attribute("aria-selected", if on { "true" } else { "false" });
            tab.set_tab_index(if on { 0 } else { -1 });
            let panel = tab.get_attribute("aria-controls").and_then(|id| document().get_element_by_id(&id));
            if let Some(panel) = panel {
                let _ = if on { panel.remove_attribute("data-off") } else { panel.set_attribute("data-off", "") };
            }
        }
    }

    /// The tool of a tab, `tab-docker-HOST`, without its host.
    fn tool(tab: &HtmlElement) -> String {
        tab.id().split('-').nth(1).unwrap_or_default().to_owned()
    }

    fn remember(tab: &HtmlElement) {
        // A browser that stores nothing only forgets which tab was open.
        if let Ok(Some(storage)) = window().local_storage() {
            let _ = storage.set_item(LAST_TAB, &tool(tab));
        }
    }
}

/// Where a key leads in a list of tabs.
#[cfg(any(feature = "hydrate", test))]
fn step(key: &str, at: usize, count: usize) -> Option<usize> {
    match key {
        _ if count == 0 => None,
        "ArrowDown" | "ArrowRight" => Some((at + 1) % count),
        "ArrowUp" | "ArrowLeft" => Some((at + count - 1) % count),
        "Home" => Some(0),
        "End" => Some(count - 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::step;

    #[test]
    fn arrows_go_round() {
        assert_eq!(step("ArrowDown", 3, 4), Some(0));
        assert_eq!(step("ArrowUp", 0, 4), Some(3));
        assert_eq!(step("End", 0, 4), Some(3));
        assert_eq!(step("Home", 2, 4), Some(0));
        assert_eq!(step("a", 2, 4), None);
        assert_eq!(step("ArrowDown", 0, 0), None);
    }
}
