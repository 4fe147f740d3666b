//! Cards that are taken at the chosen time: by whom, until when, and what would work instead.

use domain::draft::Draft;
use domain::draft::offer::{Offer, offers};
use domain::id::CardUuid;
use domain::reservation::Clash;
use domain::text::t;
use domain::wire::live_v1::Fleet;
use domain::zone::ZoneTable;
use leptos::prelude::*;

use super::form::Form;
use super::query::address;
use crate::components::icon::Icon;
use crate::error::AppError;

/// Shows a conflict, where there is one.
#[component]
pub fn Conflict(form: Form) -> impl IntoView {
    view! { <div role="alert">{move || conflict(form)}</div> }
}

fn conflict(form: Form) -> Option<AnyView> {
    let words = &t().book;
    let clashes = form.clashes.get();
    let window = form.window.get().ok()?;
    if clashes.is_empty() {
        return None;
    }
    // What the portal says goes first; before it was asked, the page says what it knows.
    let headline = match form.refused.get() {
        Some(AppError::Api(error)) if !error.clashes.is_empty() => error.message,
        _ => (words.taken)(count(&clashes)),
    };
    let lines = clashes.iter().map(|clash| view! { <li>{line(form, clash)}</li> }.into_any()).collect_view();
    let offers = offers(&form.fleet.read(), &form.cards(), &window, &clashes);
    let offers = offers.into_iter().map(|offer| offer_link(form, offer)).collect_view();
    Some(
        view! {
            <div class="conflict">
                <p class="hd">
                    <Icon name="rogue" />
                    <strong>{headline}</strong>
                </p>
                <ul class="who">{lines}</ul>
                <ul class="ways">{offers}</ul>
            </div>
        }
        .into_any(),
    )
}

fn count(clashes: &[Clash]) -> usize {
    let mut cards: Vec<&CardUuid> = clashes.iter().map(|clash| &clash.card).collect();
    cards.sort();
    cards.dedup();
    cards.len()
}

fn line(form: Form, clash: &Clash) -> String {
    let words = &t().book;
    let who = if clash.own { words.you } else { clash.holder.as_str() };
    let span = form.say(|when| when.range(&clash.window));
    (words.taken_by)(clash.index, &clash.host, who, &span)
}

/// A link to the form as it would be, which works without scripts; with scripts the form is rewritten in place.
fn offer_link(form: Form, offer: Offer) -> AnyView {
    let label = label(form, &offer);
    let href = {
        let mut draft = form.draft.get();
        form.zone.with_value(|zone| apply(&offer, &mut draft, zone));
        address(&draft, None)
    };
    let take = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        form.rewrite(|draft, zone| apply(&offer, draft, zone));
    };
    view! {
        <li>
            <a href=href on:click=take>
                <span>{label}</span>
                <Icon name="right" />
            </a>
        </li>
    }
    .into_any()
}

fn apply(offer: &Offer, draft: &mut Draft, zone: &ZoneTable) {
    match offer {
        Offer::Shorter(window) | Offer::Later(window) => draft.set_window(window, zone),
        Offer::Elsewhere(cards) => draft.cards = cards.iter().map(|card| card.as_str().to_owned()).collect(),
    }
}

fn label(form: Form, offer: &Offer) -> String {
    let words = &t().book;
    form.say(|when| match offer {
        Offer::Shorter(window) => (words.offer_shorter)(&when.at(window.end()), &when.length(window.length())),
        Offer::Later(window) => (words.offer_later)(&when.at(window.start()), &when.range(window)),
        Offer::Elsewhere(cards) => (words.offer_elsewhere)(&named(&form.fleet.read(), cards)),
    })
}

/// Cards by host: `rig-3090, cards 0 and 3`.
fn named(fleet: &Fleet, cards: &[CardUuid]) -> String {
    let on = |host: &domain::wire::live_v1::HostView| {
        let indices: Vec<u32> =
            host.cards.iter().filter(|card| cards.contains(&card.facts.uuid)).map(|card| card.facts.index).collect();
        (!indices.is_empty()).then(|| (t().booking.cards_on)(&host.name, &indices))
    };
    fleet.hosts.iter().filter_map(on).collect::<Vec<_>>().join("; ")
}
