//! The finder's line: a wish as one sentence of choices, and the best cards for it, each booked by one click.
//!
//! A GET form and plain POST forms, rendered by the server to their end. With scripts the suggestions follow the choices at
//! once: [`pilot`] fetches them as the server renders them.

mod lack;
mod pilot;
#[cfg(feature = "ssr")]
pub mod plain;
mod sentence;
mod suggestions;

use domain::address::with_query;
use domain::finder::Line;
use domain::text::{When, t};
use domain::wire::page::Frame;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::finder::{LinePage, finder_line};
use crate::components::notice::{Notice, Tone};
use crate::frame::use_frame;
use pilot::FinderPilot;

/// Addresses of the pages that have the line.
pub const PAGES: [&str; 3] = ["/", "/calendar", "/find"];

/// The line and its suggestions, by the address of the page. On other pages than its own it shows nothing where there is no
/// card at all, or where it cannot be asked: the page around it says why.
#[component]
pub fn FinderLine(
    /// Address of the page that it stands on: one of [`PAGES`].
    at: &'static str,
    /// What else the page's address says, which is to stay.
    #[prop(optional)]
    keep: Vec<(&'static str, String)>,
) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let line = Line::read(|name| query.get_str(name));
    let key = query.get_str("key").and_then(|key| key.parse().ok());
    let lost = query.get_str("refused").is_some();
    // A page may be asked for its suggestions by another one: then they lead back there.
    let at = query.get_str("at").and_then(|at| PAGES.into_iter().find(|page| *page == at)).unwrap_or(at);
    // A page of nothing else says why there is nothing.
    let alone = at == "/find";
    let page = Resource::new_blocking(|| (), move |()| finder_line(line.clone(), key));
    let frame = use_frame();
    view! {
        <Transition fallback=|| ()>
            {move || {
                let keep = keep.clone();
                Suspend::new(async move {
                    match (frame.await, page.await) {
                        (Ok(frame), Ok(page)) if page.choices.cards > 0 || alone => show(&frame, page, at, keep, lost),
                        _ => ().into_any(),
                    }
                })
            }}
        </Transition>
    }
}

fn show(frame: &Frame, page: LinePage, at: &'static str, keep: Vec<(&'static str, String)>, lost: bool) -> AnyView {
    let words = &t().finder;
    let when = When::new(&frame.zone, page.found.now);
    let kept: Vec<_> =
        keep.iter().map(|(name, value)| view! { <input type="hidden" name=*name value=value.clone() /> }).collect();
    let back = address(at, &page.line.pairs(), &keep);
    let sentence = sentence::sentence(&page.line, &page.choices, &when);
    let (news, list) = (suggestions::news(&page, &when), suggestions::list(&page, &when, &back));
    view! {
        <section class="finder box" id="finder" aria-label=words.title>
            {lost.then(|| view! { <Notice tone=Tone::Bad lead=words.lost_race /> })}
            <FinderPilot at=at.to_owned() key=page.key.to_string()>
                {kept}
                {sentence}
                <button class="btn unscripted">{words.go}</button>
            </FinderPilot>
            <div id="found" data-news=news>
                {list}
            </div>
            <p class="sr" role="status" id="found-news"></p>
        </section>
    }
    .into_any()
}

/// The address of a page with a sentence and with what else it says.
fn address(at: &str, pairs: &[(&'static str, String)], keep: &[(&'static str, String)]) -> String {
    with_query(at, pairs.iter().chain(keep).map(|(name, value)| (*name, value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_the_sentence_and_the_rest() {
        let pairs = [("which", "model:H100 80GB & more".to_owned()), ("cards", "2".to_owned())];
        let keep = [("show", "free".to_owned()), ("host", String::new())];
        assert_eq!(address("/", &pairs, &keep), "/?which=model:H100%2080GB%20%26%20more&cards=2&show=free");
        assert_eq!(address("/find", &[], &[]), "/find");
    }
}
