//! The MIG instances of a card: a bar of its compute units, and a table.

use domain::band::gigabytes;
use domain::card::MigPart;
use domain::id::UserId;
use domain::text::{When, t};
use domain::wire::live_v1::{CardView, HostView};
use leptos::prelude::*;

use super::cards::missing;
use crate::components::card_words::{card_words, icon};
use crate::components::icon::Icon;
use crate::components::node_words::node_words;

/// One box for each card that is cut.
pub fn mig_boxes(host: &HostView, viewer: UserId, when: &When<'_>) -> AnyView {
    let cut = host.cards.iter().filter(|card| host.parts(&card.facts.uuid).next().is_some());
    let boxes: Vec<AnyView> = cut.map(|card| mig_box(host, card, viewer, when)).collect();
    if boxes.is_empty() {
        return ().into_any();
    }
    view! { <div class="migs">{boxes}</div> }.into_any()
}

/// Compute units of a whole card: seven, but four on the small A30.
fn units(card: &CardView) -> u32 {
    if card.facts.name.contains("A30") { 4 } else { 7 }
}

fn mig_box(host: &HostView, card: &CardView, viewer: UserId, when: &When<'_>) -> AnyView {
    let words = &t().host;
    let index = card.facts.index;
    let id = format!("mig-{index}");
    let heading = format!("{id}-h");
    let all = units(card);
    let parts: Vec<(&CardView, &MigPart)> =
        host.parts(&card.facts.uuid).filter_map(|part| Some((part, part.facts.part.as_ref()?))).collect();
    let known: Option<u32> = parts.iter().map(|(_, part)| part.compute_slices.get()).sum();
    let about = known.map(|used| (words.slices_of)(used, all));
    let spare = known.and_then(|used| all.checked_sub(used)).filter(|spare| *spare > 0);
    let bar = parts.iter().map(|(view, part)| slice(host, view, part, viewer, when)).collect_view();
    let rows = parts.iter().map(|(view, part)| row(host, view, part, viewer, when)).collect_view();
    view! {
        <section class="box" id=id aria-labelledby=heading data-fresh="">
            <header>
                <h2 id=heading.clone()>{(words.slices)(index)}</h2>
                <p>{about}</p>
            </header>
            <div class="pad">
                <div class="mig" aria-hidden="true" style=format!("--units:{all}")>
                    {bar}
                    {spare.map(|units| view! { <span class="spare" style=format!("--u:{units}")></span> })}
                </div>
            </div>
            <div class="scroll-x">
                <table class="data">
                    <thead>
                        <tr>
                            <th scope="col">{words.slice}</th>
                            <th scope="col">{words.instance}</th>
                            <th scope="col" class="num">
                                {words.multiprocessors}
                            </th>
                            <th scope="col" class="num">
                                {words.memory_gb}
                            </th>
                            <th scope="col">{words.uuid}</th>
                            <th scope="col">{words.now}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="pad muted sm">{words.no_share}</p>
        </section>
    }
    .into_any()
}

fn slice(host: &HostView, view: &CardView, part: &MigPart, viewer: UserId, when: &When<'_>) -> AnyView {
    let state = card_words(view, host, viewer, when).band.state;
    let units = part.compute_slices.get().unwrap_or(1).max(1);
    view! {
        <span data-slice=view.facts.uuid.to_string() data-state=state.as_str() style=format!("--u:{units}")>
            {profile(view)}
        </span>
    }
    .into_any()
}

fn profile(view: &CardView) -> String {
    view.facts.title().trim_start_matches("MIG ").to_owned()
}

fn row(host: &HostView, view: &CardView, part: &MigPart, viewer: UserId, when: &When<'_>) -> AnyView {
    let words = &t().host;
    let said = card_words(view, host, viewer, when);
    let name = view.facts.number().to_string();
    let state = said.band.state;
    let word = node_words(&said, &name, 0).word;
    let uuid = view.facts.uuid.to_string();
    let (used, total) = (view.truth.sample.memory_used_mib, view.facts.memory_total_mib);
    let multiprocessors = match part.multiprocessors {
        domain::reading::Reading::Value(count) => view! { {count} }.into_any(),
        domain::reading::Reading::Missing { na } => missing(na),
    };
    let memory = match used.get().zip(total.get()) {
        Some((used, total)) => {
            view! { <span data-value="memory">{gigabytes(used)}</span> " / " {gigabytes(total)} }.into_any()
        }
        None => view! { {t().now.not_reported} }.into_any(),
    };
    view! {
        <tr id=super::topology::row_id(&view.facts.uuid) data-row=uuid>
            <th scope="row">
                {name} " " <span class="ink2">{profile(view)}</span>
            </th>
            <td>{(words.instance_ids)(part.gpu_instance, part.compute_instance)}</td>
            <td class="num">{multiprocessors}</td>
            <td class="num">{memory}</td>
            <td>
                <code title=uuid.clone()>{view.facts.uuid.short()}</code>
            </td>
            <td>
                <span class="st" data-state=state.as_str()>
                    <Icon name=icon(state) />
                    <span>{word}</span>
                </span>
            </td>
        </tr>
    }
    .into_any()
}
