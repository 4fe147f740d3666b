//! The live page's island: filters, hosts, ticks, continued by the stream.

use std::sync::Arc;

use domain::band::{Act as CardAct, State};
use domain::id::{CardUuid, UserId};
use domain::text::t;
use domain::wire::live_v1::Fleet;
use domain::zone::ZoneTable;
use leptos::prelude::*;

use crate::components::filters::{Choice, Show, chips};
use crate::components::host::host_section;
use crate::live::board::{Board, CardRow, Eyes};
use crate::live::use_live;

/// All cards of `fleet`; `show` and `host` are words of the address.
#[island]
pub fn LiveBoard(fleet: Fleet, viewer: UserId, zone: ZoneTable, show: String, host: String) -> impl IntoView {
    let choice = Choice { show: RwSignal::new(Show::parse(Some(&show))), host: RwSignal::new(host) };
    let eyes = Eyes { viewer, zone: Arc::new(zone), live: use_live(), rendered: fleet.now };
    let board = Board::new(fleet, eyes.clone());
    follow(&board);
    let states = {
        let board = board.clone();
        ArcMemo::new(move |_| board.cards().iter().map(|card| card.state.get()).collect::<Vec<State>>())
    };
    let chosen = chosen(&board, choice);
    let (shown, hosts) = (chosen.cards, board.hosts.clone());
    let picked = RwSignal::new(Vec::<String>::new());
    let on_pick = Callback::new(move |(uuid, on): (String, bool)| {
        picked.update(|cards| {
            cards.retain(|card| *card != uuid);
            if on {
                cards.push(uuid);
            }
        });
    });
    view! {
        <div class="filters">
            <nav aria-label=t().now.filters>{chips(choice, states)}</nav>
            {chosen.more}
            {host_choice(&board, choice)}
        </div>
        <form method="get" action="/book" class="board">
            <For
                each=move || hosts.get()
                key=|host| host.id
                children=move |host| {
                    let name = host.name.clone();
                    let rows = host.cards.clone();
                    let hidden = Signal::derive(move || {
                        let wanted = choice.host.read();
                        let other = !wanted.is_empty() && *wanted != name;
                        let none = choice.show.get() != Show::All
                            && !rows.read().iter().any(|row| shown.read().contains(&row.uuid));
                        other || none
                    });
                    let shown = move |row: &CardRow| {
                        let uuid = row.uuid.clone();
                        Signal::derive(move || choice.show.get() == Show::All || shown.read().contains(&uuid))
                    };
                    host_section(host, eyes.clone(), shown, hidden, on_pick)
                }
            />
            {nothing(&board, choice, shown)}
            {own_news(&board)}
            {pick_bar(picked)}
        </form>
    }
}

