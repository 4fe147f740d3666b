//! Labels of hosts and of cards.

use domain::text::t;
use domain::wire::rules::{LabelledCard, LabelledHost, LabelsPage};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::desk::{Desk, Part};
use super::nav::AdminPage;
use crate::api::rules::{SetCardLabels, SetHostLabels, labels};
use crate::components::notice::{Notice, Tone};
use crate::frame::loaded;

/// What can be done here.
#[derive(Clone, Copy)]
struct Acts {
    host: ServerAction<SetHostLabels>,
    card: ServerAction<SetCardLabels>,
}

/// What the address says: whose cards are unfolded, and what was typed into a form that was refused.
#[derive(Clone, Default)]
struct Asked {
    host: String,
    card: String,
    labels: String,
    refused: Option<String>,
}

/// The page.
#[component]
pub fn Labels() -> impl IntoView {
    let words = &t().rules.pages;
    let data = Resource::new_blocking(|| (), |()| labels());
    let acts = Acts { host: ServerAction::new(), card: ServerAction::new() };
    let query = use_query_map();
    let text = move |name: &str| query.read_untracked().get(name).unwrap_or_default();
    let refused = acts.host.value().get_untracked().and_then(Result::err);
    let refused = refused.or_else(|| acts.card.value().get_untracked().and_then(Result::err));
    let asked = Asked {
        host: text("host"),
        card: text("card"),
        labels: text("labels"),
        refused: refused.map(|error| error.message().to_owned()),
    };
    view! {
        <Desk title=words.labels here=AdminPage::Labels>
            <p class="ink2">{words.labels_note}</p>
            {loaded(data, move |_, page| content(&page, &asked, acts))}
        </Desk>
    }
}

fn content(page: &LabelsPage, asked: &Asked, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    if page.hosts.is_empty() {
        return view! { <Notice tone=Tone::Plain lead=words.no_hosts /> }.into_any();
    }
    let ruled = page.ruled.iter().map(|(label, rules)| {
        view! { <li>{(words.ruled)(label, &rules.join(", "))}</li> }
    });
    let ruled = ruled.collect_view();
    let none = page.ruled.is_empty();
    view! {
        <section class="box" aria-labelledby="ruled-h" hidden=none>
            <header>
                <h2 id="ruled-h">{words.with_rules}</h2>
            </header>
            <ul class="pad sm ruled">{ruled}</ul>
        </section>
        {page.hosts.iter().map(|host| one(host, asked, acts)).collect_view()}
    }
    .into_any()
}

fn one(host: &LabelledHost, asked: &Asked, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let mine = asked.host == host.id.to_string();
    let own = host.cards.iter().filter(|card| !card.labels.is_empty()).count();
    let rows = host.cards.iter().map(|card| card_row(host, card, asked, acts)).collect_view();
    let refused = asked.refused.clone().filter(|_| mine && asked.card.is_empty());
    let labels = if refused.is_some() { asked.labels.clone() } else { host.labels.join(" ") };
    let unfolded = mine && asked.refused.as_ref().is_none_or(|_| !asked.card.is_empty());
    let sum = (words.cards_of_host)(host.cards.len(), own);
    let which = host_field(host);
    let input = field(&format!("labels-{}", host.id), (words.labels_of_host)(&host.name), labels, refused);
    view! {
        <Part id=format!("host-{}", host.id) heading=host.name.clone()>
            <div class="pad labelforms">
                <ActionForm action=acts.host attr:class="form inline">
                    {which} {input}
                    <button class="btn">{words.set}</button>
                </ActionForm>
                <details open=unfolded>
                    <summary class="lnk sm">{sum}</summary>
                    <ul class="labelled">{rows}</ul>
                </details>
            </div>
        </Part>
    }
    .into_any()
}

fn card_row(host: &LabelledHost, card: &LabelledCard, asked: &Asked, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let refused = asked.refused.clone().filter(|_| asked.card == card.uuid.as_str());
    let labels = if refused.is_some() { asked.labels.clone() } else { card.labels.join(" ") };
    let name = format!("{} · {}", (words.labels_of_card)(&card.number.to_string()), card.model);
    let about = (t().bookings.about)(words.set, &name);
    let (which, uuid) = (host_field(host), card.uuid.to_string());
    let input = field(&format!("labels-{}", card.uuid), name, labels, refused);
    view! {
        <li>
            <ActionForm action=acts.card attr:class="form inline">
                {which} <input type="hidden" name="card" value=uuid /> {input}
                <button class="btn" aria-label=about>
                    {words.set}
                </button>
            </ActionForm>
        </li>
    }
    .into_any()
}

fn host_field(host: &LabelledHost) -> AnyView {
    view! { <input type="hidden" name="host" value=host.id.to_string() /> }.into_any()
}

fn field(id: &str, label: String, value: String, refused: Option<String>) -> AnyView {
    let note = format!("{id}-note");
    let bad = refused.is_some();
    view! {
        <div class="field">
            <label for=id.to_owned()>{label}</label>
            <input
                class="input"
                id=id.to_owned()
                name="labels"
                value=value
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                aria-invalid=bad.then_some("true")
                aria-describedby=bad.then(|| note.clone())
            />
            {refused.map(|why| view! { <small id=note class="err" role="alert">{why}</small> })}
        </div>
    }
    .into_any()
}
