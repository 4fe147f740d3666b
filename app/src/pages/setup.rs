//! Making the first administrator with the one-time code.

use domain::error::Field;
use domain::text::t;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Redirect;

use crate::api::session::SetUp;
use crate::components::field::TextField;
use crate::components::notice::{Notice, Tone};
use crate::frame::{framed, title};
use crate::pages::sign_in::{Door, DoorError};
use crate::pages::sign_up::{AccountFields, has_own_place, on};

/// The page.
#[component]
pub fn Setup() -> impl IntoView {
    let set_up = ServerAction::<SetUp>::new();
    view! {
        <Title text=title(t().sign_in.setup_title) />
        <Door labelled_by="door-heading">
            {framed(move |frame| {
                if frame.viewer.is_some() {
                    view! { <Redirect path="/" /> }.into_any()
                } else if frame.needs_setup {
                    form(set_up)
                } else {
                    done()
                }
            })}
        </Door>
    }
}

fn done() -> AnyView {
    let words = &t().sign_in;
    view! {
        <h1 id="door-heading">{words.setup_heading}</h1>
        <Notice tone=Tone::Plain lead=words.setup_done text=words.setup_done_why>
            <div class="acts">
                <a class="btn small" href="/sign-in">
                    {words.sign_in}
                </a>
                <a class="btn small" href="/sign-up">
                    {words.sign_up}
                </a>
            </div>
        </Notice>
    }
    .into_any()
}

fn form(set_up: ServerAction<SetUp>) -> AnyView {
    let words = &t().sign_in;
    let error = Memo::new(move |_| set_up.value().get().and_then(Result::err));
    view! {
        <h1 id="door-heading">{words.setup_heading}</h1>
        <p class="ink2 sm">{words.setup_why}</p>
        <ActionForm action=set_up attr:class="form">
            <TextField label=words.code name="code" hint=words.code_hint error=on(error, Field::Code) />
            <CodeFill />
            <AccountFields error />
            <DoorError error=Signal::derive(move || error.get().filter(|error| !has_own_place(error))) />
            <button class="btn primary big wide">
                {words.set_up}
            </button>
        </ActionForm>
    }
    .into_any()
}

/// Fills in the code of the link. It stands behind `#`, which browsers do not send: it stays out of logs and referrers.
/// The tab keeps it, for a refused form comes back without it.
#[cfg_attr(not(feature = "look"), component)]
#[cfg_attr(feature = "look", island)]
fn CodeFill() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(move || {
        use wasm_bindgen::JsCast;
        let tab = window().session_storage().ok().flatten();
        let hash = window().location().hash().unwrap_or_default();
        let given = hash.trim_start_matches('#').split('&').find_map(|pair| pair.strip_prefix("code="));
        if let (Some(tab), Some(code)) = (&tab, given) {
            let _ = tab.set_item(KEPT, code);
        }
        let code = given.map(ToOwned::to_owned).or_else(|| tab.and_then(|tab| tab.get_item(KEPT).ok().flatten()));
        let input =
            document().get_element_by_id("code").and_then(|node| node.dyn_into::<web_sys::HtmlInputElement>().ok());
        if let (Some(code), Some(input)) = (code, input)
            && input.value().is_empty()
        {
            input.set_value(&code);
        }
    });
}

/// Name of the kept code.
#[cfg(feature = "hydrate")]
const KEPT: &str = "setup-code";
