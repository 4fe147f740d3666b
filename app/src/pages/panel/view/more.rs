//! Purpose, shares of cards that are open for them, and who else has to do with the booking.

use domain::id::UserId;
use domain::text::t;
use domain::wire::page::Person;
use leptos::prelude::*;

use crate::pages::panel::fields::{CO_USERS, OWNER, PURPOSE, shares_of};
use crate::pages::panel::look::SharesLook;
use crate::pages::panel::state::Panel;

/// What for.
pub fn purpose(panel: Panel) -> AnyView {
    let words = &t().book;
    let value = panel.draft.with_untracked(|draft| draft.purpose.clone());
    let error = panel.part(|look| look.purpose_error.clone());
    view! {
        <div class="field">
            <label for=PURPOSE>{words.purpose}</label>
            <input
                class="input"
                id=PURPOSE
                name=PURPOSE
                value=value
                aria-invalid=move || (!error.read().is_empty()).then_some("true")
                aria-describedby="purpose-note purpose-hint"
            />
            {super::error("purpose-note".to_owned(), error)}
            <small id="purpose-hint">{words.purpose_hint}</small>
        </div>
    }
    .into_any()
}

/// How many shares, of each picked card that is open for them.
pub fn shares(panel: Panel) -> AnyView {
    let open = panel.part(|look| look.shares.clone());
    view! {
        <div class="shares">
            {move || {
                let values = panel.draft.with_untracked(|draft| draft.shares.clone());
                let value = |card: &SharesLook| values.get(card.card.as_str()).cloned().unwrap_or_default();
                open.get().into_iter().map(|card| share(value(&card), card)).collect_view()
            }}
        </div>
    }
    .into_any()
}

fn share(value: String, card: SharesLook) -> AnyView {
    let name = shares_of(card.card.as_str());
    let note = format!("{name}-note");
    view! {
        <div class="field">
            <label for=name.clone()>{card.label}</label>
            <input
                class="input"
                type="number"
                inputmode="numeric"
                min="1"
                max=card.most.to_string()
                id=name.clone()
                name=name
                value=value
                placeholder=t().book.whole_card
                aria-describedby=note.clone()
            />
            <small id=note>{card.note}</small>
        </div>
    }
    .into_any()
}

/// For whom, and who may launch as well.
pub fn people(panel: Panel) -> AnyView {
    let scene = panel.scene;
    let others = Memo::new(move |_| {
        scene.with(|scene| scene.people.iter().filter(|one| one.id != scene.viewer).cloned().collect::<Vec<Person>>())
    });
    view! { <div class="people">{move || others.with(|others| named(panel, others))}</div> }.into_any()
}

fn named(panel: Panel, others: &[Person]) -> AnyView {
    let words = &t().book;
    if others.is_empty() {
        return ().into_any();
    }
    let for_others = panel.scene.with_untracked(|scene| scene.for_others);
    let draft = panel.draft.get_untracked();
    let chosen = |id: UserId| draft.co_users.contains(&id.to_string());
    let any = others.iter().any(|person| chosen(person.id));
    let rows = others
        .iter()
        .map(|person| {
            view! {
                <li>
                    <label class="check">
                        <input type="checkbox" name=CO_USERS value=person.id.to_string() checked=chosen(person.id) />
                        <span>
                            {person.display_name.clone()} " " <small class="muted">{person.name.clone()}</small>
                        </span>
                    </label>
                </li>
            }
        })
        .collect_view();
    let owner = (for_others && !draft.is_change()).then(|| {
        let options = others
            .iter()
            .map(|person| {
                let id = person.id.to_string();
                let selected = draft.owner == id;
                view! {
                    <option value=id selected=selected>
                        {person.display_name.clone()}
                    </option>
                }
            })
            .collect_view();
        view! {
            <div class="field">
                <label for=OWNER>{words.owner}</label>
                <select class="input" id=OWNER name=OWNER>
                    <option value="">{words.owner_self}</option>
                    {options}
                </select>
            </div>
        }
    });
    // Of a booking whose colleagues are not known here, none can be taken away or added.
    let colleagues = (!draft.is_change() || draft.colleagues == "shown").then(|| {
        view! {
            <details class="morepeople" open=any>
                <summary>{words.co_users}</summary>
                <p class="muted sm">{words.co_users_note}</p>
                <ul>{rows}</ul>
            </details>
        }
    });
    view! {
        {owner}
        {colleagues}
    }
    .into_any()
}
