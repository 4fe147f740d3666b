//! One card: the promise above (what is booked), the truth below (what it does). Same height in every state.
//!
//! Rendered on the server; [`crate::live::paint`] finds the parts again by their classes and `data-` names.

use domain::text::t;
use domain::user::initials;
use domain::wire::live_v1::CardView;
use leptos::prelude::*;

use crate::components::card_words::{CardWords, act, icon, pickable};
use crate::components::icon::Icon;

/// The tile.
pub fn card_tile(card: &CardView, host: &str, words: CardWords, shown: bool) -> AnyView {
    let facts = &card.facts;
    let uuid = facts.uuid.to_string();
    let (state, class, name) = (words.band.state, words.class, uuid.clone());
    view! {
        <li class=class data-card=name data-state=state.as_str() hidden=!shown>
            {band(card, host, &words)}
            <div class="truth">
                <div class="what">
                    <h3>
                        <b>{facts.number().to_string()}</b>
                        <span>{facts.title()}</span>
                    </h3>
                    <label class="tick">
                        <input
                            type="checkbox"
                            name="card"
                            value=uuid
                            autocomplete="off"
                            aria-label=(t().now.pick)(host, facts.number())
                            disabled=!pickable(state)
                        />
                    </label>
                </div>
                {truth(words)}
            </div>
        </li>
    }
    .into_any()
}

fn band(card: &CardView, host: &str, words: &CardWords) -> AnyView {
    let band = words.band.clone();
    let (name, hue) = band.holder.clone().unwrap_or_default();
    let alone = band.holder.is_none();
    let (href, label, word) = act(band.act, card, host).unwrap_or_default();
    let none = href.is_empty();
    // Initials, icon and act are always there, so that the browser only has to change and to show them.
    view! {
        <header>
            <span class="av o" style=format!("--hue:{hue}") aria-hidden="true" hidden=alone>
                {initials(&name)}
            </span>
            <svg class="i" aria-hidden="true" hidden=!alone>
                <use href=format!("#i-{}", icon(band.state))></use>
            </svg>
            <p>
                <b>{band.lead}</b>
                " "
                <span>{band.rest}</span>
            </p>
            <span class=if band.side_idle { "next idle" } else { "next" }>{band.side}</span>
            <a class="btn small" href=href aria-label=label hidden=none data-act="">
                {word}
            </a>
        </header>
    }
    .into_any()
}

fn truth(words: CardWords) -> AnyView {
    let CardWords { truth, trace: (area, line), .. } = words;
    view! {
        <div class="util">
            <svg class="spark" viewBox="0 0 118 100" preserveAspectRatio="none" aria-hidden="true">
                <path class="a" d=area></path>
                <path class="l" d=line></path>
            </svg>
            <output aria-label=t().now.utilisation aria-live="off">
                {truth.utilisation}
            </output>
        </div>
        <div class="mem">
            <div
                class="meter"
                style=format!("--w:{}%", truth.memory_percent)
                role="meter"
                aria-label=t().now.memory_used
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow=truth.memory_percent.to_string()
            ></div>
            <span>{truth.memory}</span>
        </div>
        <p class="foot">
            <span class="who">
                <b>{truth.who}</b>
                " "
                <code>{truth.command}</code>
                " "
                <span>{truth.more}</span>
            </span>
            <span class="heat">
                <span class=if truth.hot { "val hotval" } else { "val" }>
                    <Icon name="hot" />
                    <span>{truth.heat}</span>
                </span>
                <span class=if truth.near_limit { "val warnval" } else { "val" }>
                    <Icon name="bolt" />
                    <span>{truth.power}</span>
                </span>
            </span>
        </p>
    }
    .into_any()
}
