//! The launch box: one tab for each tool, and what is true for all of them.

use domain::launch::{HostCards, Plan, commands, mapping};
use domain::text::{When, t};
use domain::window::Window;
use domain::wire::page::Frame;
use leptos::prelude::*;

use super::panels;
use crate::components::icon::Icon;
use crate::components::link_code::LinkCode;

/// Everything about starting a job on one host of a booking.
#[component]
pub fn Launch(
    frame: Frame,
    plan: Plan,
    /// Which of its hosts.
    at: usize,
    window: Window,
) -> AnyView {
    let words = &t().booking;
    let Some(host) = plan.hosts.get(at) else { return ().into_any() };
    let heading = format!("launch-{}", host.host);
    let labelled = heading.clone();
    let title = if plan.hosts.len() > 1 { (words.launch_on)(&host.host_name) } else { words.launch.to_owned() };
    let when = When::new(&frame.zone, frame.now);
    let not_yet = (frame.now < window.start()).then(|| view! { <p>{(words.not_yet)(&when.at(window.start()))}</p> });
    let account = match &host.facts.account {
        Some(account) => view! { <p class="why">
            <Icon name="user" small=true />
            <span>{(words.linked)(account, &host.host_name)}</span>
        </p> }
        .into_any(),
        None => view! { <Unlinked host_name=host.host_name.clone() /> }.into_any(),
    };
    view! {
        <section class="box launch" aria-labelledby=labelled>
            <header>
                <h2 id=heading>{title}</h2>
                {not_yet}
            </header>
            <div class="pad stack">
                {account}
                {tabs(&plan, at, host)}
            </div>
        </section>
    }
    .into_any()
}

/// The cards of a booking where there is nothing to launch: somebody else's, or over.
#[component]
pub fn Unlaunched(host: HostCards, several: bool) -> impl IntoView {
    let words = &t().booking;
    let heading = format!("cards-{}", host.host);
    let labelled = heading.clone();
    let title = if several { host.host_name.clone() } else { words.cards.to_owned() };
    let rows = host
        .cards
        .iter()
        .map(|card| {
            view! {
                <tr>
                    <th scope="row">{card.number.to_string()}</th>
                    <td>{card.model.clone()}</td>
                    <td>
                        <code title=card.uuid.to_string()>{card.uuid.short()}</code>
                    </td>
                    <td>{pci(card.pci_bus_id.as_deref())}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="box" aria-labelledby=labelled>
            <header>
                <h2 id=heading>{title}</h2>
            </header>
            <div class="scroll-x">
                <table class="data">
                    <thead>
                        <tr>
                            <th>{(words.card_on)(&host.host_name)}</th>
                            <th>{words.model}</th>
                            <th>{words.uuid}</th>
                            <th>{words.pci}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

#[component]
fn Unlinked(host_name: String) -> impl IntoView {
    let words = &t().booking;
    view! {
        <div class="note warn">
            <Icon name="key" />
            <strong>{(words.unlinked)(&host_name)}</strong>
            " "
            {words.unlinked_why}
            <LinkCode host=Some(host_name) />
        </div>
    }
}

/// Tabs by tool. Without scripts every panel is open, and links lead to them.
fn tabs(plan: &Plan, at: usize, host: &HostCards) -> AnyView {
    let words = &t().booking;
    let all = commands(plan, at, &t().launch);
    let key = host.host.to_string();
    let open = all.iter().enumerate().map(|(n, command)| panels::panel(command, &key, n == 0)).collect_view();
    view! {
        <div class="tabs">
            {panels::tab_list(&all, &key)}
            <div class="panels">
                {open}
                <p class="why">
                    <Icon name="info" small=true />
                    <span>
                        <b>{words.why_uuid}</b>
                        " "
                        {words.why_uuid_text}
                    </span>
                </p>
                {map(host)}
                <p class="why">
                    <Icon name="lock" small=true />
                    <span>{words.cooperative}</span>
                </p>
            </div>
        </div>
    }
    .into_any()
}

fn map(host: &HostCards) -> AnyView {
    let words = &t().booking;
    let rows = mapping(host)
        .into_iter()
        .map(|mapped| {
            let card = mapped.card;
            view! {
                <tr>
                    <th scope="row">{card.number.to_string()}</th>
                    <td>
                        <code>{mapped.program}</code>
                    </td>
                    <td>{card.model}</td>
                    <td>
                        <code title=card.uuid.to_string()>{card.uuid.short()}</code>
                    </td>
                    <td>{pci(card.pci_bus_id.as_deref())}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll-x map">
            <table class="data">
                <caption>{words.map_caption}</caption>
                <thead>
                    <tr>
                        <th>{(words.card_on)(&host.host_name)}</th>
                        <th>{words.in_program}</th>
                        <th>{words.model}</th>
                        <th>{words.uuid}</th>
                        <th>{words.pci}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// A PCI address without the domain that all cards of a host share.
fn pci(address: Option<&str>) -> AnyView {
    match address {
        Some(address) => {
            let short = address.strip_prefix("0000:").unwrap_or(address).to_owned();
            view! { <code title=address.to_owned()>{short}</code> }.into_any()
        }
        None => view! { <span class="muted">{t().booking.not_reported}</span> }.into_any(),
    }
}
