//! The launch box: one tab for each tool, and what is true for all of them.

use domain::launch::{Check, Command, Dialect, Form, HostCards, Naming, Plan, check, commands, mapping};
use domain::text::{When, t};
use domain::window::Window;
use domain::wire::page::Frame;
use leptos::prelude::*;

use super::tabs::TabList;
use crate::components::copy::CopyBox;
use crate::components::icon::Icon;
use crate::components::link_code::LinkCode;

/// Everything about starting a job on one host of a booking.
#[component]
pub fn Launch(
    frame: Frame,
    host: HostCards,
    /// The viewer's account there.
    account: Option<String>,
    /// Whether the booking has cards on several hosts.
    several: bool,
    window: Window,
) -> impl IntoView {
    let words = &t().booking;
    let heading = format!("launch-{}", host.host);
    let labelled = heading.clone();
    let title = if several { (words.launch_on)(&host.host_name) } else { words.launch.to_owned() };
    let when = When::new(&frame.zone, frame.now);
    let not_yet = (frame.now < window.start()).then(|| view! { <p>{(words.not_yet)(&when.at(window.start()))}</p> });
    let account = match account {
        Some(account) => view! { <p class="why">
            <Icon name="user" small=true />
            <span>{(words.linked)(&account, &host.host_name)}</span>
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
                <Tabs host=host.clone() />
            </div>
        </section>
    }
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

/// Tabs by tool. Without scripts every panel is open and the tabs are not there.
#[component]
fn Tabs(host: HostCards) -> impl IntoView {
    let words = &t().booking;
    let plan = Plan { hosts: vec![host.clone()], ..Plan::default() };
    let all = commands(&plan, 0, &t().launch);
    let key = host.host.to_string();
    let panels = all.iter().enumerate().map(|(n, command)| panel(command, &key, n == 0)).collect_view();
    view! {
        <div class="tabs">
            {tab_list(&all, &key)}
            <div class="panels">
                {panels}
                <p class="why">
                    <Icon name="info" small=true />
                    <span>
                        <b>{words.why_uuid}</b>
                        " "
                        {words.why_uuid_text}
                    </span>
                </p>
                <h3>{words.check}</h3>
                {check(&host).into_iter().map(check_box).collect_view()}
                {map(&host)}
                <p class="why">
                    <Icon name="lock" small=true />
                    <span>{words.cooperative}</span>
                </p>
            </div>
        </div>
    }
}

fn tab_list(all: &[Command], key: &str) -> AnyView {
    let mut group = "";
    let tabs = all
        .iter()
        .enumerate()
        .map(|(at, command)| {
            let id = tab_id(key, command.id);
            let heading = (group != command.group).then_some(command.group);
            group = command.group;
            view! {
                {heading.map(|heading| view! { <p role="presentation">{heading}</p> })}
                <button
                    type="button"
                    role="tab"
                    id=format!("tab-{id}")
                    aria-controls=format!("panel-{id}")
                    aria-selected=if at == 0 { "true" } else { "false" }
                    tabindex=if at == 0 { "0" } else { "-1" }
                >
                    {command.title}
                </button>
            }
        })
        .collect_view();
    view! {
        <TabList>
            <div class="tablist scripted" role="tablist" aria-orientation="vertical" aria-label=t().booking.how>
                {tabs}
            </div>
        </TabList>
    }
    .into_any()
}

/// Host and tool: a booking on two hosts has two lists of tabs.
fn tab_id(key: &str, id: &str) -> String {
    format!("{id}-{key}")
}

fn panel(command: &Command, key: &str, open: bool) -> AnyView {
    let id = tab_id(key, command.id);
    let (other, usual): (Vec<&Form>, Vec<&Form>) = command.forms.iter().partition(|form| is_other(form.dialect));
    let other = other
        .chunk_by(|a, b| a.dialect == b.dialect)
        .map(|forms| {
            let name = forms.first().map(|form| (t().launch.dialect)(form.dialect));
            view! {
                <details class="dialect">
                    <summary>{name}</summary>
                    <div class="stack tight">{boxes(forms)}</div>
                </details>
            }
        })
        .collect_view();
    view! {
        <div
            role="tabpanel"
            id=format!("panel-{id}")
            aria-labelledby=format!("tab-{id}")
            data-off=(!open).then_some("")
        >
            <h3 class="unscripted">{command.title}</h3>
            {boxes(&usual)}
            {other}
            {(!command.reason.is_empty()).then(|| view! { <p class="ink2 sm">{command.reason.clone()}</p> })}
            {(!command.note.is_empty()).then(|| view! { <p class="ink2 sm">{command.note.clone()}</p> })}
        </div>
    }
    .into_any()
}

/// Shells that fewer people use here: folded away.
fn is_other(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Fish | Dialect::PowerShell | Dialect::WindowsPowerShell | Dialect::Cmd)
}

fn boxes(forms: &[&Form]) -> Vec<AnyView> {
    let mut boxes = Vec::new();
    let mut forms = forms.iter().peekable();
    while let Some(form) = forms.next() {
        // A form by index stands beside the form by UUID before it.
        let beside =
            forms.next_if(|next| form.key == next.key && form.naming == Naming::Uuid && next.naming == Naming::Index);
        boxes.push(match beside {
            Some(index) => view! { <div class="pairf">{form_box(form)} {form_box(index)}</div> }.into_any(),
            None => form_box(form),
        });
    }
    boxes
}

fn form_box(form: &Form) -> AnyView {
    let needs = form.file.clone().unwrap_or_else(|| form.needs.clone());
    view! { <CopyBox text=form.text.clone() label=form.label.clone() needs /> }.into_any()
}

fn check_box(check: Check) -> AnyView {
    let words = &t().booking;
    let comment = format!("# {}", (words.expected)(&check.expected));
    view! { <CopyBox text=check.text comment name=words.check /> }.into_any()
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
