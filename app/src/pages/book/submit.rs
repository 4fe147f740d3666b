//! Sending the form, what the portal refuses, and a form that survives signing in again.

use domain::error::{ErrorCode, Field};
use domain::text::t;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate};

use super::fields::{END, PURPOSE, START, focus};
use super::form::Form;
use crate::api::bookings::book;
use crate::api::fleet::fleet;
use crate::components::notice::{Notice, Tone};
use crate::error::AppError;
use crate::frame::sign_in_path;

/// The button, which says what will happen.
#[component]
pub fn Submit(form: Form) -> impl IntoView {
    let words = &t().book;
    let label = move || {
        if form.sending.get() {
            return words.booking.to_owned();
        }
        let cards = form.draft.read().cards.len();
        match form.window.get() {
            Ok(window) => form.say(|when| (words.book)(cards, &when.range(&window), &when.length(window.length()))),
            Err(_) => (words.book_plain)(cards),
        }
    };
    view! {
        <button class="btn primary big wide" aria-disabled=move || form.sending.get().then_some("true")>
            <span class="busy" hidden=move || !form.sending.get()></span>
            {label}
        </button>
    }
}

/// The last refusal, where neither a field nor the cards in the way say it.
#[component]
pub fn Refusal(form: Form) -> impl IntoView {
    let location = use_location();
    let here = move || format!("{}?{}", location.pathname.get(), location.search.get().trim_start_matches('?'));
    let words = &t().book;
    move || {
        let error = form.refused.get()?;
        let shown_above = match &error {
            AppError::Api(error) => !error.clashes.is_empty(),
            AppError::Transport(_) => false,
        };
        if shown_above {
            return None;
        }
        Some(match error.code() {
            Some(ErrorCode::SignInNeeded) => view! {
                <Notice tone=Tone::Bad lead=words.session_over text=words.session_over_why>
                    <div class="acts">
                        <a class="btn small" href="/sign-in" target="_blank" rel="noopener">
                            {words.sign_in_tab}
                        </a>
                        <a class="btn small" href=sign_in_path(here().trim_end_matches('?')) rel="external">
                            {words.sign_in_here}
                        </a>
                    </div>
                </Notice>
            }
            .into_any(),
            None => view! { <Notice tone=Tone::Bad lead=words.not_sent text=words.not_sent_why /> }.into_any(),
            Some(_) => view! { <Notice tone=Tone::Bad lead=error.message().to_owned() /> }.into_any(),
        })
    }
}

/// Sends the form, once, however often the button is pressed.
pub fn submit(form: Form, event: SubmitEvent) {
    event.prevent_default();
    if form.sending.get_untracked() {
        return;
    }
    form.follow();
    form.tried.set(true);
    let ask = form.zone.with_value(|zone| form.draft.read_untracked().read(zone));
    let ask = match (ask, form.problem.get_untracked()) {
        (Ok(ask), None) => ask,
        (_, problem) => {
            match problem.and_then(|(field, _)| field) {
                Some(Field::Start) => focus(START),
                Some(Field::End) => focus(END),
                Some(Field::Purpose) => focus(PURPOSE),
                _ => {}
            }
            return;
        }
    };
    form.sending.set(true);
    form.refused.set(None);
    let navigate = use_navigate();
    leptos::task::spawn_local(async move {
        match book(ask).await {
            Ok(id) => {
                store::forget();
                navigate(&format!("/bookings/{id}"), NavigateOptions::default());
            }
            Err(error) => {
                if matches!(error.code(), Some(ErrorCode::SignInNeeded) | None) {
                    form.draft.with_untracked(store::keep);
                }
                // What is in the way is news to this page, and so may be what would work instead.
                if error.code() == Some(ErrorCode::Overlap)
                    && let Ok(fleet) = fleet().await
                {
                    form.fleet.set(fleet);
                }
                form.sending.set(false);
                form.refused.set(Some(error));
            }
        }
    });
}

/// Puts back a form that was kept when the session was over; whether there was one for this address.
pub fn restore(form: Form) -> bool {
    let Some(draft) = store::take() else { return false };
    form.rewrite(|fields, _| *fields = draft);
    form.restored.set(true);
    true
}

/// The browser's memory of one form, gone with its tab.
#[cfg(feature = "hydrate")]
mod store {
    use domain::draft::Draft;
    use leptos::prelude::window;

    const KEY: &str = "berth.draft";

    fn storage() -> Option<web_sys::Storage> {
        window().session_storage().ok().flatten()
    }

    /// Path and query: a form comes back only where it was.
    fn here() -> String {
        let location = window().location();
        format!("{}{}", location.pathname().unwrap_or_default(), location.search().unwrap_or_default())
    }

    pub fn keep(draft: &Draft) {
        if let (Some(storage), Ok(json)) = (storage(), serde_json::to_string(&(here(), draft))) {
            let _ = storage.set_item(KEY, &json);
        }
    }

    pub fn take() -> Option<Draft> {
        let json = storage()?.get_item(KEY).ok().flatten()?;
        let (at, draft) = serde_json::from_str::<(String, Draft)>(&json).ok()?;
        (at == here()).then(|| {
            forget();
            draft
        })
    }

    pub fn forget() {
        if let Some(storage) = storage() {
            let _ = storage.remove_item(KEY);
        }
    }
}

#[cfg(not(feature = "hydrate"))]
mod store {
    use domain::draft::Draft;

    pub fn keep(_draft: &Draft) {}

    pub fn take() -> Option<Draft> {
        None
    }

    pub fn forget() {}
}
