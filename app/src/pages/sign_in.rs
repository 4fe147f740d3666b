//! Signing in. Tells nothing about hosts, cards and people, nor which of name and password was wrong.

use domain::error::ErrorCode;
use domain::text::t;
use domain::wire::page::Frame;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_query_map;

use crate::api::session::SignIn as SignInCall;
use crate::components::field::TextField;
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::frame::{framed, safe_next, title};

/// The page.
#[component]
pub fn SignIn() -> impl IntoView {
    let sign_in = ServerAction::<SignInCall>::new();
    let query = use_query_map();
    let next = Memo::new(move |_| safe_next(query.read().get("next")));
    view! {
        <Title text=title(t().sign_in.title) />
        <Door labelled_by="door-heading">
            {framed(move |frame| {
                if frame.viewer.is_some() {
                    return view! { <Redirect path=next.get_untracked() /> }.into_any();
                }
                form(&frame, sign_in, query.read_untracked().get("name").unwrap_or_default())
            })}
        </Door>
    }
}

fn form(frame: &Frame, sign_in: ServerAction<SignInCall>, name: String) -> AnyView {
    let words = &t().sign_in;
    let error = Memo::new(move |_| sign_in.value().get().and_then(Result::err));
    let wrong = Signal::derive(move || {
        error.read().as_ref().is_some_and(|error| error.code() == Some(ErrorCode::WrongPassword))
    });
    view! {
        <h1 id="door-heading">{words.heading}</h1>
        {frame
            .needs_setup
            .then(|| {
                view! {
                    <Notice tone=Tone::Plain lead=words.needs_setup text=words.needs_setup_why>
                        <div class="acts">
                            <a class="btn small" href="/setup">
                                {words.to_setup}
                            </a>
                        </div>
                    </Notice>
                }
            })}
        <ActionForm action=sign_in attr:class="form">
            <TextField
                label=words.name
                name="name"
                value=name
                autocomplete="username"
                invalid=wrong
                described_by="door-error"
                autofocus=true
            />
            <TextField
                label=words.password
                name="password"
                kind="password"
                autocomplete="current-password"
                invalid=wrong
                described_by="door-error"
            />
            <DoorError error />
            <button class="btn primary big wide">{words.sign_in}</button>
        </ActionForm>
        <p class="muted sm">{words.forgotten}</p>
        <p class="muted sm">
            {words.no_account} " " <a href="/sign-up">{words.to_sign_up}</a>
        </p>
    }
    .into_any()
}

/// What went wrong, where no field says it.
#[component]
pub fn DoorError(
    /// The last refusal.
    #[prop(into)]
    error: Signal<Option<crate::error::AppError>>,
) -> impl IntoView {
    move || {
        error.get().map(|error| {
            let message = error.message().to_owned();
            view! { <Notice tone=Tone::Bad lead=message id="door-error" /> }
        })
    }
}

/// The two halves of the pages before one is signed in: the form, and what Berth is for.
#[component]
pub fn Door(
    /// Id of the heading.
    labelled_by: &'static str,
    /// Heading and form.
    children: Children,
) -> impl IntoView {
    let words = &t().sign_in;
    view! {
        <main id="main" class="door" tabindex="-1">
            <section class="doorform" aria-labelledby=labelled_by>
                <p class="brand">
                    <Icon name="brand" />
                    {t().frame.brand}
                </p>
                {children()}
            </section>
            <section class="glance" aria-labelledby="glance">
                <Docks />
                <div>
                    <h2 id="glance">{words.glance}</h2>
                    <p>{words.glance_why}</p>
                </div>
            </section>
        </main>
    }
}

/// Eight berths, four taken, and two linked cards coming in.
#[component]
fn Docks() -> impl IntoView {
    let dock = |index: u32| {
        let (x, y) = (8 + index % 4 * 116, 96 + index / 4 * 124);
        format!("M{x} {y}v62a14 14 0 0 0 14 14h60a14 14 0 0 0 14-14v-62")
    };
    let docks: String = (0..8).map(dock).collect();
    let taken: String = [0_u32, 1, 4, 6, 7]
        .into_iter()
        .map(|index| {
            let (x, y) = (32 + index % 4 * 116, 114 + index / 4 * 124);
            format!("M{x} {y}h40v34h-40z")
        })
        .collect();
    view! {
        <svg class="docks" viewBox="5 44 446 256" aria-hidden="true">
            <path class="dock" d=docks></path>
            <path class="full" d=taken></path>
            <path class="link" d="M312 65h60M312 73h60M312 81h60"></path>
            <path class="yours" d="M264 56h40v34h-40zM380 56h40v34h-40z"></path>
            <path class="way" d="M284 112v32m-9-9 9 9 9-9M400 112v32m-9-9 9 9 9-9"></path>
        </svg>
    }
}
