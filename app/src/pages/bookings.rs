//! The viewer's bookings and everybody else's.

use domain::text::t;
use leptos::prelude::*;

use crate::components::page::Page;
use crate::frame::framed;

/// The page.
#[component]
pub fn Bookings() -> impl IntoView {
    let words = t().frame.bookings;
    view! {
        <Page title=words>
            {framed(move |_frame| view! { <h1>{words}</h1> }.into_any())}
        </Page>
    }
}
