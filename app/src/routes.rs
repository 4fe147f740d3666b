//! Which page stands at which address.

use leptos::prelude::*;
use leptos_meta::provide_meta_context;
use leptos_router::components::{Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::pages::now::Now;

/// The whole application.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Router>
            <Routes fallback=|| "not found">
                // Rendered to the end before it is sent: every page also works without scripts.
                <Route path=path!("/") view=Now ssr=SsrMode::Async />
            </Routes>
        </Router>
    }
}
