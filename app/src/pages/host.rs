//! One host: how it is doing, what needs attention, how its cards are linked, what each card and process does.

mod alerts;
mod cards;
mod drawing;
mod facts;
mod lanes;
mod mig;
mod processes;
mod topology;

use domain::id::UserId;
use domain::inventory::Machine;
use domain::text::{When, t};
use domain::wire::page::{Frame, HostPage};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use crate::api::fleet::host;
use crate::components::host_live::HostLive;
use crate::components::host_words::host_words;
use crate::components::icon::Icon;
use crate::components::page::Page;
use crate::frame::{loaded, title};
use alerts::{Alert, Tone, alerts};
use facts::Facts;

/// The page.
#[component]
pub fn Host() -> impl IntoView {
    let params = use_params_map();
    let name = Memo::new(move |_| params.read().get("name").unwrap_or_default());
    let data = Resource::new_blocking(move || name.get(), host);
    view! {
        <Page title=t().host.hosts class="hostp">
            {loaded(data, |frame, page| whole(&frame, &page))}
        </Page>
    }
}

fn whole(frame: &Frame, page: &HostPage) -> AnyView {
    let viewer = frame.viewer.as_ref().map_or(UserId(uuid::Uuid::nil()), |viewer| viewer.id);
    let when = When::new(&frame.zone, page.now);
    let facts = Facts::of(page);
    let alerts = alerts(page, &facts, &when);
    let links = page.told.inventory.as_ref().map(|inventory| &inventory.topology);
    view! {
        {head(page, &facts, &when)}
        {alert_list(&alerts)}
        {topology::topology_box(links, &page.host, viewer, &when)}
        {cards::cards_box(page, &facts, &alerts, &when)}
        {mig::mig_boxes(&page.host, viewer, &when)}
        {processes::processes_box(page, &facts, viewer, &when)}
        <HostLive viewer zone=frame.zone.clone() host=page.host.id />
    }
    .into_any()
}

fn head(page: &HostPage, facts: &Facts<'_>, when: &When<'_>) -> AnyView {
    let words = &t().host;
    let name = page.host.name.clone();
    let said = host_words(&page.host, when);
    let several = page.names.len() > 1;
    let links = page.names.iter().map(|other| {
        let here = *other == page.host.name;
        view! {
            <a href=format!("/hosts/{other}") aria-current=here.then_some("page")>
                {other.clone()}
            </a>
        }
    });
    view! {
        <Title text=title(&name) />
        <p class="crumb">
            <a href="/hosts">{words.hosts}</a>
            <span aria-hidden="true">"/"</span>
            <span>{name.clone()}</span>
        </p>
        <header class="pagehead">
            <div>
                <h1>{name}</h1>
                <p class="ink2 hostfacts">
                    <span class=said.beat_class data-beat="">
                        {said.beat}
                    </span>
                    <span id="facts" data-fresh="">
                        {fact_line(page, facts, &said.models, when)}
                    </span>
                </p>
            </div>
            {several
                .then(|| {
                    view! {
                        <nav class="end seg" aria-label=words.switch>
                            {links.collect_view()}
                        </nav>
                    }
                })}
        </header>
    }
    .into_any()
}

/// "8 × H100 80GB HBM3 · driver 570.124.06 · CUDA 12.8 · Debian 12 · agent 0.9.2 · up 18 d".
fn fact_line(page: &HostPage, facts: &Facts<'_>, models: &str, when: &When<'_>) -> String {
    let (now, words) = (&t().now, &t().host);
    let nothing = Machine::default();
    let machine = facts.machine().unwrap_or(&nothing);
    let driver = page.host.driver_version.as_deref().or(machine.driver_version.as_deref());
    let cuda = page.host.cuda_version.as_deref().or(machine.cuda_version.as_deref());
    let cpus = machine.cpu_model.as_deref().zip(machine.cpus).map(|(model, count)| (words.cpus)(model, count));
    let up = machine.booted_at.map(|at| (words.up)(&when.length(when.now - facts.ours(at))));
    let line = [
        (!models.is_empty()).then(|| models.to_owned()),
        driver.map(now.driver),
        cuda.map(now.cuda),
        cpus,
        machine.os.clone(),
        machine.kernel.clone(),
        page.told.agent_version.as_deref().map(words.agent),
        up,
    ];
    line.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn alert_list(alerts: &[Alert]) -> AnyView {
    let note = |alert: &Alert| {
        let (class, icon) = match alert.tone {
            Tone::Bad => ("note bad", "sick"),
            Tone::Warn => ("note warn", "rogue"),
            Tone::Info => ("note", "info"),
        };
        view! {
            <li class=class>
                <Icon name=icon />
                <strong>{alert.lead()}</strong>
                " "
                <span>{with_commands(&alert.text)}</span>
            </li>
        }
    };
    view! {
        <ul class="alerts" id="alerts" role="list" aria-label=t().host.alerts data-fresh="">
            {alerts.iter().map(note).collect_view()}
        </ul>
    }
    .into_any()
}

/// What stands between backticks is a command.
fn with_commands(text: &str) -> Vec<AnyView> {
    let part = |(at, part): (usize, &str)| {
        let part = part.to_owned();
        if at % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
    };
    text.split('`').enumerate().map(part).collect()
}
