//! All cards, live.

use leptos::prelude::*;

use crate::api::fleet::fleet;

/// The Now page.
#[component]
pub fn Now() -> impl IntoView {
    let cards = Resource::new_blocking(|| (), |()| fleet());
    view! {
        <main id="main" class="page now">
            <Suspense>
                {move || Suspend::new(async move {
                    cards.await.map(|fleet| view! { <p>{fleet.hosts.len()}</p> })
                })}
            </Suspense>
        </main>
    }
}
