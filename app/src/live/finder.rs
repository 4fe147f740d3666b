//! The finder's suggestions, fetched as the server renders them, and put in the place of those before.
//!
//! After a choice they are fetched at once; else now and then, where nobody points at them or has the focus in them.

use std::cell::RefCell;
use std::time::Duration;

use domain::text::t;
use leptos::prelude::{TimeoutHandle, document, set_interval_with_handle, set_timeout_with_handle, window};
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DomParser, Element, HtmlSelectElement, SupportedType, UrlSearchParams, VisibilityState};

use super::dom::{all, find, say, set};
use super::fetch::get;

/// Choices that follow each other this fast are one.
const WAIT: Duration = Duration::from_millis(150);
/// What is free changes without a choice, too.
const EVERY: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Finder {
    at: String,
    key: String,
    /// Counts up with each search: an answer that was overtaken is dropped.
    asked: u32,
    timer: Option<TimeoutHandle>,
}

thread_local! {
    static FINDER: RefCell<Option<Finder>> = const { RefCell::new(None) };
}

/// From now on the suggestions are kept true.
pub fn begin(at: &str, key: &str) {
    let before = FINDER.replace(Some(Finder { at: at.to_owned(), key: key.to_owned(), ..Finder::default() }));
    if before.is_none() {
        let look = || {
            if document().visibility_state() == VisibilityState::Visible && !leave_alone() {
                search(false);
            }
        };
        let _ = set_interval_with_handle(look, EVERY);
    }
}

/// A choice was made.
pub fn changed() {
    let timer = set_timeout_with_handle(|| search(true), WAIT).ok();
    FINDER.with_borrow_mut(|finder| {
        let Some(finder) = finder else { return };
        if let Some(before) = std::mem::replace(&mut finder.timer, timer) {
            before.clear();
        }
    });
}

fn found() -> Option<Element> {
    document().get_element_by_id("found")
}

/// Nothing changes under a pointer, or where somebody types; and nothing need change that is not shown.
fn leave_alone() -> bool {
    let Some(found) = found().filter(|found| found.client_height() > 0) else { return true };
    let focus = document().active_element();
    focus.is_some_and(|focus| found.contains(Some(&focus))) || found.matches(":hover").unwrap_or(false)
}

/// The query of the address with the choices in it. What else it says stays, as it is by now.
fn fields() -> String {
    let search = window().location().search().unwrap_or_default();
    let Ok(query) = UrlSearchParams::new_with_str(&search) else { return String::new() };
    for select in all("#finder form[data-finder] select") {
        if let Some(select) = select.dyn_ref::<HtmlSelectElement>() {
            query.set(&select.name(), &select.value());
        }
    }
    for gone in ["key", "refused"] {
        query.delete(gone);
    }
    query.to_string().into()
}

/// Fetches the suggestions. `chosen`: after a choice, which the address then says, and whose answer is read out.
fn search(chosen: bool) {
    let fields = fields();
    let ask = FINDER.with_borrow_mut(|finder| {
        let finder = finder.as_mut()?;
        finder.asked += 1;
        Some((finder.asked, finder.at.clone(), format!("/find?{fields}&at={}&key={}", finder.at, finder.key)))
    });
    let Some((number, at, path)) = ask else { return };
    if chosen {
        let address = format!("{at}?{fields}");
        let _ =
            window().history().and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&address)));
        if let Some(found) = found() {
            set(&found, "aria-busy", Some("true"));
        }
    }
    spawn_local(async move {
        let answer = get(&path).await;
        let is_last = FINDER.with_borrow(|finder| finder.as_ref().is_some_and(|finder| finder.asked == number));
        if is_last && (chosen || !leave_alone()) {
            take(answer.filter(|(status, _)| *status == 200).map(|(_, html)| html), chosen);
        }
    });
}

fn take(html: Option<String>, chosen: bool) {
    let Some(here) = found() else { return };
    set(&here, "aria-busy", None);
    let parsed = html.and_then(|html| {
        let parser = DomParser::new().ok()?;
        parser.parse_from_string(&html, SupportedType::TextHtml).ok()?.get_element_by_id("found")
    });
    let news = document().get_element_by_id("found-news");
    let Some(fresh) = parsed else {
        if let Some(news) = news.filter(|_| chosen) {
            say(&news, t().finder.no_answer);
        }
        return;
    };
    let said = fresh.get_attribute("data-news").unwrap_or_default();
    if fresh.inner_html() != here.inner_html() {
        here.set_inner_html(&fresh.inner_html());
    }
    set(&here, "data-news", Some(&said));
    if let Some(news) = news.filter(|_| chosen) {
        say(&news, &said);
    }
    // What was refused before is no longer what is shown.
    if let Some(note) = find(&document().get_element_by_id("finder"), ".note.bad").filter(|_| chosen) {
        note.remove();
    }
}
