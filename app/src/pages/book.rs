//! The booking form: which cards, when, what for. Nothing that was typed is ever lost.
//!
//! A plain form, rendered by the server and sent as browsers send forms, to [`plain`]; a refused one comes back in an
//! address with all that was typed. In the browser [`pilot`] says at once what is wrong, taken or free.

mod cards;
mod fields;
mod form;
mod look;
mod pilot;
#[cfg(feature = "ssr")]
pub mod plain;
mod query;

use domain::text::t;
use domain::user::{Act, Role};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::bookings::book_page;
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::frame::loaded;
use form::BookForm;
use query::Asked;

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
                    let unknown = asked.unknown(&page.fleet);
                    let draft = asked.draft(&page, &frame.zone);
                    let done = asked.was_refused();
                    view! {
                        {asked.refusal(&page, &frame.zone).map(|why| view! { <Notice tone=Tone::Bad lead=why /> })}
                        {(unknown > 0)
                            .then(|| view! { <Notice tone=Tone::Warn lead=(words.unknown_picked)(unknown) /> })}
                        <BookForm page zone=frame.zone draft done />
                    }
                        .into_any()
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
