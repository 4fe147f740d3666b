//! A page whose data could not be fetched.

use domain::error::ErrorCode;
use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;
use crate::error::AppError;

/// What went wrong and what to do, in place of the page's content. What is not there is not there after a reload either.
#[component]
pub fn Failure(
    /// Why.
    error: AppError,
) -> impl IntoView {
    let words = &t().frame;
    let is_missing = error.code() == Some(ErrorCode::NotFound);
    let (why, request) = match error {
        AppError::Api(error) => (error.message, error.request),
        AppError::Transport(_) => (words.unreachable.to_owned(), None),
    };
    view! {
        <section class="empty" role="alert">
            <Icon name=if is_missing { "search" } else { "rogue" } />
            <h1>{if is_missing { words.missing } else { words.failed }}</h1>
            <p>{why}</p>
            {request.map(|id| view! { <p class="muted mono">{(words.request)(&id)}</p> })}
            <div>
                {if is_missing {
                    view! {
                        <a class="btn primary" href="/">
                            {words.to_now}
                        </a>
                    }
                        .into_any()
                } else {
                    // An empty address is this page, so this works without scripts and keeps the query.
                    view! {
                        <a class="btn primary" href="" rel="external">
                            {words.reload}
                        </a>
                    }
                        .into_any()
                }}
            </div>
        </section>
    }
}
