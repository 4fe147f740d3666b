//! The HTML document around every page.

use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::MetaTags;

use crate::routes::App;

/// Every icon, once per document; the browser part only names them.
const SPRITE: &str = include_str!("sprite.svg");

/// Addresses of the built files; content hashes are in their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assets {
    /// Module that loads the browser part.
    pub script: String,
    /// The browser part.
    pub wasm: String,
    /// Style sheet.
    pub style: String,
    /// Icon.
    pub icon: String,
}

/// The document. `theme` is `light`, `dark`, or `None` to follow the system.
#[must_use]
pub fn shell(options: LeptosOptions, assets: &Assets, theme: Option<String>) -> AnyView {
    let _ = options;
    // Only what stands inside an island is sent along for the browser.
    if let Some(context) = Owner::current_shared_context() {
        context.set_is_hydrating(false);
    }
    // The mark on the root says when scripts have taken the page over; the browser tests wait for it.
    let start = format!(
        "import('{js}').then(m => m.default({{module_or_path: '{wasm}'}}).then(() => {{ m.hydrate(); \
         for (const e of document.querySelectorAll('leptos-island')) m[e.dataset.component]?.(e); \
         document.documentElement.dataset.scripted = '' }}))",
        js = assets.script,
        wasm = assets.wasm
    );
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
                <meta name="color-scheme" content="light dark" />
                <link rel="icon" href=assets.icon.clone() />
                <link rel="stylesheet" href=assets.style.clone() />
                <link rel="modulepreload" href=assets.script.clone() crossorigin="anonymous" nonce=use_nonce() />
                <link rel="preload" href=assets.wasm.clone() r#as="fetch" r#type="application/wasm" crossorigin="anonymous" />
                <script type="module" nonce=use_nonce() inner_html=start></script>
                <MetaTags />
            </head>
            <body>
                <App />
                <svg class="sprite" width="0" height="0" aria-hidden="true" inner_html=SPRITE></svg>
            </body>
        </html>
    }
    .into_any()
}
