//! The cards, by host: what each is, whose it is now, and who comes next.

use std::sync::Arc;

use domain::card::CardHealth;
use domain::draft::Draft;
use domain::host::Freshness;
use domain::id::{CardUuid, UserId};
use domain::text::{When, t};
use domain::trouble::Trouble;
use domain::wire::live_v1::{BookingBrief, CardView, HostView};
use domain::zone::ZoneTable;
use leptos::prelude::*;
use time::OffsetDateTime;

use crate::api::bookings::BookPage;
use crate::components::icon::Icon;
use crate::pages::panel::fields::CARDS;

/// All cards, to be ticked.
#[component]
pub fn Cards(
    /// Hosts and cards as they are now.
    page: BookPage,
    /// Which are ticked.
    draft: Draft,
    /// Which are ticked and taken at the time asked for.
    taken: Vec<CardUuid>,
) -> impl IntoView {
    let now = page.fleet.now;
    let list = Arc::new(List { zone: page.scene.zone, draft, taken, viewer: page.scene.viewer, now });
    page.fleet.hosts.into_iter().map(|host| view! { <HostCards list=Arc::clone(&list) host /> }).collect_view()
}

/// What every row needs.
struct List {
    zone: ZoneTable,
    draft: Draft,
    taken: Vec<CardUuid>,
    viewer: UserId,
    now: OffsetDateTime,
}

#[component]
fn HostCards(list: Arc<List>, host: HostView) -> impl IntoView {
    let words = &t().book;
    let silent = host.pulse.freshness(list.now) != Freshness::Live;
    let heading = format!("host-{}", host.id);
    let labelled = heading.clone();
    let none = host.cards.is_empty();
    let rows = host.cards.iter().map(|card| row(&list, &host, card)).collect_view();
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

fn row(list: &List, host: &HostView, card: &CardView) -> AnyView {
    let uuid = &card.facts.uuid;
    let trouble = host.trouble(card, list.now);
    let (look, icon, words, next) = promise(card, trouble, list.viewer, &When::new(&list.zone, list.now));
    let memory = card.facts.memory_total_mib.get().map(|mib| format!("{} GB", (mib + 512) / 1024));
    view! {
        <li>
            <label class="pick" data-clash=list.taken.contains(uuid).then_some("")>
                <input
                    type="checkbox"
                    name=CARDS
                    value=uuid.to_string()
                    checked=list.draft.has(uuid)
                    disabled=trouble.is_some()
                />
                <b class="mono">{card.facts.number().to_string()}</b>
                <span class="model">
                    {card.facts.title()}
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
    trouble: Option<Trouble>,
    viewer: UserId,
    when: &When<'_>,
) -> (&'static str, &'static str, String, String) {
    let words = &t().book;
    let sick = |text: &str| ("sick", "sick", text.to_owned(), String::new());
    match trouble {
        None => {}
        Some(Trouble::Cut) => return ("cut", "cut", words.cut.to_owned(), String::new()),
        Some(Trouble::HostRetired | Trouble::HostGone) => return sick(words.host_gone),
        Some(Trouble::Gone | Trouble::Sick(CardHealth::Lost)) => return sick(words.lost),
        Some(Trouble::Sick(CardHealth::ResetNeeded)) => return sick(words.reset_needed),
        Some(Trouble::Sick(CardHealth::RepairPending)) => return sick(words.repair_pending),
        Some(Trouble::Sick(CardHealth::Defective)) => return sick(words.defective),
        Some(Trouble::Sick(_)) => return sick(words.failing),
        Some(Trouble::NotBookable) => {
            let reason = card.closed.not_bookable.as_deref().unwrap_or_default();
            return ("maint", "maint", [&(t().now.kept_back)(reason), t().now.not_bookable].join(" "), String::new());
        }
    }
    if let Some(until) = card.closed.until(when.now) {
        let words = &t().now;
        let until = [words.maintenance, &(words.until)(&when.at(until))].join(" ");
        return ("maint", "maint", until, String::new());
    }
    let current = card.bookings.iter().find(|booking| booking.window.contains(when.now));
    let next = card.bookings.iter().find(|booking| booking.window.start() > when.now);
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
