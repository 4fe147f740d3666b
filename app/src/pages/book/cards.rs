//! The cards, by host: what each is, whose it is now, and who comes next.

use domain::card::CardHealth;
use domain::draft::offer::clashes;
use domain::error::Field;
use domain::host::{Freshness, freshness};
use domain::id::UserId;
use domain::text::{When, t};
use domain::wire::live_v1::{BookingBrief, CardView, HostView};
use leptos::prelude::*;
use time::OffsetDateTime;

use super::fields::card_id;
use super::form::Form;
use crate::components::icon::Icon;

/// All cards, to be ticked.
#[component]
pub fn Cards(form: Form) -> impl IntoView {
    let words = &t().book;
    let error = form.error(Field::Cards);
    let count = move || (words.picked)(form.draft.read().cards.len());
    // Hosts and cards stay as they were when the page was made: nothing moves under the pointer.
    let hosts = form.fleet.get_untracked().hosts;
    let hosts = hosts.into_iter().map(|host| view! { <HostCards form host /> }.into_any()).collect_view();
    view! {
        <section
            class="box pickcards"
            role="group"
            aria-labelledby="cards-h"
            aria-describedby=move || error.read().is_some().then_some("cards-note")
        >
            <header>
                <h2 id="cards-h">{words.cards}</h2>
                <p role="status">{count}</p>
            </header>
            {move || {
                error
                    .get()
                    .map(|error| {
                        view! {
                            <p class="pad err" id="cards-note" role="alert">
                                {error}
                            </p>
                        }
                    })
            }}
            {hosts}
        </section>
    }
}

#[component]
fn HostCards(form: Form, host: HostView) -> impl IntoView {
    let words = &t().book;
    let silent = freshness(host.pulse.last_report, form.now_untracked()) != Freshness::Live;
    let heading = format!("host-{}", host.id);
    let labelled = heading.clone();
    let none = host.cards.is_empty();
    let rows = host.cards.into_iter().map(|card| row(form, &card)).collect_view();
    view! {
        <div class="pickhost" role="group" aria-labelledby=labelled>
            <h3 id=heading>
                {host.name} {silent.then(|| view! { <span class="live late">{words.silent}</span> })}
            </h3>
            {none.then(|| view! { <p class="muted sm">{words.no_cards_on_host}</p> })}
            <ul>{rows}</ul>
        </div>
    }
}

fn row(form: Form, card: &CardView) -> AnyView {
    let uuid = card.facts.uuid.clone();
    let id = card_id(&uuid);
    let ticked = form.draft.with_untracked(|draft| draft.has(&uuid));
    let (look, icon, words, next) = form.say(|when| promise(card, form.viewer, form.now_untracked(), when));
    // Ticked and in the way of the chosen time: looked up by card, since a card knows its own bookings best.
    let clash = {
        let uuid = uuid.clone();
        Memo::new(move |_| {
            let Ok(window) = form.window.get() else { return false };
            !clashes(&form.fleet.read(), std::slice::from_ref(&uuid), &window, form.viewer).is_empty()
        })
    };
    let memory = card.facts.memory_total_mib.get().map(|mib| format!("{} GB", (mib + 512) / 1024));
    view! {
        <li>
            <label class="pick" data-clash=move || clash.get().then_some("")>
                <input
                    type="checkbox"
                    name="form[cards][]"
                    id=id
                    value=uuid.to_string()
                    checked=ticked
                    disabled=card.truth.health != CardHealth::Ok
                />
                <b class="mono">{card.facts.index}</b>
                <span class="model">
                    {card.facts.model().to_owned()}
                    {memory.map(|memory| view! { " "<small class="muted">{memory}</small> })}
                </span>
                <span class="now">
                    <span class="st" data-state=look>
                        <Icon name=icon />
                        {words}
                    </span>
                    <small class="muted">{next}</small>
                </span>
            </label>
        </li>
    }
    .into_any()
}

/// Look, icon, words for now, words for what comes next.
fn promise(
    card: &CardView,
    viewer: UserId,
    now: OffsetDateTime,
    when: &When<'_>,
) -> (&'static str, &'static str, String, String) {
    let words = &t().book;
    let sick = |text: &str| ("sick", "sick", text.to_owned(), String::new());
    match card.truth.health {
        CardHealth::Lost => return sick(words.lost),
        CardHealth::ResetNeeded => return sick(words.reset_needed),
        CardHealth::Failing => return sick(words.failing),
        CardHealth::Ok => {}
    }
    let current = card.bookings.iter().find(|booking| booking.window.contains(now));
    let next = card.bookings.iter().find(|booking| booking.window.start() > now);
    let who = |booking: &BookingBrief| {
        if booking.owner == viewer { words.you.to_owned() } else { booking.holder.clone() }
    };
    match (current, next) {
        (Some(current), next) => {
            let until = when.at(current.window.end());
            let then = next.map(|next| (words.then_from)(&who(next), &when.at(next.window.start())));
            if current.owner == viewer {
                ("mine", "mine", (words.yours_until)(&until), then.unwrap_or_default())
            } else {
                ("booked", "user", (words.held_until)(&current.holder, &until), then.unwrap_or_default())
            }
        }
        (None, Some(next)) => {
            let until = (words.free_until)(&when.at(next.window.start()));
            ("free", "free", until, (words.then)(&who(next)))
        }
        (None, None) => ("free", "free", words.free.to_owned(), String::new()),
    }
}
