//! What the administrators' pages are made of: the page with the navigation beside it, parts with headings of their own,
//! tables, and the sentence about what was not done.

use domain::text::t;
use leptos::prelude::*;

use super::nav::{AdminNav, AdminPage};
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::error::AppError;

/// A page for administrators.
#[component]
pub fn Desk(
    /// Its name.
    title: &'static str,
    /// Where it is in the navigation.
    here: AdminPage,
    /// Its parts, one below the other.
    children: Children,
) -> impl IntoView {
    view! {
        <Page title=title class="admin">
            <header class="pagehead">
                <h1>{title}</h1>
            </header>
            <div class="adm">
                <AdminNav here />
                <div class="stack">{children()}</div>
            </div>
        </Page>
    }
}

/// A part of a page, with a heading and an address of its own.
#[component]
pub fn Part(
    /// Its id.
    #[prop(into)]
    id: String,
    /// Its heading.
    #[prop(into)]
    heading: String,
    /// A sentence below the heading.
    #[prop(optional, into)]
    note: String,
    /// Another one, of less weight.
    #[prop(optional, into)]
    aside: String,
    /// Content.
    children: Children,
) -> impl IntoView {
    let (heading_id, by) = (format!("{id}-h"), format!("{id}-h"));
    view! {
        <section class="box" id=id aria-labelledby=by>
            <header>
                <h2 id=heading_id>{heading}</h2>
                {(!note.is_empty()).then(|| view! { <p>{note}</p> })}
                {(!aside.is_empty()).then(|| view! { <p class="muted">{aside}</p> })}
            </header>
            {children()}
        </section>
    }
}

/// The heading of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Words.
    Text(&'static str),
    /// Words above numbers.
    Number(&'static str),
    /// Above what can be done with a row.
    Acts,
}

/// A table that scrolls by itself where it is too wide.
#[component]
pub fn Table(
    /// Headings.
    heads: Vec<Head>,
    /// There are no rows, and so nothing to show.
    #[prop(optional)]
    empty: bool,
    /// Classes.
    #[prop(default = "data")]
    class: &'static str,
    /// Rows.
    children: Children,
) -> impl IntoView {
    let head = |head| match head {
        Head::Text(words) => view! { <th>{words}</th> }.into_any(),
        Head::Number(words) => view! { <th class="num">{words}</th> }.into_any(),
        Head::Acts => view! {
            <th>
                <span class="sr">{t().admin.acts}</span>
            </th>
        }
        .into_any(),
    };
    view! {
        <div class="scroll-x" hidden=empty>
            <table class=class>
                <thead>
                    <tr>{heads.into_iter().map(head).collect_view()}</tr>
                </thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}

/// Why the last act did nothing, where it did nothing.
pub fn refusal(error: Option<AppError>) -> Option<AnyView> {
    error.map(|error| view! { <Notice tone=Tone::Bad lead=error.message().to_owned() /> }.into_any())
}

/// The same above a list, inset as far as its text.
pub fn refusal_above(error: Option<AppError>) -> Option<AnyView> {
    refusal(error).map(|said| view! { <div class="pad">{said}</div> }.into_any())
}

/// That a list is empty, where it is.
pub fn nothing(empty: bool, words: &'static str) -> Option<AnyView> {
    empty.then(|| view! { <p class="pad muted sm">{words}</p> }.into_any())
}

/// A person to choose, by both names.
pub fn person_option(id: String, display_name: &str, name: &str, chosen: &str) -> AnyView {
    let selected = id == chosen;
    view! {
        <option value=id selected=selected>
            {format!("{display_name} ({name})")}
        </option>
    }
    .into_any()
}
