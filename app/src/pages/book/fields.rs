//! The browser's fields: read into a draft, written from one. Names and ids are the same.

#[cfg(feature = "hydrate")]
use domain::draft::Draft;
use domain::draft::wall::Which;
use domain::id::CardUuid;

/// The start.
pub const START: &str = "form[start]";
/// The end.
pub const END: &str = "form[end]";
/// The purpose.
pub const PURPOSE: &str = "form[purpose]";

/// Id of a card's box.
pub fn card_id(card: &CardUuid) -> String {
    format!("card-{card}")
}

/// Id of a choice between two equal times.
pub fn which_id(field: &str, which: Which) -> String {
    format!("{field}-{}", which.as_str())
}

#[cfg(feature = "hydrate")]
pub use browser::{focus, mark, read, write};

#[cfg(feature = "hydrate")]
mod browser {
    use wasm_bindgen::JsCast;

    use super::super::form::Start;
    use super::{CardUuid, Draft, END, PURPOSE, START, Which, card_id, which_id};

    fn input(id: &str) -> Option<web_sys::HtmlInputElement> {
        leptos::prelude::document().get_element_by_id(id)?.dyn_into().ok()
    }

    /// What stands in the fields.
    pub fn read(start: &Start) -> Draft {
        let text = |id: &str| input(id).map(|input| input.value()).unwrap_or_default();
        let ticked = |card: &CardUuid| input(&card_id(card)).is_some_and(|input| input.checked() && !input.disabled());
        let cards = start.known.iter().filter(|card| ticked(&card.uuid)).map(|card| card.uuid.to_string());
        Draft {
            cards: cards.collect(),
            start: text(START),
            start_which: which(START),
            end: text(END),
            end_which: which(END),
            purpose: text(PURPOSE),
            key: start.key.clone(),
            ..Draft::default()
        }
    }

    /// Puts the times of a draft into the fields.
    pub fn write(draft: &Draft) {
        for (id, value, chosen) in [(START, &draft.start, draft.start_which), (END, &draft.end, draft.end_which)] {
            if let Some(input) = input(id)
                && input.value() != *value
            {
                input.set_value(value);
            }
            for which in [Which::First, Which::Second] {
                if let Some(input) = input(&which_id(id, which)) {
                    input.set_checked(chosen == Some(which));
                }
            }
        }
    }

    /// Marks the cards that are taken at the chosen time.
    pub fn mark(start: &Start, taken: &[CardUuid]) {
        for card in &start.known {
            let label = input(&card_id(&card.uuid)).and_then(|input| input.closest("label").ok().flatten());
            if let Some(label) = label {
                let _ = if taken.contains(&card.uuid) {
                    label.set_attribute("data-clash", "")
                } else {
                    label.remove_attribute("data-clash")
                };
            }
        }
    }

    /// Moves the focus to a field.
    pub fn focus(id: &str) {
        if let Some(input) = input(id) {
            let _ = input.focus();
        }
    }

    fn which(field: &str) -> Option<Which> {
        [Which::First, Which::Second]
            .into_iter()
            .find(|which| input(&which_id(field, *which)).is_some_and(|input| input.checked()))
    }
}
