//! A sentence in a box: what happened, and what to do.

use leptos::prelude::*;

use crate::components::icon::Icon;

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// For information.
    Plain,
    /// It worked.
    Good,
    /// It deserves a look.
    Warn,
    /// It did not work; read out at once.
    Bad,
}

/// A notice. `id` ties a field to it with `aria-describedby`.
#[component]
pub fn Notice(
    /// How much it matters.
    tone: Tone,
    /// First words, in bold.
    #[prop(optional, into)]
    lead: String,
    /// The rest.
    #[prop(optional, into)]
    text: String,
    /// Its id.
    #[prop(optional)]
    id: Option<&'static str>,
    /// Buttons, a list.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let (class, icon, role) = match tone {
        Tone::Plain => ("note", "info", None),
        Tone::Good => ("note ok", "check", Some("status")),
        Tone::Warn => ("note warn", "rogue", None),
        Tone::Bad => ("note bad", "rogue", Some("alert")),
    };
    let gap = if lead.is_empty() || text.is_empty() { "" } else { " " };
    view! {
        <div class=class id=id role=role>
            <Icon name=icon />
            <strong>{lead}</strong>
            {gap}
            {text}
            {children.map(|children| children())}
        </div>
    }
}
