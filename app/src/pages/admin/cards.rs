//! Which cards may be booked, and which are open for shares.

use domain::band::gigabytes;
use domain::card::Mib;
use domain::error::Field;
use domain::id::CardUuid;
use domain::text::t;
use domain::upkeep::{CardsPage, CaredCard, CaredHost, REASON_MAX_CHARS, SHARES_MAX, SHARES_MIN};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::desk::{Desk, Head, Part, Table, refusal};
use super::nav::AdminPage;
use crate::api::upkeep::{CloseShares, KeepCardBack, LetCardBeBooked, ShareCard, cards};
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::frame::loaded;

/// What can be done with a card.
#[derive(Clone, Copy)]
struct Acts {
    keep: ServerAction<KeepCardBack>,
    let_book: ServerAction<LetCardBeBooked>,
    share: ServerAction<ShareCard>,
    close: ServerAction<CloseShares>,
}

/// What the address says: the card that is looked after, and what was typed into a form that was refused.
#[derive(Clone, Default)]
struct Asked {
    card: String,
    reason: String,
    count: String,
    memory: String,
}

/// Address of the page, with a card's forms open.
#[must_use]
pub fn address(card: Option<&CardUuid>) -> String {
    card.map_or_else(|| "/admin/cards".to_owned(), |card| format!("/admin/cards?card={card}#{}", row_id(card)))
}

fn row_id(card: &CardUuid) -> String {
    format!("card-{card}")
}

/// Gigabytes as they are typed, `20` or `19.5`, in MiB.
#[must_use]
pub fn mebibytes(typed: &str) -> Option<Mib> {
    let (whole, tenths) = typed.trim().split_once(['.', ',']).unwrap_or((typed.trim(), "0"));
    if whole.is_empty() || tenths.len() != 1 {
        return None;
    }
    let (whole, tenths): (u64, u64) = (whole.parse().ok()?, tenths.parse().ok()?);
    whole.checked_mul(1024)?.checked_add(tenths * 1024 / 10)
}

/// The page.
#[component]
pub fn Cards() -> impl IntoView {
    let words = &t().upkeep;
    let data = Resource::new_blocking(|| (), |()| cards());
    let acts = Acts {
        keep: ServerAction::new(),
        let_book: ServerAction::new(),
        share: ServerAction::new(),
        close: ServerAction::new(),
    };
    let query = use_query_map();
    let text = move |name: &str| query.read_untracked().get(name).unwrap_or_default();
    let asked = Asked { card: text("card"), reason: text("reason"), count: text("count"), memory: text("memory") };
    view! {
        <Desk title=words.cards_title here=AdminPage::Cards>
            {loaded(data, move |_, page| hosts(&page, &asked, acts))}
        </Desk>
    }
}

fn hosts(page: &CardsPage, asked: &Asked, acts: Acts) -> AnyView {
    let words = &t().upkeep;
    if page.hosts.is_empty() {
        return view! { <Notice tone=Tone::Plain lead=words.no_cards /> }.into_any();
    }
    page.hosts.iter().map(|host| host_box(host, asked, acts)).collect_view().into_any()
}

fn host_box(host: &CaredHost, asked: &Asked, acts: Acts) -> AnyView {
    let words = &t().upkeep;
    let rows = host.cards.iter().map(|card| row(host, card, asked, acts)).collect_view();
    let heads = vec![
        Head::Text(words.card),
        Head::Text(words.bookable),
        Head::Text(words.shares),
        Head::Number(words.booked),
        Head::Acts,
    ];
    view! {
        <Part
            id=host.name.clone()
            heading=host.name.clone()
            note=(words.cards_of)(host.cards.len(), host.cards.iter().filter(|card| open(card)).count())
        >
            <Table heads class="data cared">{rows}</Table>
        </Part>
    }
    .into_any()
}

fn open(card: &CaredCard) -> bool {
    card.not_bookable.is_none() && !card.cut
}

fn row(host: &CaredHost, card: &CaredCard, asked: &Asked, acts: Acts) -> AnyView {
    let words = &t().upkeep;
    let chosen = card.uuid.as_str() == asked.card;
    let id = row_id(&card.uuid);
    let (state, icon, said) = match &card.not_bookable {
        Some(reason) => ("maint", "maint", (words.kept)(reason)),
        None if card.cut => ("cut", "cut", t().book.cut.to_owned()),
        None => ("free", "check", words.yes.to_owned()),
    };
    let shares = card.shares.map_or_else(
        || words.whole_only.to_owned(),
        |shares| (words.shares_of)(shares.count, &gigabytes(shares.memory_mib)),
    );
    let (href, label) =
        if chosen { (format!("/admin/cards#{id}"), words.close) } else { (address(Some(&card.uuid)), words.change) };
    let about = (words.change_card)(label, card.number, &host.name);
    view! {
        <tr id=id class:chosen=chosen>
            <th scope="row">
                <b>{card.number.to_string()}</b>
                " "
                <span class="muted">{card.model.clone()}</span>
            </th>
            <td>
                <span class="st" data-state=state>
                    <Icon name=icon />
                    {said}
                </span>
            </td>
            <td class=if card.shares.is_some() { "" } else { "muted" }>{shares}</td>
            <td class="num">{card.booked}</td>
            <td class="acts">
                <a class="btn small" href=href aria-label=about>
                    {label}
                </a>
            </td>
        </tr>
        {chosen
            .then(|| {
                view! {
                    <tr class="chosen">
                        <td colspan="5" class="care">
                            <div>{bookable_form(card, asked, acts)} {share_form(card, asked, acts)}</div>
                        </td>
                    </tr>
                }
            })}
    }
    .into_any()
}

