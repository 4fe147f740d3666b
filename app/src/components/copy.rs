//! A text to copy: shown with colours, copied without.

use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;

/// How copying went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    /// Not tried, or a while ago.
    No,
    /// In the clipboard.
    Copied,
    /// Only selected: the browser lets no page at the clipboard here.
    Selected,
}

/// A text with its copy button. Without scripts the text alone is there, to be selected by hand.
#[component]
pub fn CopyBox(
    /// The text.
    #[prop(into)]
    text: String,
    /// What it is; stands above it.
    #[prop(optional, into)]
    label: String,
    /// What it needs; beside the label.
    #[prop(optional, into)]
    needs: String,
    /// Name of the text, for those who do not see it; the label is enough where there is one.
    #[prop(optional, into)]
    name: String,
    /// A secret that is shown once: stands out.
    #[prop(optional)]
    once: bool,
    /// A comment below the text, not copied.
    #[prop(optional, into)]
    comment: String,
) -> impl IntoView {
    let words = &t().booking;
    let done = RwSignal::new(Done::No);
    let pre = NodeRef::<leptos::html::Span>::new();
    let name = if name.is_empty() { label.clone() } else { name };
    let about = if name.is_empty() { words.copy.to_owned() } else { format!("{}: {name}", words.copy) };
    let copied = text.clone();
    view! {
        <div class=if once { "code once" } else { "code" }>
            {(!label.is_empty())
                .then(|| {
                    view! {
                        <h3>
                            {label} {(!needs.is_empty()).then(|| view! { " "<small>{needs}</small> })}
                        </h3>
                    }
                })}
            <button
                type="button"
                class="btn small scripted"
                aria-label=about
                on:click=move |_| copy(copied.clone(), pre, done)
            >
                <Icon name="copy" />
                <span role="status">
                    {move || match done.get() {
                        Done::No => words.copy,
                        Done::Copied => words.copied,
                        Done::Selected => words.selected,
                    }}
                </span>
            </button>
            <pre>
                <span node_ref=pre>{painted(&text)}</span>
                {(!comment.is_empty()).then(|| view! { "\n"<span class="c">{comment}</span> })}
            </pre>
        </div>
    }
}

/// Kinds of words in a command.
fn painted(text: &str) -> AnyView {
    paint(text)
        .into_iter()
        .map(|(class, part)| match class {
            "" => part.to_owned().into_any(),
            class => view! { <span class=class>{part.to_owned()}</span> }.into_any(),
        })
        .collect_view()
        .into_any()
}

/// Cuts a command into parts with the class of each: `v` a variable's name, `s` quoted, `f` an option, or none.
/// Joined, the parts are the text.
fn paint(text: &str) -> Vec<(&'static str, &str)> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut plain = rest;
    let mut at_word = true;
    while let Some(c) = rest.chars().next() {
        let class_and_length = match c {
            '\'' | '"' => rest[1..].find(c).map(|end| ("s", end + 2)),
            '-' if at_word => {
                let end = rest.find(|c: char| !(c == '-' || c.is_ascii_alphanumeric())).unwrap_or(rest.len());
                (end > 1 && &rest[..end] != "--").then_some(("f", end))
            }
            'A'..='Z' if at_word => {
                let end = rest.find(|c: char| !(c == '_' || c.is_ascii_uppercase())).unwrap_or(rest.len());
                rest[end..].starts_with('=').then_some(("v", end))
            }
            _ => None,
        };
        match class_and_length {
            Some((class, length)) => {
                let before = &plain[..plain.len() - rest.len()];
                if !before.is_empty() {
                    parts.push(("", before));
                }
                parts.push((class, &rest[..length]));
                rest = &rest[length..];
                plain = rest;
                at_word = false;
            }
            None => {
                rest = &rest[c.len_utf8()..];
                at_word = c.is_whitespace();
            }
        }
    }
    if !plain.is_empty() {
        parts.push(("", plain));
    }
    parts
}

#[cfg(feature = "hydrate")]
fn copy(text: String, pre: NodeRef<leptos::html::Span>, done: RwSignal<Done>) {
    use std::time::Duration;
    leptos::task::spawn_local(async move {
        // Over plain HTTP beyond this machine there is no clipboard object, and asking for it would throw.
        let copied = window().is_secure_context() && window().navigator().clipboard().write_text(&text).await.is_ok();
        let copied = copied || copy_selection(pre);
        done.set(if copied { Done::Copied } else { Done::Selected });
        set_timeout(
            move || {
                done.try_set(Done::No);
            },
            Duration::from_millis(2500),
        );
    });
}

/// Selects the text and asks the browser to copy the selection; where it does not, the text stays selected.
#[cfg(feature = "hydrate")]
fn copy_selection(pre: NodeRef<leptos::html::Span>) -> bool {
    use wasm_bindgen::JsCast;
    let (Some(pre), Ok(Some(selection))) = (pre.get_untracked(), window().get_selection()) else { return false };
    if selection.select_all_children(&pre).is_err() {
        return false;
    }
    document().dyn_ref::<web_sys::HtmlDocument>().is_some_and(|html| html.exec_command("copy").unwrap_or(false))
}

#[cfg(not(feature = "hydrate"))]
fn copy(text: String, pre: NodeRef<leptos::html::Span>, done: RwSignal<Done>) {
    let _ = (text, pre, done, Done::Copied, Done::Selected);
}

#[cfg(test)]
mod tests {
    use super::paint;

    #[test]
    fn parts_joined_are_the_text() {
        for text in [
            "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=GPU-a,GPU-b",
            "docker run --gpus '\"device=GPU-a,GPU-b\"' \\\n  --rm -it IMAGE python train.py",
            "berth run --cards 2,3 -- python -c 'import torch; print(1)'",
            "it's open \" é -",
            "",
        ] {
            assert_eq!(paint(text).into_iter().map(|(_, part)| part).collect::<String>(), text);
        }
    }

    #[test]
    fn kinds_of_words() {
        assert_eq!(
            paint("A_B=c run --gpus '\"x\"' -it IMAGE -- GPU-a"),
            [
                ("v", "A_B"),
                ("", "=c run "),
                ("f", "--gpus"),
                ("", " "),
                ("s", "'\"x\"'"),
                ("", " "),
                ("f", "-it"),
                ("", " IMAGE -- GPU-a")
            ]
        );
    }
}
