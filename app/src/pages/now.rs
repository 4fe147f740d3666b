//! All cards, live.

use domain::band::State;
use domain::id::UserId;
use domain::text::{When, t};
use domain::user::{Act, Role};
use domain::wire::live_v1::{Fleet, HostView};
use domain::wire::page::Frame;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::fleet::fleet;
use crate::components::card_words::card_words;
use crate::components::filters::{Show, address, chips, host_choice};
use crate::components::finder::FinderLine;
use crate::components::host::host_section;
use crate::components::icon::Icon;
use crate::components::live_board::LiveBoard;
use crate::components::page::Page;
use crate::frame::loaded;

/// The Now page.
#[component]
pub fn Now() -> impl IntoView {
    let cards = Resource::new_blocking(|| (), |()| fleet());
    let query = use_query_map();
    let kept = |name: &'static str| (name, query.read_untracked().get_str(name).unwrap_or_default().to_owned());
    let keep = vec![kept("show"), kept("host")];
    view! {
        <Page title=t().frame.now class="now">
            <h1 class="sr">{t().now.heading}</h1>
            <FinderLine at="/" keep />
            {loaded(
                cards,
                move |frame, fleet| {
                    if fleet.hosts.is_empty() {
                        return no_hosts(&frame);
                    }
                    let query = query.read_untracked();
                    let show = Show::parse(query.get_str("show"));
                    board(&frame, &fleet, show, query.get_str("host").unwrap_or_default())
                },
            )}
        </Page>
    }
}

fn no_hosts(frame: &Frame) -> AnyView {
    let words = &t().now;
    let admin = frame.viewer.as_ref().map_or(Role::Member, |viewer| viewer.role).may(Act::ManageHosts);
    view! {
        <section class="empty">
            <Icon name="host" />
            <h2>{words.no_hosts}</h2>
            <p>{if admin { words.no_hosts_admin } else { words.no_hosts_member }}</p>
            {admin
                .then(|| {
                    view! {
                        <div>
                            <a class="btn primary" href="/admin">
                                {words.add_host}
                            </a>
                        </div>
                    }
                })}
        </section>
    }
    .into_any()
}

fn board(frame: &Frame, fleet: &Fleet, show: Show, host: &str) -> AnyView {
    let words = &t().now;
    let viewer = frame.viewer.as_ref().map_or(UserId(uuid::Uuid::nil()), |viewer| viewer.id);
    let when = When::new(&frame.zone, fleet.now);
    let names = fleet.hosts.iter().map(|host| host.name.clone()).collect::<Vec<_>>();
    let host = if names.iter().any(|name| name == host) { host } else { "" };
    let wanted = |name: &str| host.is_empty() || host == name;
    let of_host = |host: &HostView| {
        let state = |card| card_words(card, host, viewer, &when).band.state;
        host.cards.iter().map(state).collect::<Vec<State>>()
    };
    let states = fleet.hosts.iter().flat_map(of_host).collect::<Vec<_>>();
    let some = fleet.hosts.iter().filter(|host| wanted(&host.name)).flat_map(of_host).any(|state| show.admits(state));
    let sections = fleet.hosts.iter().map(|host| host_section(host, viewer, &when, show, wanted(&host.name)));
    view! {
        <div class="filters">
            <nav aria-label=words.filters>{chips(show, host, &states)}</nav>
            <a class="btn small" href=address(show, host) data-more="" hidden=true></a>
            {host_choice(show, host, &names)}
        </div>
        <form method="get" action="/book" class="board">
            {sections.collect_view()}
            {(!some && show != Show::All).then(nothing)}
            <div class="pickbar">
                <button class="btn primary" data-pick="">
                    {words.book_picked_some}
                </button>
                <button type="reset" class="btn">
                    {words.unpick}
                </button>
            </div>
        </form>
        <LiveBoard viewer zone=frame.zone.clone() show=show.word().to_owned() />
    }
    .into_any()
}

/// Where the choice leaves nothing to see.
fn nothing() -> AnyView {
    view! {
        <div class="empty">
            <p>{t().now.none_match}</p>
            <div>
                <a class="btn" href="/">
                    {t().now.show_all}
                </a>
            </div>
        </div>
    }
    .into_any()
}
