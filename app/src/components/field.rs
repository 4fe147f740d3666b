//! A labelled text input, with its hint and its error.

use leptos::prelude::*;

/// A label, an input, and below it the hint or what is wrong. The browser keeps what was typed: the value is set once.
#[component]
pub fn TextField(
    /// Label.
    label: &'static str,
    /// Name in the form; also the start of the ids.
    name: &'static str,
    /// `text`, `password`, ...
    #[prop(default = "text")]
    kind: &'static str,
    /// What the browser may fill in.
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// First value.
    #[prop(optional, into)]
    value: String,
    /// Said below while nothing is wrong.
    #[prop(optional, into)]
    hint: String,
    /// What is wrong with it.
    #[prop(optional, into)]
    error: Signal<Option<String>>,
    /// Marked as wrong without a sentence of its own; `described_by` names the sentence.
    #[prop(optional, into)]
    invalid: Signal<bool>,
    /// Id of a sentence elsewhere on the page.
    #[prop(optional)]
    described_by: Option<&'static str>,
    /// Most characters.
    #[prop(optional)]
    maxlength: Option<u32>,
    /// May be left empty.
    #[prop(optional)]
    optional: bool,
    /// Gets the focus when the page opens.
    #[prop(optional)]
    autofocus: bool,
    /// The input itself.
    #[prop(optional)]
    node_ref: NodeRef<leptos::html::Input>,
) -> impl IntoView {
    let note = format!("{name}-note");
    let has_hint = !hint.is_empty();
    let described = {
        let note = note.clone();
        move || match (error.read().is_some() || has_hint, described_by.filter(|_| invalid.get())) {
            (_, Some(other)) => Some(other.to_owned()),
            (true, None) => Some(note.clone()),
            (false, None) => None,
        }
    };
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <input
                class="input"
                id=name
                name=name
                type=kind
                autocomplete=autocomplete
                autocapitalize="none"
                spellcheck="false"
                value=value
                required=!optional
                maxlength=maxlength
                autofocus=autofocus
                node_ref=node_ref
                aria-invalid=move || (invalid.get() || error.read().is_some()).then_some("true")
                aria-describedby=described
            />
            <small id=note class=move || if error.read().is_some() { "err" } else { "" }>
                {move || error.get().unwrap_or_else(|| hint.clone())}
            </small>
        </div>
    }
}