fn card_field(card: &CaredCard) -> AnyView {
    view! { <input type="hidden" name="card" value=card.uuid.to_string() /> }.into_any()
}

fn bookable_form(card: &CaredCard, asked: &Asked, acts: Acts) -> AnyView {
    let words = &t().upkeep;
    let which = card_field(card);
    if card.not_bookable.is_some() {
        let refused = acts.let_book.value().get_untracked().and_then(Result::err);
        return view! {
            <ActionForm action=acts.let_book attr:class="form">
                {which} <h3>{words.bookable}</h3> <p class="sm ink2">{words.let_book_note}</p>
                {refusal(refused)}
                <div class="row">
                    <button class="btn">{words.let_book}</button>
                </div>
            </ActionForm>
        }
        .into_any();
    }
    let refused = acts.keep.value().get_untracked().and_then(Result::err);
    let bad = refused.is_some();
    let said = refused.map_or_else(|| words.keep_hint.to_owned(), |error| error.message().to_owned());
    let (typed, label) = (asked.reason.clone(), (words.keep)(card.booked));
    view! {
        <ActionForm action=acts.keep attr:class="form">
            {which} <h3>{words.bookable}</h3>
            <div class="field">
                <label for="reason">{words.reason}</label>
                <input
                    class="input"
                    id="reason"
                    name="reason"
                    value=typed
                    required
                    maxlength=REASON_MAX_CHARS.to_string()
                    autocomplete="off"
                    aria-invalid=bad.then_some("true")
                    aria-describedby="reason-note"
                />
                <small id="reason-note" class=if bad { "err" } else { "" } role=bad.then_some("alert")>
                    {said}
                </small>
            </div> <div class="row">
                <button class="btn">{label}</button>
            </div>
        </ActionForm>
    }
    .into_any()
}

fn share_form(card: &CaredCard, asked: &Asked, acts: Acts) -> AnyView {
    let words = &t().upkeep;
    if !card.can_be_shared() {
        return ().into_any();
    }
    let refused = acts.share.value().get_untracked().and_then(Result::err);
    let refused = refused.or_else(|| acts.close.value().get_untracked().and_then(Result::err));
    let typed_bad = refused.as_ref().is_some_and(|error| error.field() == Some(Field::Shares));
    let first = |typed: &str, known: Option<String>| {
        if typed.is_empty() { known.unwrap_or_default() } else { typed.to_owned() }
    };
    let count = first(&asked.count, card.shares.map(|shares| shares.count.to_string()));
    let memory = first(&asked.memory, card.shares.map(|shares| gigabytes(shares.memory_mib)));
    let (which, same) = (card_field(card), card_field(card));
    let label = if card.shares.is_some() { words.change_shares } else { words.open_shares };
    let (class, role) = if refused.is_some() { ("err", Some("alert")) } else { ("muted", None) };
    let said = refused.map_or_else(
        || card.memory_mib.map(|mib| (words.memory_of)(&gigabytes(mib))).unwrap_or_default(),
        |error| error.message().to_owned(),
    );
    view! {
        <div class="form">
            <ActionForm action=acts.share attr:class="form">
                {which} <h3>{words.shares}</h3> <p class="sm ink2">{words.shares_note}</p> <div class="two">
                    <div class="field">
                        <label for="count">{words.share_count}</label>
                        <input
                            class="input"
                            id="count"
                            name="count"
                            type="number"
                            min=SHARES_MIN.to_string()
                            max=SHARES_MAX.to_string()
                            value=count
                            required
                            aria-invalid=typed_bad.then_some("true")
                            aria-describedby="shares-note"
                        />
                    </div>
                    <div class="field">
                        <label for="memory">{words.share_memory}</label>
                        <input
                            class="input"
                            id="memory"
                            name="memory"
                            inputmode="decimal"
                            value=memory
                            required
                            autocomplete="off"
                            aria-invalid=typed_bad.then_some("true")
                            aria-describedby="shares-note"
                        />
                    </div>
                </div>
                <small
                    id="shares-note"
                    class=class
                    role=role
                >
                    {said}
                </small> <div class="row">
                    <button class="btn">{label}</button>
                </div>
            </ActionForm>
            {card
                .shares
                .is_some()
                .then(|| {
                    view! {
                        <ActionForm action=acts.close>
                            {same} <button class="btn quiet">{words.close_shares}</button>
                        </ActionForm>
                    }
                })}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gigabytes_as_they_are_typed() {
        assert_eq!(mebibytes(" 20 "), Some(20_480));
        assert_eq!(mebibytes("19.5"), Some(19_968));
        assert_eq!(mebibytes("0,5"), Some(512));
        for bad in ["", ".5", "20 GB", "-1", "1.25", "1.", "x"] {
            assert_eq!(mebibytes(bad), None, "{bad}");
        }
    }
}
