//! A page whose data could not be fetched.

use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;
use crate::error::AppError;

/// What went wrong and what to do, in place of the page's content.
#[component]
pub fn Failure(
    /// Why.
    error: AppError,
) -> impl IntoView {
    let words = &t().frame;
    let (why, request) = match error {
        AppError::Api(error) => (error.message, error.request),
        AppError::Transport(_) => (words.unreachable.to_owned(), None),
    };
    view! {
        <section class="empty" role="alert">
            <Icon name="rogue" />
            <h1>{words.failed}</h1>
            <p>{why}</p>
            {request.map(|id| view! { <p class="muted mono">{(words.request)(&id)}</p> })}
            // An empty address is this page, so this works without scripts and keeps the query.
            <div>
                <a class="btn primary" href="" rel="external">
                    {words.reload}
                </a>
            </div>
        </section>
    }
}
