//! The browser's fields: read into a draft, written from one.

use domain::draft::Draft;
use domain::draft::wall::Which;
use domain::id::CardUuid;
use domain::wire::live_v1::Fleet;

/// Id of the start.
pub const START: &str = "form[start]";
/// Id of the end.
pub const END: &str = "form[end]";
/// Id of the purpose.
pub const PURPOSE: &str = "form[purpose]";

/// Id of a card's box.
pub fn card_id(card: &CardUuid) -> String {
    format!("card-{card}")
}

/// Id of a choice between two equal times.
pub fn which_id(field: &str, which: Which) -> String {
    format!("{field}-{}", which.as_str())
}

/// What stands in the fields; what has no field keeps its value.
#[cfg(feature = "hydrate")]
pub fn read(fleet: &Fleet, mut draft: Draft) -> Draft {
    let text = |id: &str, before: String| input(id).map_or(before, |input| input.value());
    draft.start = text(START, draft.start);
    draft.end = text(END, draft.end);
    draft.purpose = text(PURPOSE, draft.purpose);
    draft.start_which = which(START);
    draft.end_which = which(END);
    for card in fleet.hosts.iter().flat_map(|host| &host.cards) {
        let uuid = &card.facts.uuid;
        if let Some(input) = input(&card_id(uuid)) {
            let on = input.checked() && !input.disabled();
            if on != draft.has(uuid) {
                draft.tick(uuid, on);
            }
        }
    }
    draft
}

/// Puts a draft into the fields.
#[cfg(feature = "hydrate")]
pub fn write(fleet: &Fleet, draft: &Draft) {
    for (id, value) in [(START, &draft.start), (END, &draft.end), (PURPOSE, &draft.purpose)] {
        if let Some(input) = input(id) {
            input.set_value(value);
        }
    }
    for (field, chosen) in [(START, draft.start_which), (END, draft.end_which)] {
        for which in [Which::First, Which::Second] {
            if let Some(input) = input(&which_id(field, which)) {
                input.set_checked(chosen == Some(which));
            }
        }
    }
    for card in fleet.hosts.iter().flat_map(|host| &host.cards) {
        if let Some(input) = input(&card_id(&card.facts.uuid)) {
            input.set_checked(draft.has(&card.facts.uuid));
        }
    }
}

/// Moves the focus to a field.
#[cfg(feature = "hydrate")]
pub fn focus(id: &str) {
    if let Some(input) = input(id) {
        let _ = input.focus();
    }
}

#[cfg(feature = "hydrate")]
fn input(id: &str) -> Option<web_sys::HtmlInputElement> {
    use wasm_bindgen::JsCast;
    leptos::prelude::document().get_element_by_id(id)?.dyn_into().ok()
}

#[cfg(feature = "hydrate")]
fn which(field: &str) -> Option<Which> {
    [Which::First, Which::Second]
        .into_iter()
        .find(|which| input(&which_id(field, *which)).is_some_and(|input| input.checked()))
}

#[cfg(not(feature = "hydrate"))]
pub fn read(_fleet: &Fleet, draft: Draft) -> Draft {
    draft
}

#[cfg(not(feature = "hydrate"))]
pub fn write(_fleet: &Fleet, _draft: &Draft) {}

#[cfg(not(feature = "hydrate"))]
pub fn focus(_id: &str) {}
