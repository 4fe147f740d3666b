//! Takes over parts of the page as the server renders them now: those marked with `data-fresh`, each with an id.
//!
//! A part that somebody points at or has the focus in waits until that is over: nothing moves under the pointer.

use std::cell::RefCell;

use leptos::prelude::{document, window};
use leptos::task::spawn_local;
use web_sys::{DomParser, SupportedType};

use super::dom::{all, children};
use super::fetch::get;

/// The page is fetched this often even where nothing seems to have changed.
const EVERY_MS: f64 = 30_000.0;
/// Where somebody was in the way of a part last time.
const LATE_EVERY_MS: f64 = 6_000.0;
/// And never more often than this.
const AT_MOST_EVERY_MS: f64 = 2_000.0;

#[derive(Default)]
struct Fresh {
    /// Something has changed since the page was fetched.
    wanted: bool,
    /// A part could not be put in last time: the next fetch comes a little earlier.
    late: bool,
    asking: bool,
    asked_ms: Option<f64>,
    /// Ids and contents that wait to be put in.
    waiting: Vec<(String, String)>,
}

thread_local! {
    static FRESH: RefCell<Fresh> = RefCell::default();
}

/// Fetches the page where it is due, at once where something has changed.
pub(super) fn ask(changed: bool) {
    let now = js_sys::Date::now();
    let go = FRESH.with_borrow_mut(|fresh| {
        fresh.wanted |= changed;
        // The page itself was just rendered.
        let asked = *fresh.asked_ms.get_or_insert(now);
        let due = now - asked
            > match (fresh.wanted, fresh.late) {
                (true, _) => AT_MOST_EVERY_MS,
                (false, true) => LATE_EVERY_MS,
                (false, false) => EVERY_MS,
            };
        if due && !fresh.asking {
            (fresh.wanted, fresh.late, fresh.asking, fresh.asked_ms) = (false, false, true, Some(now));
            return true;
        }
        false
    });
    if go {
        spawn_local(async {
            let path = window().location().pathname().unwrap_or_default();
            let answer = get(&path).await;
            let parts = answer.filter(|(status, _)| *status == 200).map(|(_, html)| parts(&html));
            FRESH.with_borrow_mut(|fresh| {
                fresh.asking = false;
                if let Some(parts) = parts {
                    fresh.waiting = parts;
                }
            });
        });
    }
}

/// The parts of a page.
fn parts(html: &str) -> Vec<(String, String)> {
    let parsed = DomParser::new().and_then(|parser| parser.parse_from_string(html, SupportedType::TextHtml));
    let Some(root) = parsed.ok().and_then(|page| page.document_element()) else { return Vec::new() };
    children(&root, "[data-fresh]").iter().map(|part| (part.id(), part.inner_html())).collect()
}

/// Puts in what waits, as far as nobody is there; whether something was. A page with other parts is loaded again.
pub(super) fn apply() -> bool {
    let waiting = FRESH.with_borrow_mut(|fresh| std::mem::take(&mut fresh.waiting));
    if waiting.is_empty() {
        return false;
    }
    let here = all("[data-fresh]");
    if here.len() != waiting.len() || !here.iter().zip(&waiting).all(|(part, (id, _))| part.id() == *id) {
        let _ = window().location().reload();
        return false;
    }
    let focus = document().active_element();
    let mut any = false;
    for (part, (_, content)) in here.iter().zip(&waiting) {
        let focused = focus.as_ref().is_some_and(|element| part.contains(Some(element)));
        if focused || part.matches(":hover").unwrap_or(false) {
            // Fetched again, and put in once nobody is there.
            FRESH.with_borrow_mut(|fresh| fresh.late = true);
        } else if part.inner_html() != *content {
            part.set_inner_html(content);
            any = true;
        }
    }
    any
}
