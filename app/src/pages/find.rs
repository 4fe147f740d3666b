//! The finder alone: for those who come by an address, and for the line of other pages, which fetches its suggestions here.

use domain::text::t;
use leptos::prelude::*;

use crate::components::finder::FinderLine;
use crate::components::page::Page;
use crate::frame::loaded;

/// The page.
#[component]
pub fn Find() -> impl IntoView {
    let words = &t().finder;
    // Whoever is not signed in is sent to sign in.
    let account = Resource::new_blocking(|| (), |()| crate::api::session::account());
    view! {
        <Page title=words.title class="find">
            <header class="pagehead">
                <h1>{words.title}</h1>
                <p>{words.about}</p>
            </header>
            {loaded(account, |_, _| ().into_any())}
            <FinderLine at="/find" />
        </Page>
    }
}
