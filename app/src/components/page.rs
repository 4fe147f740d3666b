//! The page inside the frame.

use leptos::prelude::*;
use leptos_meta::Title;

/// `<main>` and the document's title. A page has exactly one, and one `h1` inside.
#[component]
pub fn Page(
    /// The page's name, without the product's.
    #[prop(into)]
    title: String,
    /// Classes beside `page`.
    #[prop(optional, into)]
    class: String,
    /// Content.
    children: Children,
) -> impl IntoView {
    view! {
        <Title text=crate::frame::title(&title) />
        // The skip link moves the focus here, which needs a tab index.
        <main id="main" class=format!("page {class}") tabindex="-1">
            {children()}
        </main>
    }
}
