//! Time, zoom and filters: changes the view without loading the page, so that what is planned and typed stays. The
//! address follows, and the Back button leads back.

use domain::calendar::view::View;
use leptos::leptos_dom::helpers::request_animation_frame;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlFormElement, HtmlInputElement, HtmlSelectElement};

use super::{send, with};
use crate::live::dom::{all, find, say, set};
use crate::pages::calendar::axis::heading;
use crate::pages::calendar::desk::Desk;
use crate::pages::calendar::toolbar::{inner, is_here, target};

/// Takes the bar's clicks and choices, and the Back button.
pub fn begin(desk: Desk) {
    let _ = window_event_listener_untyped("click", move |event| {
        let Some(event) = event.dyn_ref::<web_sys::MouseEvent>() else { return };
        if event.default_prevented() || event.button() != 0 || event.ctrl_key() || event.meta_key() || event.shift_key()
        {
            return;
        }
        let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let Ok(Some(link)) = element.closest("[data-go], [data-fold]") else { return };
        let view = desk.view.get_untracked();
        let next = if let Some(name) = link.get_attribute("data-fold") {
            Some(fold(&view, &name))
        } else {
            let go = link.get_attribute("data-go").unwrap_or_default();
            if go == "now" {
                event.prevent_default();
                return to_now(desk, true);
            }
            desk.with_zone(|zone| target(&go, &view, zone, desk.now()))
        };
        if let Some(next) = next {
            event.prevent_default();
            go(desk, next, true);
        }
    });
    let chosen = move |event: web_sys::Event| {
        let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let Ok(Some(form)) = element.closest("#cal-choices") else { return };
        event.prevent_default();
        let view = read(&form, &desk.view.get_untracked());
        go(desk, view, event.type_() != "input");
    };
    for name in ["change", "input"] {
        let _ = window_event_listener_untyped(name, chosen);
    }
    let _ = window_event_listener_untyped("submit", move |event| {
        let form = event.target().and_then(|target| target.dyn_into::<HtmlFormElement>().ok());
        if form.is_some_and(|form| form.id() == "cal-choices") {
            event.prevent_default();
        }
    });
    let _ = window_event_listener_untyped("popstate", move |_| {
        let search = window().location().search().unwrap_or_default();
        let Ok(pairs) = web_sys::UrlSearchParams::new_with_str(&search) else { return };
        let mut found = Vec::new();
        for pair in js_sys::try_iter(&pairs).ok().flatten().into_iter().flatten().flatten() {
            let pair: js_sys::Array = pair.unchecked_into();
            found.push((pair.get(0).as_string().unwrap_or_default(), pair.get(1).as_string().unwrap_or_default()));
        }
        let view = View::read(found.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        show(desk, view);
    });
}

/// Folds a host away, or unfolds it.
#[must_use]
pub fn fold(view: &View, name: &str) -> View {
    view.with(|view| {
        if view.folded.iter().any(|folded| folded == name) {
            view.folded.retain(|folded| folded != name);
        } else {
            view.folded.push(name.to_owned());
        }
    })
}

/// Goes to a view. `remember`: the Back button leads here.
pub fn go(desk: Desk, view: View, remember: bool) {
    if view == desk.view.get_untracked() {
        return;
    }
    if let Ok(history) = window().history() {
        let address = view.address();
        let _ = if remember {
            history.push_state_with_url(&JsValue::NULL, "", Some(&address))
        } else {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
        };
    }
    show(desk, view);
}

fn show(desk: Desk, view: View) {
    let (before, now) = (desk.view.get_untracked(), desk.now());
    let span = |view: &View| desk.with_zone(|zone| view.axis(zone, now).span());
    let moved = span(&before) != span(&view);
    desk.view.set(view);
    bar(desk);
    if moved {
        send::fetch(desk);
        let today = desk.view.with_untracked(|view| view.from.is_none());
        // Once the new axis is there.
        request_animation_frame(move || {
            if today {
                to_now(desk, false);
            } else {
                with(|stage| stage.scroll.set_scroll_left(0));
            }
        });
    }
}

/// Goes to the window in which now is, and scrolls there. `smooth`: so that one sees where it goes.
pub fn to_now(desk: Desk, move_window: bool) {
    if move_window {
        let view = desk.view.get_untracked().with(|view| view.from = None);
        go(desk, view, true);
    }
    with(|stage| {
        stage.measure();
        let at = stage.axis.at(stage.desk.now());
        let third = (stage.grid.width - stage.grid.head) / 4.0;
        #[expect(clippy::cast_possible_truncation, reason = "pixels")]
        stage.scroll.set_scroll_left((at * stage.grid.hour - third).max(0.0) as i32);
    });
}

/// Shows the view on the bar: links that lead elsewhere now, what is chosen.
fn bar(desk: Desk) {
    let (view, now) = (desk.view.get_untracked(), desk.now());
    for link in all(".calbar [data-go]") {
        let go = link.get_attribute("data-go").unwrap_or_default();
        let to = desk.with_zone(|zone| target(&go, &view, zone, now)).unwrap_or_default();
        set(&link, "href", Some(&to.address()));
        set(&link, "aria-current", is_here(&go, &view).then_some("true"));
    }
    let root = document().document_element();
    if let Some(range) = find(&root, "#cal-range") {
        let axis = desk.with_zone(|zone| view.axis(zone, now));
        say(&range, &heading(&view, &axis));
    }
    if let Some(more) = find(&root, "#cal-more") {
        set(&more, "data-on", inner(&view).then_some(""));
    }
    let value = |name: &str, value: &str| {
        let Some(field) = find(&root, &format!("#cal-choices [name={name}]")) else { return };
        if let Some(select) = field.dyn_ref::<HtmlSelectElement>() {
            select.set_value(value);
        } else if let Some(input) = field.dyn_ref::<HtmlInputElement>()
            && input.value() != value
        {
            input.set_value(value);
        }
    };
    value("free", &view.free.map(|hours| hours.to_string()).unwrap_or_default());
    value("host", view.hosts.first().map_or("", String::as_str));
    value("label", &view.label);
    value("model", &view.model);
    value("who", &view.person);
    value("rows", if view.by_number { "number" } else { "" });
    value("q", &view.find);
}

/// What is chosen in the form.
fn read(form: &Element, view: &View) -> View {
    let value = |name: &str| {
        let field = find(&Some(form.clone()), &format!("[name={name}]"))?;
        let select = field.dyn_ref::<HtmlSelectElement>().map(HtmlSelectElement::value);
        select.or_else(|| field.dyn_ref::<HtmlInputElement>().map(HtmlInputElement::value))
    };
    view.with(|view| {
        let host = value("host").unwrap_or_default();
        if view.hosts.first().map_or("", String::as_str) != host {
            view.hosts = Some(host).filter(|host| !host.is_empty()).into_iter().collect();
        }
        view.free = value("free").and_then(|hours| hours.parse().ok());
        view.label = value("label").unwrap_or_default();
        view.model = value("model").unwrap_or_default();
        view.person = value("who").unwrap_or_default();
        view.find = value("q").unwrap_or_default().trim().to_owned();
        view.by_number = value("rows").is_some_and(|rows| rows == "number");
    })
}
