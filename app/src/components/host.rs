//! One host on the live page: how it is doing, then its cards. Rendered on the server, as [`super::card`].

use domain::id::UserId;
use domain::text::When;
use domain::wire::live_v1::HostView;
use leptos::prelude::*;

use crate::components::card::card_tile;
use crate::components::card_words::card_words;
use crate::components::filters::Show;
use crate::components::host_words::host_words;
use crate::components::icon::Icon;

/// Name, freshness, what it has, what it does; what is wrong with its driver; its cards. Cards that `show` leaves out
/// are there all the same, hidden: the browser counts them.
pub fn host_section(host: &HostView, viewer: UserId, when: &When<'_>, show: Show, wanted: bool) -> AnyView {
    let id = format!("host-{}", host.name);
    let words = host_words(host, when);
    let (lead, text) = words.trouble;
    let fine = lead.is_empty();
    let mut any = show == Show::All;
    let tiles = host.cards.iter().map(|card| {
        let words = card_words(card, host, viewer, when);
        let shown = wanted && show.admits(words.band.state);
        any |= shown;
        card_tile(card, &host.name, words, shown)
    });
    let tiles = tiles.collect_view();
    view! {
        <section class="host" aria-labelledby=id.clone() data-host=host.id.to_string() hidden=!(wanted && any)>
            <header>
                <h2 id=id.clone()>
                    <a href=format!("/hosts/{}", host.name)>{host.name.clone()}</a>
                </h2>
                <span class=words.beat_class>{words.beat}</span>
                <p class="models">{words.models}</p>
                <p class="facts">{words.facts}</p>
            </header>
            <p class="note warn" hidden=fine>
                <Icon name="rogue" />
                <strong>{lead}</strong>
                " "
                <span>{text}</span>
            </p>
            <ul class="cards" role="list">
                {tiles}
            </ul>
        </section>
    }
    .into_any()
}
