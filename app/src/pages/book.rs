//! The booking form: which cards, when, what for. Nothing that was typed is ever lost.
//!
//! The fields belong to the browser, which also keeps what is typed before the page is hydrated; [`form::Form`]
//! follows them. Without scripts the same form is sent as it is, to [`plain`].

mod cards;
mod conflict;
mod fields;
mod form;
#[cfg(feature = "ssr")]
pub mod plain;
mod query;
mod submit;
mod times;

use domain::error::Field;
use domain::text::t;
use domain::user::{Act, Role};
use domain::wire::page::{Frame, Viewer};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::bookings::{BookPage, book_page};
use crate::components::field::TextField;
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::frame::loaded;
use cards::Cards;
use conflict::Conflict;
use form::Form;
use query::Asked;
use submit::{Refusal, Submit};
use times::Times;

/// The page.
#[component]
pub fn Book() -> impl IntoView {
    let words = &t().book;
    let data = Resource::new_blocking(|| (), |()| book_page());
    let query = use_query_map();
    view! {
        <Page title=words.title class="narrow book">
            <header class="pagehead">
                <h1>{words.title}</h1>
            </header>
            {loaded(
                data,
                move |frame, page| {
                    let Some(viewer) = frame.viewer.clone() else { return ().into_any() };
                    if page.fleet.hosts.is_empty() {
                        return no_hosts(viewer.role);
                    }
                    let asked = query.with_untracked(Asked::read);
                    view! { <BookForm frame viewer page asked /> }.into_any()
                },
            )}
        </Page>
    }
}

fn no_hosts(role: Role) -> AnyView {
    let words = &t().book;
    let may = role.may(Act::ManageHosts);
    view! {
        <section class="empty">
            <Icon name="host" />
            <h2>{words.no_hosts}</h2>
            <p>{if may { words.no_hosts_admin } else { words.no_hosts_member }}</p>
            {may
                .then(|| {
                    view! {
                        <div>
                            <a class="btn primary" href="/admin#add">
                                {words.add_host}
                            </a>
                        </div>
                    }
                })}
        </section>
    }
    .into_any()
}

#[component]
fn BookForm(frame: Frame, viewer: Viewer, page: BookPage, asked: Asked) -> impl IntoView {
    let words = &t().book;
    let unknown = asked.unknown(&page.fleet);
    let form = Form::new(&frame, &viewer, page, &asked);
    // From here on the browser's fields are followed; what was typed before is read now.
    Effect::new(move || {
        if !submit::restore(form) {
            form.follow();
        }
    });
    let zone = frame.zone.name().to_owned();
    let purpose = form.draft.with_untracked(|draft| draft.purpose.clone());
    view! {
        {asked.refusal().map(|why| view! { <Notice tone=Tone::Bad lead=why /> })}
        {(unknown > 0).then(|| view! { <Notice tone=Tone::Warn lead=(words.unknown_picked)(unknown) /> })}
        <Show when=move || form.restored.get()>
            <Notice tone=Tone::Good lead=words.restored />
        </Show>
        <form
            method="post"
            action="/api/page/book_form"
            class="bookform"
            autocomplete="off"
            on:input=move |_| form.follow()
            on:submit=move |event| submit::submit(form, event)
        >
            <input type="hidden" name="form[zone]" value=zone />
            <input type="hidden" name="form[key]" value=form.key() />
            <Cards form />
            <div class="bookside">
                <Times form />
                <Conflict form />
                <section class="box">
                    <div class="pad">
                        <TextField
                            label=words.purpose
                            name="form[purpose]"
                            value=purpose
                            hint=words.purpose_hint
                            error=form.error(Field::Purpose)
                            optional=true
                        />
                    </div>
                </section>
                <Refusal form />
                <Submit form />
            </div>
        </form>
    }
}
