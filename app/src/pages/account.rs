//! The viewer's own account.

use domain::text::t;
use leptos::prelude::*;

use crate::components::page::Page;
use crate::frame::framed;

/// The page.
#[component]
pub fn Account() -> impl IntoView {
    let words = t().frame.account;
    view! {
        <Page title=words>
            {framed(move |_frame| view! { <h1>{words}</h1> }.into_any())}
        </Page>
    }
}
