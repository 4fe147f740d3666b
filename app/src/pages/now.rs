//! All cards, live.

use domain::text::t;
use leptos::prelude::*;

use crate::api::fleet::fleet;
use crate::components::page::Page;
use crate::frame::loaded;

/// The Now page.
#[component]
pub fn Now() -> impl IntoView {
    let cards = Resource::new_blocking(|| (), |()| fleet());
    view! {
        <Page title=t().frame.now>
            {loaded(cards, |_frame, fleet| view! { <p>{fleet.hosts.len()}</p> }.into_any())}
        </Page>
    }
}
