//! The fields by their names: what was typed goes into a draft, what was chosen elsewhere goes back into them.

#[cfg(any(feature = "hydrate", test))]
use domain::draft::{Draft, wall::Which};

/// Each card, ticked or not.
pub const CARDS: &str = "form[cards][]";
/// The start.
pub const START: &str = "form[start]";
/// Which of two equal starts.
pub const START_WHICH: &str = "form[start_which]";
/// The end.
pub const END: &str = "form[end]";
/// Which of two equal ends.
pub const END_WHICH: &str = "form[end_which]";
/// Start and end in words.
pub const SPOKEN: &str = "form[spoken]";
/// The purpose.
pub const PURPOSE: &str = "form[purpose]";
/// How often it repeats.
pub const EVERY: &str = "form[every]";
/// Last day of the repeats.
pub const UNTIL: &str = "form[until]";
/// All of the repeats or those that are free.
pub const TAKE: &str = "form[take]";
/// Which of two equal times on other days.
pub const DOUBLED: &str = "form[doubled]";
/// For whom.
pub const OWNER: &str = "form[owner]";
/// Who may launch as well.
pub const CO_USERS: &str = "form[co_users][]";
/// This one, or all that follow.
pub const SCOPE: &str = "form[scope]";
/// Shares of a card begin with this.
const SHARES: &str = "form[shares][";

/// Name of the field for the shares of a card.
pub fn shares_of(card: &str) -> String {
    format!("{SHARES}{card}]")
}

/// A choice that stands in a draft as a text.
#[cfg(any(feature = "hydrate", test))]
fn text<'a>(draft: &'a mut Draft, name: &str) -> Option<&'a mut String> {
    Some(match name {
        START => &mut draft.start,
        END => &mut draft.end,
        SPOKEN => &mut draft.spoken,
        PURPOSE => &mut draft.purpose,
        EVERY => &mut draft.every,
        UNTIL => &mut draft.until,
        TAKE => &mut draft.take,
        DOUBLED => &mut draft.doubled,
        OWNER => &mut draft.owner,
        SCOPE => &mut draft.scope,
        _ => return None,
    })
}

/// Takes over what a field says. `on` is whether it is ticked, where it can be; others always say something.
#[cfg(any(feature = "hydrate", test))]
pub fn take(draft: &mut Draft, name: &str, value: &str, on: bool) {
    let list = |list: &mut Vec<String>| {
        list.retain(|other| other != value);
        if on {
            list.push(value.to_owned());
        }
    };
    match name {
        CARDS => list(&mut draft.cards),
        CO_USERS => list(&mut draft.co_users),
        START_WHICH if on => draft.start_which = Which::parse(value),
        END_WHICH if on => draft.end_which = Which::parse(value),
        _ => {
            if let Some(text) = text(draft, name) {
                if on {
                    value.clone_into(text);
                }
            } else if let Some(card) = name.strip_prefix(SHARES).and_then(|rest| rest.strip_suffix(']')) {
                draft.shares.insert(card.to_owned(), value.to_owned());
            }
        }
    }
}

/// What a field is to show.
#[cfg(any(feature = "hydrate", test))]
#[derive(Debug, PartialEq, Eq)]
pub enum Shown {
    /// This text.
    Text(String),
    /// A tick, or none.
    Tick(bool),
}

/// What a field of that name is to show; `value` tells those of one name apart. `None`: it is none of the draft's.
#[cfg(any(feature = "hydrate", test))]
pub fn shown(draft: &Draft, name: &str, value: &str) -> Option<Shown> {
    let which = |which: Option<Which>| Some(Shown::Tick(which.is_some_and(|which| which.as_str() == value)));
    match name {
        CARDS => Some(Shown::Tick(draft.cards.iter().any(|card| card == value))),
        CO_USERS => Some(Shown::Tick(draft.co_users.iter().any(|person| person == value))),
        START_WHICH => which(draft.start_which),
        END_WHICH => which(draft.end_which),
        TAKE => Some(Shown::Tick(draft.take == value)),
        DOUBLED => Some(Shown::Tick(draft.doubled == value)),
        SCOPE => Some(Shown::Tick(draft.scope == value)),
        _ => match name.strip_prefix(SHARES).and_then(|rest| rest.strip_suffix(']')) {
            Some(card) => Some(Shown::Text(draft.shares.get(card).cloned().unwrap_or_default())),
            None => text(&mut draft.clone(), name).map(|text| Shown::Text(std::mem::take(text))),
        },
    }
}

