//! Hosts and accounts, for administrators.

use domain::text::t;
use leptos::prelude::*;

use crate::components::page::Page;
use crate::frame::framed;

/// The page.
#[component]
pub fn Admin() -> impl IntoView {
    let words = t().frame.admin;
    view! {
        <Page title=words>
            {framed(move |_frame| view! { <h1>{words}</h1> }.into_any())}
        </Page>
    }
}
