//! Making an account. Also holds the fields that set-up shares.

use domain::error::Field;
use domain::text::t;
use domain::user::{DISPLAY_NAME_MAX_CHARS, PASSWORD_MIN_CHARS};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_query_map;

use crate::api::session::SignUp as SignUpCall;
use crate::components::field::TextField;
use crate::error::AppError;
use crate::frame::{framed, title};
use crate::pages::sign_in::{Door, DoorError};

/// The page.
#[component]
pub fn SignUp() -> impl IntoView {
    let sign_up = ServerAction::<SignUpCall>::new();
    view! {
        <Title text=title(t().sign_in.sign_up_title) />
        <Door labelled_by="door-heading">
            {framed(move |frame| {
                if frame.viewer.is_some() {
                    return view! { <Redirect path="/" /> }.into_any();
                }
                form(sign_up)
            })}
        </Door>
    }
}

fn form(sign_up: ServerAction<SignUpCall>) -> AnyView {
    let words = &t().sign_in;
    let error = Memo::new(move |_| sign_up.value().get().and_then(Result::err));
    view! {
        <h1 id="door-heading">{words.sign_up_heading}</h1>
        <ActionForm action=sign_up attr:class="form">
            <AccountFields error />
            <DoorError error=Signal::derive(move || error.get().filter(|error| !has_own_place(error))) />
            <button class="btn primary big wide">
                {words.sign_up}
            </button>
        </ActionForm>
        <p class="muted sm">
            {words.have_account} " " <a href="/sign-in">{words.to_sign_in}</a>
        </p>
    }
    .into_any()
}

/// Whether one of [`AccountFields`] or the code's field says it already.
pub(super) fn has_own_place(error: &AppError) -> bool {
    matches!(error.field(), Some(Field::Name | Field::DisplayName | Field::Password | Field::Code))
}

/// The sentence for one field.
pub(super) fn on(error: Memo<Option<AppError>>, field: Field) -> Signal<Option<String>> {
    Signal::derive(move || {
        let error = error.read();
        error.as_ref().filter(|error| error.field() == Some(field)).map(|error| error.message().to_owned())
    })
}

/// Name, full name, password, and the browser's zone.
#[component]
pub(super) fn AccountFields(error: Memo<Option<AppError>>) -> impl IntoView {
    let words = &t().sign_in;
    // What was typed before a refusal, where no script keeps it.
    let query = use_query_map();
    let typed = move |name: &str| query.read_untracked().get(name).unwrap_or_default();
    view! {
        <TextField
            label=words.name
            name="name"
            value=typed("name")
            autocomplete="username"
            hint=words.name_hint
            error=on(error, Field::Name)
            maxlength=63
        />
        <TextField
            label=words.display_name
            name="display_name"
            value=typed("display_name")
            autocomplete="name"
            hint=words.display_name_hint
            error=on(error, Field::DisplayName)
            maxlength=u32::try_from(DISPLAY_NAME_MAX_CHARS).unwrap_or(u32::MAX)
        />
        <TextField
            label=words.password
            name="password"
            kind="password"
            autocomplete="new-password"
            hint=(words.password_hint)(PASSWORD_MIN_CHARS)
            error=on(error, Field::Password)
        />
        <ZoneField />
    }
}

/// The browser's zone. UTC stays where no script runs; it can be changed on the account page.
#[cfg_attr(not(feature = "look"), component)]
#[cfg_attr(feature = "look", island)]
fn ZoneField() -> impl IntoView {
    let zone = RwSignal::new("UTC".to_owned());
    Effect::new(move || {
        if let Some(name) = browser_zone() {
            zone.set(name);
        }
    });
    view! { <input type="hidden" name="zone" value="UTC" prop:value=move || zone.get() /> }
}

/// The zone that the browser is set to.
#[cfg(feature = "hydrate")]
fn browser_zone() -> Option<String> {
    use wasm_bindgen::JsValue;
    let format = js_sys::Intl::DateTimeFormat::new(&js_sys::Array::new(), &js_sys::Object::new());
    js_sys::Reflect::get(&format.resolved_options(), &JsValue::from_str("timeZone")).ok()?.as_string()
}

#[cfg(not(feature = "hydrate"))]
fn browser_zone() -> Option<String> {
    None
}