#[cfg(feature = "hydrate")]
pub use browser::{focus, read, read_one, write};

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::document;
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::{Element, HtmlElement, HtmlInputElement};

    use super::{Draft, Shown, shown, take};

    const FIELDS: &str = "input[name], select[name]";

    fn fields(form: &Element) -> impl Iterator<Item = Element> {
        let list = form.query_selector_all(FIELDS).ok();
        let count = list.as_ref().map_or(0, web_sys::NodeList::length);
        (0..count).filter_map(move |at| list.as_ref()?.item(at)?.dyn_into().ok())
    }

    fn property(field: &Element, name: &str) -> Option<JsValue> {
        js_sys::Reflect::get(field, &name.into()).ok()
    }

    fn value(field: &Element) -> String {
        property(field, "value").and_then(|value| value.as_string()).unwrap_or_default()
    }

    /// Takes over what a field says; a field that is disabled says nothing.
    pub fn read_one(draft: &mut Draft, field: &Element) {
        let Some(name) = field.get_attribute("name") else { return };
        let ticked =
            field.dyn_ref::<HtmlInputElement>().filter(|input| matches!(input.type_().as_str(), "checkbox" | "radio"));
        let on = ticked.is_none_or(|input| input.checked() && !input.disabled());
        take(draft, &name, &value(field), on);
    }

    /// Takes over what all fields say.
    pub fn read(draft: &mut Draft, form: &Element) {
        for field in fields(form) {
            read_one(draft, &field);
        }
    }

    /// Puts a draft into the fields; only what differs is touched.
    pub fn write(draft: &Draft, form: &Element) {
        for field in fields(form) {
            let Some(name) = field.get_attribute("name") else { continue };
            let has = value(&field);
            match shown(draft, &name, &has) {
                Some(Shown::Text(text)) if text != has => {
                    let _ = js_sys::Reflect::set(&field, &"value".into(), &text.into());
                }
                Some(Shown::Tick(on)) => {
                    if let Some(input) = field.dyn_ref::<HtmlInputElement>()
                        && input.checked() != on
                    {
                        input.set_checked(on);
                    }
                }
                _ => {}
            }
        }
    }

    /// Moves the focus to a field, by its id.
    pub fn focus(id: &str) {
        let field = document().get_element_by_id(id).and_then(|field| field.dyn_into::<HtmlElement>().ok());
        if let Some(field) = field {
            let _ = field.focus();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_comes_back() {
        let mut draft = Draft::default();
        for (name, value, on) in [
            (CARDS, "GPU-1", true),
            (CARDS, "GPU-2", true),
            (CARDS, "GPU-1", false),
            (START, "2026-11-30T14:00", true),
            (START_WHICH, "first", false),
            (START_WHICH, "second", true),
            (TAKE, "free", true),
            (TAKE, "all", false),
            ("form[shares][MIG-GPU-1/2/0]", "3", true),
            ("form[zone]", "UTC", true),
        ] {
            take(&mut draft, name, value, on);
        }
        assert_eq!(
            (draft.cards.as_slice(), draft.start.as_str()),
            (["GPU-2".to_owned()].as_slice(), "2026-11-30T14:00")
        );
        assert_eq!((draft.start_which, draft.take.as_str()), (Some(Which::Second), "free"));
        assert_eq!(shown(&draft, CARDS, "GPU-1"), Some(Shown::Tick(false)));
        assert_eq!(shown(&draft, CARDS, "GPU-2"), Some(Shown::Tick(true)));
        assert_eq!(shown(&draft, START, ""), Some(Shown::Text("2026-11-30T14:00".to_owned())));
        assert_eq!(shown(&draft, START_WHICH, "first"), Some(Shown::Tick(false)));
        assert_eq!(shown(&draft, &shares_of("MIG-GPU-1/2/0"), ""), Some(Shown::Text("3".to_owned())));
        assert_eq!(shown(&draft, "form[zone]", ""), None);
    }
}
