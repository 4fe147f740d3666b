//! A code with which somebody proves an account on a host.

use domain::text::{When, t};
use domain::wire::page::Frame;
use leptos::prelude::*;

use crate::api::session::MakeLinkCode;
use crate::components::copy::CopyBox;
use crate::components::notice::{Notice, Tone};

/// The button that makes a code, and the code with the command to give it to.
#[component]
pub fn LinkCodeBox(
    /// Zone and clock.
    frame: Frame,
    /// Name of the host on which to run it; `None` for any.
    #[prop(optional_no_strip)]
    host: Option<String>,
    /// Makes the code.
    action: ServerAction<MakeLinkCode>,
) -> impl IntoView {
    let words = &t().booking;
    let result = action.value();
    let label = move || if matches!(result.get(), Some(Ok(_))) { words.new_code } else { words.make_code };
    let made = move || match result.get()? {
        Ok(code) => {
            let until = When::new(&frame.zone, frame.now).at(code.expires_at);
            let lead = host.as_ref().map_or_else(|| words.run_anywhere.to_owned(), |host| (words.run_there)(host));
            Some(
                view! {
                    <div class="stack tight" role="status">
                        <CopyBox text=format!("berth link {}", code.code) label=lead once=true />
                        <p class="muted sm">{(words.code_valid)(&until)}</p>
                    </div>
                }
                .into_any(),
            )
        }
        Err(error) => Some(view! { <Notice tone=Tone::Bad lead=error.message().to_owned() /> }.into_any()),
    };
    view! {
        <div class="linkcode">
            <ActionForm action>
                <button class="btn" aria-disabled=move || action.pending().get().then_some("true")>
                    {label}
                </button>
            </ActionForm>
            // Its content is text to a browser with scripts, so it is no part of what is hydrated.
            <noscript inner_html=words.needs_scripts></noscript>
            {made}
        </div>
    }
}
