//! The suggestions: which cards, when, why, and the button that books them.

use domain::band::gigabytes;
use domain::draft::wall;
use domain::finder::{FoundCard, Reason, Suggestion};
use domain::text::{When, t};
use leptos::prelude::*;
use time::Duration;
use time::format_description::well_known::Rfc3339;

use super::lack;
use crate::api::finder::LinePage;

/// Cards of one host that are shown one by one.
const SHOWN_MAX: usize = 8;

/// All of them, or why there are none. `back` is the address of the page.
pub fn list(page: &LinePage, when: &When<'_>, back: &str) -> AnyView {
    let words = &t().finder;
    let found = &page.found;
    let items = found.suggestions.iter().enumerate();
    let items = items.map(|(at, one)| item(page, one, at == 0, when, back)).collect_view();
    view! {
        {found.lack.as_ref().map(|why| lack::said(page, why, when, back))}
        <ol class="suggest" aria-label=words.matches>
            {items}
        </ol>
        <p class="foundnote muted sm">
            {(words.free_of)(found.free, found.fitting)} " · " <a href="/calendar">{words.calendar}</a>
        </p>
    }
    .into_any()
}

/// What is read out after a search.
pub fn news(page: &LinePage, when: &When<'_>) -> String {
    let words = &t().finder;
    let count = page.found.suggestions.len();
    let first = match (page.found.suggestions.first(), &page.found.lack) {
        (Some(one), _) => format!("{}: {}, {}", reason(one.reason), cards(one), times(one, when)),
        (None, Some(why)) => lack::sentence(page, why, when),
        (None, None) => String::new(),
    };
    (words.news)(count, &first)
}

fn reason(reason: Reason) -> &'static str {
    let words = &t().finder;
    match reason {
        Reason::BestFit => words.best_fit,
        Reason::Fastest => words.fastest,
        Reason::Later => words.later,
        Reason::Shorter => words.shorter,
        Reason::Elsewhere => words.elsewhere,
        Reason::SameLater => words.same_later,
    }
}

/// Cards by their hosts, in order.
fn by_host(one: &Suggestion) -> Vec<(&str, Vec<&FoundCard>)> {
    let mut hosts: Vec<(&str, Vec<&FoundCard>)> = Vec::new();
    for card in &one.cards {
        match hosts.last_mut() {
            Some((host, cards)) if *host == card.host => cards.push(card),
            _ => hosts.push((&card.host, vec![card])),
        }
    }
    hosts
}

/// `dgx-h100 cards 4, 5`.
fn cards(one: &Suggestion) -> String {
    let of_host = |(host, cards): (&str, Vec<&FoundCard>)| {
        let numbers: Vec<String> = cards.iter().map(|card| card.number.to_string()).collect();
        (t().finder.host_cards)(host, &numbers.join(", "), cards.len())
    };
    by_host(one).into_iter().map(of_host).collect::<Vec<_>>().join("; ")
}

fn is_now(one: &Suggestion, when: &When<'_>) -> bool {
    one.window.start() <= when.now + Duration::MINUTE
}

fn times(one: &Suggestion, when: &When<'_>) -> String {
    if is_now(one, when) { (t().finder.until)(&when.at(one.window.end())) } else { when.range(&one.window) }
}

/// Why it is suggested, in a sentence.
fn why(page: &LinePage, one: &Suggestion) -> String {
    let words = &t().finder;
    let Some(first) = one.cards.first() else { return String::new() };
    match one.reason {
        Reason::BestFit => {
            let smallest = (words.smallest)(page.line.count);
            let faster = page.found.suggestions.iter().find(|other| other.reason == Reason::Fastest);
            let kept = faster.and_then(|other| other.cards.first()).filter(|other| other.model != first.model);
            match kept {
                Some(other) => format!("{smallest} {}", (words.keeps)(&other.model)),
                None => smallest,
            }
        }
        Reason::Later if page.found.suggestions.first() == Some(one) => words.first_time.to_owned(),
        Reason::Later => (words.faster_then)(&first.model),
        Reason::Fastest | Reason::Shorter | Reason::Elsewhere | Reason::SameLater => {
            let memory = first.memory_mib.map(gigabytes).unwrap_or_default();
            match &one.link {
                Some(link) => (words.model_linked)(&first.model, &memory, link),
                None => (words.model)(&first.model, &memory),
            }
        }
    }
}

fn item(page: &LinePage, one: &Suggestion, first: bool, when: &When<'_>, back: &str) -> AnyView {
    let words = &t().finder;
    let now = is_now(one, when);
    // Asked for from this minute on, so that the same click asks for the same.
    let start = if now { wall::minute(when.now) } else { one.window.start() };
    let act = if now {
        let length = match one.by_rule {
            Some(_) => one.window.end() - start,
            None => Duration::minutes(i64::from(page.line.minutes)),
        };
        (words.book)(&when.length(length))
    } else {
        (words.book_from)(&when.at(one.window.start()))
    };
    let about = (words.book_about)(&act, &cards(one), &times(one, when));
    let after = match one.free_until {
        Some(at) if at > one.window.end() => Some((words.free_until)(&when.at(at))),
        Some(_) => None,
        None => Some(words.free_after.to_owned()),
    };
    let rule = one.by_rule.as_ref().map(|rule| (words.by_rule)(rule));
    let rfc = |at: time::OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
    let picked = one.cards.iter().map(|card| {
        view! { <input type="hidden" name="form[cards][]" value=card.uuid.to_string() /> }
    });
    let hosts = by_host(one).into_iter().map(|(host, cards)| {
        view! {
            <span class="of">
                <b>{host.to_owned()}</b>
                " "
                {group(&cards, one.link.as_deref())}
            </span>
        }
    });
    view! {
        <li>
            <p class="tag">{reason(one.reason)}</p>
            <p class="what">{hosts.collect_view()}</p>
            <p class="when">
                <b>{times(one, when)}</b>
                {after.map(|after| format!(" · {after}"))}
            </p>
            <p class="why">{why(page, one)} {rule.map(|rule| format!(" {rule}"))}</p>
            <form method="post" action="/api/page/book_found">
                {picked.collect_view()}
                <input type="hidden" name="form[start]" value=rfc(start) />
                <input type="hidden" name="form[end]" value=rfc(one.window.end()) />
                <input type="hidden" name="form[key]" value=page.key.to_string() />
                <input type="hidden" name="form[back]" value=back.to_owned() />
                <button class="btn" class:primary=first aria-label=about data-act="">
                    {act}
                </button>
            </form>
        </li>
    }
    .into_any()
}

/// Numbers with their link: between two, after more.
fn group(cards: &[&FoundCard], link: Option<&str>) -> AnyView {
    let number = |card: &&FoundCard| view! { <b>{card.number.to_string()}</b> }.into_any();
    let link = link.map(|link| view! { <i>{(t().finder.link)(link)}</i> }.into_any());
    let mut parts: Vec<AnyView> = cards.iter().take(SHOWN_MAX).map(number).collect();
    if cards.len() > SHOWN_MAX {
        parts.push(view! { <b>"+"{cards.len() - SHOWN_MAX}</b> }.into_any());
    }
    let place = if parts.len() == 2 { 1 } else { parts.len() };
    parts.extend(link);
    let last = parts.len().saturating_sub(1);
    if place < last {
        parts.swap(place, last);
    }
    view! { <span class="pairg">{parts}</span> }.into_any()
}
