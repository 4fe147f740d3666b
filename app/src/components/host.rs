//! One host on the live page: how it is doing, then its cards.

use domain::host::Freshness;
use domain::text::{When, t};
use domain::wire::agent_v1::NvmlState;
use domain::wire::live_v1::HostPulse;
use leptos::prelude::*;
use time::Duration;

use crate::components::card::card_tile;
use crate::components::notice::{Notice, Tone};
use crate::live::board::{CardRow, Eyes, HostRow};

/// Name, freshness, what it has, what it does; a notice where NVML does not answer; its cards.
pub fn host_section(
    host: HostRow,
    eyes: Eyes,
    shown: impl Fn(&CardRow) -> Signal<bool> + Clone + Send + Sync + 'static,
    hidden: Signal<bool>,
    picked: Callback<(String, bool)>,
) -> AnyView {
    let id = format!("host-{}", host.name);
    let rows = host.cards.clone();
    let freshness = host.freshness.clone();
    view! {
        <section class="host" aria-labelledby=id hidden=move || hidden.get()>
            <header>
                <h2 id=id.clone()>{host.name.clone()}</h2>
                {beat(&host, &eyes)}
                <p>{models(&host)}</p>
                <p class="facts">{facts(&host, &eyes)}</p>
            </header>
            {trouble(&host, &eyes)}
            <ul class="cards" role="list">
                <For
                    each=move || rows.get()
                    key=|row| row.uuid.to_string()
                    children=move |row| {
                        let shown = shown(&row);
                        card_tile(row, freshness.clone(), shown, picked)
                    }
                />
            </ul>
        </section>
    }
    .into_any()
}

/// "Live", "8 s ago" or "No report since 10:06".
fn beat(host: &HostRow, eyes: &Eyes) -> AnyView {
    let words = &t().now;
    let (fresh, class, pulse, eyes) =
        (host.freshness.clone(), host.freshness.clone(), host.pulse.clone(), eyes.clone());
    let class = move || match class.get() {
        Freshness::Live => "live",
        Freshness::Late => "live late",
        Freshness::Silent | Freshness::Never => "live off",
    };
    let text = move || {
        let last = pulse.read().last_report;
        match (fresh.get(), last) {
            (Freshness::Live, _) => words.live.to_owned(),
            (Freshness::Late, Some(at)) => {
                let when = eyes.when();
                (words.ago)(&when.length(when.now - at))
            }
            (Freshness::Silent, Some(at)) => (words.no_report_since)(&eyes.when().at(at)),
            _ => words.never_reported.to_owned(),
        }
    };
    view! { <span class=class>{text}</span> }.into_any()
}

/// "8 × H100 80GB, 1 × T1000".
fn models(host: &HostRow) -> impl Fn() -> String + Send + 'static {
    let cards = host.cards.clone();
    move || {
        let mut kinds: Vec<(String, usize)> = Vec::new();
        for card in cards.read().iter() {
            let facts = card.facts.read();
            match kinds.iter_mut().find(|(model, _)| model == facts.model()) {
                Some((_, count)) => *count += 1,
                None => kinds.push((facts.model().to_owned(), 1)),
            }
        }
        let kinds = kinds.iter().map(|(model, count)| (t().now.cards_of)(*count, model));
        kinds.collect::<Vec<_>>().join(", ")
    }
}

/// "CPU 31 % · RAM 62 of 128 GB · driver 570.124 · CUDA 12.8"; old values say from when they are.
fn facts(host: &HostRow, eyes: &Eyes) -> impl Fn() -> String + Send + 'static {
    let words = &t().now;
    let (pulse, versions, fresh, eyes) =
        (host.pulse.clone(), host.versions.clone(), host.freshness.clone(), eyes.clone());
    move || {
        let pulse = pulse.read();
        let mut facts = Vec::new();
        match (fresh.get(), pulse.last_report) {
            (Freshness::Silent, Some(at)) => facts.push((words.values_from)(&eyes.when().at(at))),
            _ => facts.extend(load(&pulse)),
        }
        let (driver, cuda) = versions.get();
        facts.extend(driver.as_deref().map(words.driver));
        facts.extend(cuda.as_deref().map(words.cuda));
        facts.join(" · ")
    }
}

fn load(pulse: &HostPulse) -> Vec<String> {
    let words = &t().now;
    let gigabytes = |mib: u64| (mib + 512) / 1024;
    let memory = pulse.memory_used_mib.get().zip(pulse.memory_total_mib.get());
    let cpu = pulse.cpu_percent.get().map(words.cpu);
    let ram = memory.map(|(used, total)| (words.ram)(gigabytes(used), gigabytes(total)));
    cpu.into_iter().chain(ram).collect()
}

/// What is wrong with the driver, and what to do about it.
fn trouble(host: &HostRow, eyes: &Eyes) -> AnyView {
    let (pulse, cards, eyes) = (host.pulse.clone(), host.cards.clone(), eyes.clone());
    let nvml = ArcMemo::new(move |_| (pulse.read().nvml.clone(), cards.read().is_empty()));
    let text = move || {
        let (nvml, empty) = nvml.get();
        // Untracked: the sentence names an instant, it does not count.
        let when = When::new(&eyes.zone, eyes.live.tick.get_untracked().unwrap_or(eyes.rendered));
        nvml.and_then(|state| words(&state, empty, &when))
            .map(|(lead, text)| view! { <Notice tone=Tone::Warn lead text /> })
    };
    text.into_any()
}

fn words(state: &NvmlState, empty: bool, when: &When<'_>) -> Option<(String, String)> {
    let words = &t().now;
    let (lead, text) = match state {
        NvmlState::Ok => return empty.then(|| (words.no_cards.to_owned(), String::new())),
        NvmlState::NoLibrary { .. } => (words.no_library, words.no_library_why),
        NvmlState::DriverNotLoaded => (words.driver_not_loaded, words.driver_not_loaded_why),
        NvmlState::VersionMismatch => (words.version_mismatch, words.version_mismatch_why),
        NvmlState::Stalled { since } => {
            // The host's clock may be ahead of the server's; a stall cannot begin later than now.
            let since = (*since).min(when.now + Duration::seconds(1));
            return Some(((words.stalled)(&when.at(since)), words.stalled_why.to_owned()));
        }
        NvmlState::Failed => (words.nvml_failed, words.nvml_failed_why),
    };
    Some((lead.to_owned(), text.to_owned()))
}
