//! A text to copy: shown with colours, copied without.

use domain::text::t;
use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::components::code_maker::Slot;
use crate::components::icon::Icon;

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
    /// Words in the text that people put their own in place of.
    #[prop(optional)]
    placeholders: Vec<&'static str>,
    /// The end of the text is filled in later.
    #[prop(optional)]
    fill: Option<Slot>,
    /// A secret that is shown once: stands out.
    #[prop(optional)]
    once: bool,
    /// A comment below the text, not copied.
    #[prop(optional, into)]
    comment: String,
) -> impl IntoView {
    let copy = t().booking.copy;
    let name = if name.is_empty() { label.clone() } else { name };
    let about = if name.is_empty() { copy.to_owned() } else { format!("{copy}: {name}") };
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
            <CopyButton about />
            <pre>
                <span data-copy="">{painted(&text, &placeholders)} {fill.map(|slot| view! { <span data-slot=slot.mark()></span> })}</span>
                {(!comment.is_empty()).then(|| view! { "\n"<span class="c">{comment}</span> })}
            </pre>
        </div>
    }
}

/// Copies the text beside it.
#[cfg_attr(not(feature = "look"), component)]
#[cfg_attr(feature = "look", island)]
pub fn CopyButton(
    /// What it copies, for those who do not see where it stands.
    about: String,
) -> impl IntoView {
    view! {
        <button type="button" class="btn small scripted" aria-label=about on:click=copy>
            <Icon name="copy" />
            <span role="status">{t().booking.copy}</span>
        </button>
    }
}

/// Kinds of words in a command, and what is to be replaced in it.
fn painted(text: &str, placeholders: &[&str]) -> AnyView {
    paint(text)
        .into_iter()
        .flat_map(|(class, part)| {
            split_at_placeholders(part, placeholders).map(move |(held, part)| (class, held, part))
        })
        .map(|(class, held, part)| match (class, held) {
            (_, true) => view! { <mark>{part.to_owned()}</mark> }.into_any(),
            ("", _) => part.to_owned().into_any(),
            (class, _) => view! { <span class=class>{part.to_owned()}</span> }.into_any(),
        })
        .collect_view()
        .into_any()
}

/// Cuts a part where a placeholder stands as a word of its own; says of each piece whether it is one.
fn split_at_placeholders<'a>(part: &'a str, placeholders: &[&str]) -> impl Iterator<Item = (bool, &'a str)> + use<'a> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while at < part.len() {
        let rest = &part[at..];
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins = !part[..at].ends_with(word);
        let found = placeholders
            .iter()
            .find(|held| begins && rest.strip_prefix(**held).is_some_and(|after| !after.starts_with(word)));
        match found {
            Some(held) => {
                pieces.push((false, &part[plain..at]));
                pieces.push((true, &rest[..held.len()]));
                at += held.len();
                plain = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    pieces.push((false, &part[plain..]));
    pieces.into_iter().filter(|(_, piece)| !piece.is_empty())
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

/// Copies; where the browser lets no page at the clipboard, selects.
#[cfg(feature = "hydrate")]
fn copy(event: MouseEvent) {
    use std::time::Duration;
    use wasm_bindgen::JsCast;
    let button = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let Some(button) = button else { return };
    let text =
        button.closest(".code").ok().flatten().and_then(|code| code.query_selector("[data-copy]").ok().flatten());
    let (Some(text), Ok(Some(said))) = (text, button.query_selector("[role=status]")) else { return };
    leptos::task::spawn_local(async move {
        let words = &t().booking;
        // Over plain HTTP beyond this machine there is no clipboard object, and asking for it would throw.
        let plain = text.text_content().unwrap_or_default();
        let copied = window().is_secure_context() && window().navigator().clipboard().write_text(&plain).await.is_ok();
        let copied = copied || copy_selection(&text);
        said.set_text_content(Some(if copied { words.copied } else { words.selected }));
        set_timeout(move || said.set_text_content(Some(words.copy)), Duration::from_millis(2500));
    });
}

/// Selects the text and asks the browser to copy the selection; where it does not, the text stays selected.
#[cfg(feature = "hydrate")]
fn copy_selection(text: &web_sys::Element) -> bool {
    use wasm_bindgen::JsCast;
    let Ok(Some(selection)) = window().get_selection() else { return false };
    if selection.select_all_children(text).is_err() {
        return false;
    }
    document().dyn_ref::<web_sys::HtmlDocument>().is_some_and(|html| html.exec_command("copy").unwrap_or(false))
}

#[cfg(not(feature = "hydrate"))]
fn copy(_event: MouseEvent) {}

#[cfg(test)]
mod tests {
    use super::{paint, split_at_placeholders};

    #[test]
    fn placeholders_are_words_of_their_own() {
        let pieces = |text: &'static str| split_at_placeholders(text, &["IMAGE", "train.py"]).collect::<Vec<_>>();
        assert_eq!(
            pieces("-it IMAGE python train.py"),
            [(false, "-it "), (true, "IMAGE"), (false, " python "), (true, "train.py")]
        );
        assert_eq!(pieces("MY_IMAGE IMAGES é"), [(false, "MY_IMAGE IMAGES é")]);
        assert_eq!(pieces(""), []);
    }

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
