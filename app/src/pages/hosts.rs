//! The list of hosts.

use domain::band::State;
use domain::id::UserId;
use domain::text::{When, t};
use domain::wire::live_v1::{Fleet, HostView};
use domain::wire::page::Frame;
use leptos::prelude::*;

use crate::api::fleet::fleet;
use crate::components::card_words::card_words;
use crate::components::host_words::host_words;
use crate::components::icon::Icon;
use crate::components::page::Page;
use crate::frame::loaded;

/// The page.
#[component]
pub fn Hosts() -> impl IntoView {
    let data = Resource::new_blocking(|| (), |()| fleet());
    view! {
        <Page title=t().host.hosts class="hostsp">
            {loaded(data, |frame, fleet| list(&frame, &fleet))}
        </Page>
    }
}

fn list(frame: &Frame, fleet: &Fleet) -> AnyView {
    let words = &t().host;
    let viewer = frame.viewer.as_ref().map_or(UserId(uuid::Uuid::nil()), |viewer| viewer.id);
    let when = When::new(&frame.zone, fleet.now);
    let rows = fleet.hosts.iter().map(|host| row(host, viewer, &when)).collect_view();
    let none = fleet.hosts.is_empty();
    view! {
        <header class="pagehead">
            <div>
                <h1>{words.hosts}</h1>
                <p class="ink2">{if none { t().now.no_hosts } else { words.hosts_about }}</p>
            </div>
        </header>
        <ul class="hostlist" role="list">
            {rows}
        </ul>
    }
    .into_any()
}

fn row(host: &HostView, viewer: UserId, when: &When<'_>) -> AnyView {
    let words = &t().host;
    let said = host_words(host, when);
    let states: Vec<State> = host.cards.iter().map(|card| card_words(card, host, viewer, when).band.state).collect();
    let bookable = states.iter().filter(|state| **state != State::Cut).count();
    let free = states.iter().filter(|state| **state == State::Free).count();
    let squares = host.cards.iter().zip(&states).map(|(card, state)| {
        view! { <i data-state=state.as_str()>{card.facts.number().to_string()}</i> }
    });
    let (lead, why) = said.trouble;
    view! {
        <li class="box">
            <a href=format!("/hosts/{}", host.name) aria-label=(words.open)(&host.name)>
                <Icon name="host" />
                <h2>{host.name.clone()}</h2>
            </a>
            <span class=said.beat_class>{said.beat}</span>
            <p class="models">{said.models}</p>
            <p class="free">{(bookable > 0).then(|| (words.free_of)(free, bookable))}</p>
            <p class="squares" aria-hidden="true">
                {squares.collect_view()}
            </p>
            <p class="facts">{said.facts}</p>
            {(!lead.is_empty())
                .then(|| {
                    view! {
                        <p class="note warn">
                            <Icon name="rogue" />
                            <strong>{lead}</strong>
                            " "
                            <span>{why}</span>
                        </p>
                    }
                })}
        </li>
    }
    .into_any()
}
