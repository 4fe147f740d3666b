//! Light, dark, or as the system: kept in a cookie, which the server reads before the first paint.

use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;

/// Name of the cookie.
pub const THEME_COOKIE: &str = "theme";

/// Goes through the three themes.
#[island]
pub fn ThemeButton() -> impl IntoView {
    let words = &t().frame;
    // What the document shows is read after hydration, so that both sides render the same label first.
    let theme = RwSignal::new(None::<&'static str>);
    Effect::new(move || theme.set(Some(read())));
    let label = move || match theme.get() {
        None => words.theme,
        Some("light") => words.theme_light,
        Some("dark") => words.theme_dark,
        Some(_) => words.theme_system,
    };
    let next = move |_| {
        let next = match read() {
            "" => "light",
            "light" => "dark",
            _ => "",
        };
        write(next);
        theme.set(Some(next));
    };
    view! {
        <button type="button" class="btn quiet icon" aria-label=label title=label on:click=next>
            <Icon name="theme" />
        </button>
    }
}

#[cfg(feature = "hydrate")]
fn read() -> &'static str {
    match document().document_element().and_then(|root| root.get_attribute("data-theme")).as_deref() {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "",
    }
}

#[cfg(feature = "hydrate")]
fn write(theme: &str) {
    use wasm_bindgen::JsCast;
    if let Some(root) = document().document_element() {
        let _ = if theme.is_empty() {
            root.remove_attribute("data-theme")
        } else {
            root.set_attribute("data-theme", theme)
        };
    }
    if let Some(document) = document().dyn_ref::<web_sys::HtmlDocument>() {
        let age = if theme.is_empty() { 0 } else { 365 * 24 * 3600 };
        let _ = document.set_cookie(&format!("{THEME_COOKIE}={theme}; path=/; max-age={age}; samesite=lax"));
    }
}

#[cfg(not(feature = "hydrate"))]
fn read() -> &'static str {
    ""
}

#[cfg(not(feature = "hydrate"))]
fn write(_theme: &str) {}
