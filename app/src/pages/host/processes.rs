//! The table of a host's processes: who is really on its cards, and with what right.

use domain::band::{State, gigabytes};
use domain::card::{ProcessKind, ProcessState};
use domain::id::UserId;
use domain::reading::Reading;
use domain::text::{When, t};
use domain::user::initials;
use domain::whose::{Sure, Whose, Why, whose};
use domain::wire::live_v1::{CardView, ProcessView};
use domain::wire::page::HostPage;
use leptos::prelude::*;

use super::cards::{missing, unread};
use super::facts::Facts;
use crate::components::card_words::card_words;
use crate::components::icon::Icon;

/// The table; says so where nothing runs, and where nobody can tell.
pub fn processes_box(page: &HostPage, facts: &Facts<'_>, viewer: UserId, when: &When<'_>) -> AnyView {
    let words = &t().host;
    let mut rows = Vec::new();
    for card in &page.host.cards {
        let state = card_words(card, &page.host, viewer, when).band.state;
        // NVML lists the processes of an instance on its card as well.
        let of_parts: Vec<u32> = page
            .host
            .parts(&card.facts.uuid)
            .flat_map(|part| part.truth.processes.iter().flatten())
            .map(|it| it.pid)
            .collect();
        for process in card.truth.processes.iter().flatten().filter(|process| !of_parts.contains(&process.pid)) {
            rows.push(row(card, state, process, facts, viewer, when));
        }
    }
    let unread = unread(&page.host);
    let empty = rows.is_empty();
    view! {
        <section class="box" id="processes" aria-labelledby="processes-h" data-fresh="">
            <header>
                <h2 id="processes-h">{words.processes}</h2>
                <p>{words.processes_about}</p>
            </header>
            {(!empty)
                .then(|| {
                    view! {
                        <div class="scroll-x">
                            <table class="data">
                                <thead>
                                    <tr>
                                        <th scope="col">{words.card}</th>
                                        <th scope="col">{words.person}</th>
                                        <th scope="col">{words.os_user}</th>
                                        <th scope="col">{words.container}</th>
                                        <th scope="col">{words.command}</th>
                                        <th scope="col" class="num">
                                            {words.memory}
                                        </th>
                                        <th scope="col">{words.since}</th>
                                        <th scope="col">{words.booking}</th>
                                    </tr>
                                </thead>
                                <tbody>{rows}</tbody>
                            </table>
                        </div>
                    }
                })}
            {(!unread.is_empty())
                .then(|| view! { <p class="pad muted sm">{(words.unread)(&(words.cards)(&unread))}</p> })}
            {(empty && unread.is_empty()).then(|| view! { <p class="pad muted sm">{words.no_process}</p> })}
        </section>
    }
    .into_any()
}

fn row(
    card: &CardView,
    state: State,
    process: &ProcessView,
    facts: &Facts<'_>,
    viewer: UserId,
    when: &When<'_>,
) -> AnyView {
    let words = &t().host;
    let none = || view! { <span class="muted">{words.none}</span> }.into_any();
    let container = process.container.as_ref().map_or_else(none, |container| {
        view! {
            <code>{container.id.clone()}</code>
            " "
            <small class="muted">{(words.runtime)(container.runtime)}</small>
        }
        .into_any()
    });
    let command = process.command.clone().map(|command| view! { <code>{command}</code> });
    let memory = match process.memory_mib {
        Reading::Value(mib) => {
            let key = format!("{} {}", card.facts.uuid, process.pid);
            view! { <span data-memory=key>{(words.gigabytes)(&gigabytes(mib))}</span> }.into_any()
        }
        Reading::Missing { na } => missing(na),
    };
    let since = process.started_at.map(|at| when.at(facts.ours(at)));
    let holder = card.bookings.iter().find(|booking| booking.window.contains(when.now) && !booking.waits);
    let found = whose(process, holder);
    let (look, icon, booked) = booking(holder.map(|booking| booking.owner), state, process, &found);
    view! {
        <tr data-ends=card.facts.index.to_string()>
            <th scope="row" title=(words.pid)(process.pid)>
                {card.facts.number().to_string()}
            </th>
            <td>{person(process, found, facts, viewer)}</td>
            <td>{process.os_user.clone().map(|user| view! { <code>{user}</code> })}</td>
            <td>{container}</td>
            <td class="wrap command">{command}</td>
            <td class="num">{memory}</td>
            <td>{since}</td>
            <td>
                <span class="st" data-state=look>
                    <Icon name=icon />
                    {booked}
                </span>
            </td>
        </tr>
    }
    .into_any()
}

/// The person, as far as that is known: a guess is called one, and says what it rests on.
fn person(process: &ProcessView, found: Whose, facts: &Facts<'_>, viewer: UserId) -> AnyView {
    let words = &t().host;
    let why = (words.why)(found.why);
    let quiet = |said: String| view! { <span class="muted" title=why>{said}</span> }.into_any();
    match (process.people.as_slice(), found.sure, found.name) {
        ([person], Sure::Verified, Some(name)) => {
            let hue = facts.hue(*person);
            let class = match (*person == viewer, hue) {
                (true, _) => "av me",
                (false, Some(_)) => "av o",
                (false, None) => "av",
            };
            view! {
                <span class="person" title=why>
                    <span class=class style=hue.map(|hue| format!("--hue:{hue}")) aria-hidden="true">
                        {initials(&name)}
                    </span>
                    {name}
                </span>
            }
            .into_any()
        }
        (_, Sure::Inferred, Some(name)) => quiet((words.probably)(&name)),
        (several, Sure::Ambiguous, _) => quiet((words.shared_account)(several.len())),
        _ => quiet((words.nobody)(found.why).to_owned()),
    }
}

/// Look, icon and words of the right with which it runs.
fn booking(
    holder: Option<UserId>,
    state: State,
    process: &ProcessView,
    found: &Whose,
) -> (&'static str, &'static str, String) {
    let words = &t().host;
    if process.state == ProcessState::Orphan {
        let memory = process.memory_mib.get().map(gigabytes).unwrap_or_default();
        return ("rogue", "rogue", (words.orphan)(&memory));
    }
    if process.kind == ProcessKind::Graphics {
        return ("booked", "now", words.screen.to_owned());
    }
    match holder {
        Some(holder) if process.people.contains(&holder) => match state {
            State::Idle => ("idle", "idle", words.booked_idle.to_owned()),
            _ => ("free", "check", words.booked.to_owned()),
        },
        _ if !process.people.is_empty() => ("rogue", "rogue", words.unbooked.to_owned()),
        Some(_) if found.sure == Sure::Inferred => ("booked", "info", words.perhaps_booked.to_owned()),
        _ if found.why == Why::Service => ("booked", "info", words.service.to_owned()),
        // Somebody has booked the card, and an account that nobody has claimed may well be that person's.
        Some(_) => ("booked", "info", words.owner_unknown.to_owned()),
        None => ("rogue", "rogue", words.owner_unknown.to_owned()),
    }
}