/// Lets the stream continue the board while the page is open.
fn follow(board: &Board) {
    #[cfg(feature = "hydrate")]
    {
        let number = crate::live::stream::watch(board.clone());
        on_cleanup(move || crate::live::stream::unwatch(number));
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = board;
}

struct Chosen {
    /// Cards that matched when the choice was made. A card that stops to match stays where it is.
    cards: RwSignal<Vec<CardUuid>>,
    /// "2 more match, show".
    more: AnyView,
}

fn chosen(board: &Board, choice: Choice) -> Chosen {
    let matching = {
        let board = board.clone();
        move || {
            let show = choice.show.get();
            let cards = board.cards().into_iter().filter(|card| show.admits(card.state.get()));
            cards.map(|card| card.uuid).collect::<Vec<_>>()
        }
    };
    let cards = RwSignal::new(untrack(&matching));
    // Chosen anew when the address changes, not when a card does.
    let choose = {
        let matching = matching.clone();
        move || cards.set(untrack(&matching))
    };
    let on_address = choose.clone();
    Effect::watch(move || choice.show.get(), move |_, _, _| on_address(), false);
    let count = Memo::new(move |_| {
        if choice.show.get() == Show::All {
            return 0;
        }
        let shown = cards.read();
        matching().iter().filter(|uuid| !shown.contains(uuid)).count()
    });
    let more = view! {
        <button type="button" class="btn small" hidden=move || count.get() == 0 on:click=move |_| choose()>
            {move || (t().now.more_match)(count.get())}
        </button>
    };
    Chosen { cards, more: more.into_any() }
}

/// A select that sends itself, or with its button where no script runs.
fn host_choice(board: &Board, choice: Choice) -> AnyView {
    let words = &t().now;
    let names = board.hosts.read_untracked().iter().map(|host| host.name.clone()).collect::<Vec<_>>();
    let go = move |event| choice.set(choice.show.get_untracked(), event_target_value(&event));
    let options = names.iter().map(|name| {
        let (value, name) = (name.clone(), name.clone());
        view! {
            <option value=value.clone() selected=move || *choice.host.read() == value>
                {name}
            </option>
        }
    });
    view! {
        <form method="get" action="/" class="end">
            <input type="hidden" name="show" value=move || choice.show.get().word() />
            <select class="input ghost" name="host" aria-label=words.host on:change=go>
                <option value="">{(words.all_hosts)(names.len())}</option>
                {options.collect_view()}
            </select>
            <button class="btn unscripted">{words.show}</button>
        </form>
    }
    .into_any()
}

/// Where the choice leaves nothing to see.
fn nothing(board: &Board, choice: Choice, shown: RwSignal<Vec<CardUuid>>) -> AnyView {
    let words = &t().now;
    let board = board.clone();
    let empty = move || {
        let host = choice.host.read();
        choice.show.get() != Show::All
            && !board
                .cards()
                .iter()
                .any(|card| (host.is_empty() || card.host == *host) && shown.read().contains(&card.uuid))
    };
    view! {
        <div class="empty" hidden=move || !empty()>
            <p>{words.none_match}</p>
            <div>
                <a
                    class="btn"
                    href="/"
                    on:click=move |event| {
                        event.prevent_default();
                        choice.set(Show::All, String::new());
                    }
                >
                    {words.show_all}
                </a>
            </div>
        </div>
    }
    .into_any()
}

/// Tells screen readers when a card of the viewer changes its state; nothing else is read out by itself.
fn own_news(board: &Board) -> AnyView {
    let board = board.clone();
    let news = RwSignal::new(String::new());
    Effect::new(move |before: Option<Vec<(CardUuid, State)>>| {
        let mut own = Vec::new();
        let mut said = Vec::new();
        for card in board.cards() {
            let state = card.state.get();
            let old = before.iter().flatten().find(|(uuid, _)| *uuid == card.uuid).map(|(_, state)| *state);
            let band = card.band.read_untracked();
            if old.is_some_and(|old| old != state) {
                let index = card.facts.read_untracked().index;
                said.push((t().now.card_is)(&card.host, index, &format!("{} {}", band.lead, band.rest)));
            }
            if state == State::Mine || matches!(band.act, CardAct::Open(_)) {
                own.push((card.uuid.clone(), state));
            }
        }
        if !said.is_empty() {
            news.set(said.join(" "));
        }
        own
    });
    view! {
        <p class="sr" aria-live="polite">
            {move || news.get()}
        </p>
    }
    .into_any()
}

/// Books all ticked cards at once. Shown by the style sheet as soon as one is ticked.
fn pick_bar(picked: RwSignal<Vec<String>>) -> AnyView {
    let words = &t().now;
    let live = use_live();
    let label = move || match picked.read().len() {
        0 => words.book_picked_some.to_owned(),
        count => (words.book_picked)(count),
    };
    view! {
        <div class="pickbar">
            <button class="btn primary" disabled=move || live.obstacle().is_some() title=move || live.obstacle()>
                {label}
            </button>
            <button type="reset" class="btn" on:click=move |_| picked.set(Vec::new())>
                {words.unpick}
            </button>
        </div>
    }
    .into_any()
}
