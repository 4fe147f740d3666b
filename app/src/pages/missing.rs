//! An address with no page.

use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;
use crate::components::page::Page;

/// Says so, with status 404, and leads back.
#[component]
pub fn Missing() -> impl IntoView {
    #[cfg(feature = "ssr")]
    if let Some(options) = use_context::<leptos_axum::ResponseOptions>() {
        options.set_status(http::StatusCode::NOT_FOUND);
    }
    let words = &t().frame;
    view! {
        <Page title=words.missing class="narrow">
            <section class="empty">
                <Icon name="search" />
                <h1>{words.missing}</h1>
                <p>{words.missing_why}</p>
                <div>
                    <a class="btn primary" href="/">
                        {words.to_now}
                    </a>
                </div>
            </section>
        </Page>
    }
}
