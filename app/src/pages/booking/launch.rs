//! The launch box: one tab for each tool, and what is true for all of them.

use domain::launch::{Check, Command, Form, HostCards, Naming, check, commands, mapping};
use domain::text::{When, t};
use domain::window::Window;
use domain::wire::page::Frame;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::api::session::MakeLinkCode;
use crate::components::copy::CopyBox;
use crate::components::icon::Icon;
use crate::components::link_code::LinkCodeBox;
use crate::live::use_live;

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
    let not_yet = {
        let (live, frame) = (use_live(), frame.clone());
        let begun = Memo::new(move |_| live.now(frame.now) >= window.start());
        move || {
            let start = When::new(&frame.zone, frame.now).at(window.start());
            (!begun.get()).then(|| view! { <p>{(words.not_yet)(&start)}</p> })
        }
    };
    let account = match account {
        Some(account) => view! { <p class="why">
            <Icon name="user" small=true />
            <span>{(words.linked)(&account, &host.host_name)}</span>
        </p> }
        .into_any(),
        None => view! { <Unlinked frame host_name=host.host_name.clone() /> }.into_any(),
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
                    <th scope="row">{card.index}</th>
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
fn Unlinked(frame: Frame, host_name: String) -> impl IntoView {
    let words = &t().booking;
    let action = ServerAction::<MakeLinkCode>::new();
    view! {
        <div class="note warn">
            <Icon name="key" />
            <strong>{(words.unlinked)(&host_name)}</strong>
            " "
            {words.unlinked_why}
            <LinkCodeBox frame host=Some(host_name) action />
        </div>
    }
}

/// Tabs by tool. Without scripts every panel is open and the tabs are not there.
#[component]
fn Tabs(host: HostCards) -> impl IntoView {
    let words = &t().booking;
    let all = commands(&host, &t().launch);
    let ids: Vec<&'static str> = all.iter().map(|command| command.id).collect();
    let first = ids.first().copied().unwrap_or_default();
    let chosen = RwSignal::new(first);
    let key = host.host.to_string();
    Effect::new({
        let ids = ids.clone();
        move || {
            if let Some(id) = remembered().and_then(|last| ids.iter().copied().find(|id| *id == last)) {
                chosen.set(id);
            }
        }
    });
    let choose = move |id: &'static str| {
        chosen.set(id);
        remember(id);
    };
    let tabs = tabs(&all, &key, chosen, choose);
    let arrows = {
        let key = key.clone();
        move |event: KeyboardEvent| {
            let at = ids.iter().position(|id| *id == chosen.get_untracked()).unwrap_or_default();
            let Some(to) = step(&event.key(), at, ids.len()) else { return };
            event.prevent_default();
            choose(ids[to]);
            focus(&format!("tab-{key}-{}", ids[to]));
        }
    };
    let panels = all.into_iter().map(|command| panel(&command, &key, chosen)).collect_view();
    view! {
        <div class="tabs">
            <div class="scripted" role="tablist" aria-orientation="vertical" aria-label=words.how on:keydown=arrows>
                {tabs}
            </div>
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

fn tabs(
    all: &[Command],
    key: &str,
    chosen: RwSignal<&'static str>,
    choose: impl Fn(&'static str) + Copy + 'static,
) -> AnyView {
    let mut group = "";
    all.iter()
        .map(|command| {
            let id = command.id;
            let heading = (group != command.group).then_some(command.group);
            group = command.group;
            view! {
                {heading.map(|heading| view! { <p role="presentation">{heading}</p> })}
                <button
                    type="button"
                    role="tab"
                    id=format!("tab-{key}-{id}")
                    aria-controls=format!("panel-{key}-{id}")
                    aria-selected=move || if chosen.get() == id { "true" } else { "false" }
                    tabindex=move || if chosen.get() == id { "0" } else { "-1" }
                    on:click=move |_| choose(id)
                >
                    {command.title}
                </button>
            }
            .into_any()
        })
        .collect_view()
        .into_any()
}

fn panel(command: &Command, key: &str, chosen: RwSignal<&'static str>) -> AnyView {
    let id = command.id;
    let mut boxes = Vec::new();
    let mut forms = command.forms.iter().peekable();
    while let Some(form) = forms.next() {
        // A form by index stands beside the form by UUID before it.
        let beside = forms.next_if(|next| form.naming == Naming::Uuid && next.naming == Naming::Index);
        boxes.push(match beside {
            Some(index) => view! { <div class="pairf">{form_box(form)} {form_box(index)}</div> }.into_any(),
            None => form_box(form),
        });
    }
    view! {
        <div
            role="tabpanel"
            id=format!("panel-{key}-{id}")
            aria-labelledby=format!("tab-{key}-{id}")
            data-off=move || (chosen.get() != id).then_some("")
        >
            <h3 class="unscripted">{command.title}</h3>
            {boxes}
            <p class="ink2 sm">{command.note.clone()}</p>
        </div>
    }
    .into_any()
}

fn form_box(form: &Form) -> AnyView {
    view! { <CopyBox text=form.text.clone() label=form.label.clone() needs=form.needs.clone() /> }.into_any()
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
                    <th scope="row">{card.index}</th>
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

/// Where a key leads in a list of tabs.
fn step(key: &str, at: usize, count: usize) -> Option<usize> {
    match key {
        _ if count == 0 => None,
        "ArrowDown" | "ArrowRight" => Some((at + 1) % count),
        "ArrowUp" | "ArrowLeft" => Some((at + count - 1) % count),
        "Home" => Some(0),
        "End" => Some(count - 1),
        _ => None,
    }
}

#[cfg(feature = "hydrate")]
const LAST_TAB: &str = "berth.launch";

/// The tab that was open last, on any booking.
#[cfg(feature = "hydrate")]
fn remembered() -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(LAST_TAB).ok().flatten()
}

#[cfg(feature = "hydrate")]
fn remember(id: &str) {
    // A browser that stores nothing only forgets which tab was open.
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(LAST_TAB, id);
    }
}

#[cfg(feature = "hydrate")]
fn focus(id: &str) {
    use wasm_bindgen::JsCast;
    if let Some(tab) = document().get_element_by_id(id)
        && let Some(tab) = tab.dyn_ref::<web_sys::HtmlElement>()
    {
        let _ = tab.focus();
    }
}

#[cfg(not(feature = "hydrate"))]
fn remembered() -> Option<String> {
    None
}

#[cfg(not(feature = "hydrate"))]
fn remember(_id: &str) {}

#[cfg(not(feature = "hydrate"))]
fn focus(_id: &str) {}

#[cfg(test)]
mod tests {
    use super::step;

    #[test]
    fn arrows_go_round() {
        assert_eq!(step("ArrowDown", 3, 4), Some(0));
        assert_eq!(step("ArrowUp", 0, 4), Some(3));
        assert_eq!(step("End", 0, 4), Some(3));
        assert_eq!(step("Home", 2, 4), Some(0));
        assert_eq!(step("a", 2, 4), None);
        assert_eq!(step("ArrowDown", 0, 0), None);
    }
}
