//! The HTML document around every page.

use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::MetaTags;

use crate::routes::App;

/// Every icon, once per document; the browser part only names them.
const SPRITE: &str = include_str!("sprite.svg");

/// Addresses of the pages on which somebody plans: what comes alive there is large, and of no use elsewhere.
pub const PLANNING: [&str; 2] = ["/calendar", "/book"];

/// A browser part; each page loads one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Module that loads it.
    pub script: String,
    /// The program.
    pub wasm: String,
}

/// Addresses of the built files; content hashes are in their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assets {
    /// For the pages in [`PLANNING`]: built with the feature `plan`.
    pub plan: Part,
    /// For all others: built with the feature `look`.
    pub look: Part,
    /// Style sheet.
    pub style: String,
    /// Icon.
    pub icon: String,
}

impl Assets {
    /// What the page at `path` loads.
    #[must_use]
    pub fn part(&self, path: &str) -> &Part {
        if PLANNING.contains(&path) { &self.plan } else { &self.look }
    }
}

/// The document. `theme` is `light`, `dark`, or `None` to follow the system.
#[must_use]
pub fn shell(options: LeptosOptions, assets: &Assets, theme: Option<String>) -> AnyView {
    let _ = options;
    // Only what stands inside an island is sent along for the browser.
    if let Some(context) = Owner::current_shared_context() {
        context.set_is_hydrating(false);
    }
    let request = use_context::<http::request::Parts>();
    let part = assets.part(request.as_ref().map_or("", |request| request.uri.path()));
    // The mark on the root says when scripts have taken the page over, and which islands are not in the part that this
    // page loads. There must be none: the browser tests wait for the empty mark.
    let start = format!(
        "import('{js}').then(m => m.default({{module_or_path: '{wasm}'}}).then(() => {{ m.hydrate(); const lost = []; \
         for (const e of document.querySelectorAll('leptos-island')) \
         {{ const name = e.dataset.component; m[name] ? m[name](e) : lost.push(name) }} \
         document.documentElement.dataset.scripted = lost.join(' ') }}))",
        js = part.script,
        wasm = part.wasm
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
                <link rel="modulepreload" href=part.script.clone() crossorigin="anonymous" nonce=use_nonce() />
                <link rel="preload" href=part.wasm.clone() r#as="fetch" r#type="application/wasm" crossorigin="anonymous" />
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
