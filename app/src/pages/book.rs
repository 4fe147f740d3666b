//! The booking form: which cards, when, what for. Nothing that was typed is ever lost.
//!
//! A plain form, rendered by the server and sent as browsers send forms, to [`plain`]; a refused one comes back in an
//! address with all that was typed. In the browser it is the panel of [`crate::pages::panel`], which says at once what is
//! wrong, taken or free.

mod cards;
mod desk;
#[cfg(feature = "ssr")]
pub mod plain;
mod query;

use domain::id::ReservationId;
use domain::text::t;
use domain::user::{Act, Role};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::bookings::{BookPage, book_page};
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::frame::loaded;
use cards::Cards;
use desk::{BookDesk, Start};
use query::Asked;

/// The page.
#[component]
pub fn Book() -> impl IntoView {
    let words = &t().book;
    let query = use_query_map();
    let change = move || query.with(|query| query.get("change").and_then(|id| id.parse::<ReservationId>().ok()));
    let changes = change().is_some();
    let data = Resource::new_blocking(change, book_page);
    let heading = if changes { words.change_title } else { words.title };
    view! {
        <Page title=heading class="narrow book">
            <header class="pagehead">
                <h1>{heading}</h1>
            </header>
            {loaded(
                data,
                move |frame, page| {
                    let Some(viewer) = frame.viewer.clone() else { return ().into_any() };
                    if page.fleet.hosts.is_empty() {
                        return no_hosts(viewer.role);
                    }
                    form(page, &query.with_untracked(Asked::read))
                },
            )}
        </Page>
    }
}

fn form(page: BookPage, asked: &Asked) -> AnyView {
    let words = &t().book;
    let unknown = asked.unknown(&page.fleet);
    let (draft, done) = (asked.draft(&page), asked.was_refused());
    let taken = asked.taken(&page, &draft);
    let refusal = asked.refusal(&page);
    let start = Start { scene: page.scene.clone().shortened(), draft: draft.clone(), done };
    // Strings, numbers and lists always become JSON. As one text: the browser reads it with the same code as an answer.
    let start = serde_json::to_string(&start).unwrap_or_default();
    view! {
        {refusal.map(|why| view! { <Notice tone=Tone::Bad lead=why /> })}
        {(unknown > 0).then(|| view! { <Notice tone=Tone::Warn lead=(words.unknown_picked)(unknown) /> })}
        <BookDesk start>
            <section class="box pickcards" role="group" aria-labelledby="cards-h" aria-describedby="cards-note">
                <header>
                    <h2 id="cards-h">{words.cards}</h2>
                </header>
                <Cards page draft taken />
            </section>
        </BookDesk>
    }
    .into_any()
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
