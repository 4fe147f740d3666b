//! What a host's heading says, and what is wrong with its driver.

use domain::host::Freshness;
use domain::text::{When, t};
use domain::wire::agent_v1::NvmlState;
use domain::wire::live_v1::{HostPulse, HostView};
use time::Duration;

/// A host's heading, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostWords {
    /// Classes of the freshness.
    pub beat_class: &'static str,
    /// "Live", "8 s ago" or "No report since 10:06".
    pub beat: String,
    /// "8 × H100 80GB, T1000".
    pub models: String,
    /// "CPU 31 % · RAM 62 of 128 GB · driver 570.124 · CUDA 12.8"; old values say from when they are.
    pub facts: String,
    /// What is wrong with the driver, and what to do; both empty where nothing is.
    pub trouble: (String, String),
}

/// The words at `when.now`.
#[must_use]
pub fn host_words(host: &HostView, when: &When<'_>) -> HostWords {
    let (beat_class, beat) = beat(&host.pulse, when);
    let trouble = host.pulse.nvml.as_ref().and_then(|state| trouble(state, host.cards.is_empty(), when));
    HostWords { beat_class, beat, models: models(host), facts: facts(host, when), trouble: trouble.unwrap_or_default() }
}

fn beat(pulse: &HostPulse, when: &When<'_>) -> (&'static str, String) {
    let words = &t().now;
    match (pulse.freshness(when.now), pulse.last_report) {
        (Freshness::Live, _) => ("live", words.live.to_owned()),
        (Freshness::Late, Some(at)) => ("live late", (words.ago)(&when.length(when.now - at))),
        (Freshness::Silent, Some(at)) => ("live off", (words.no_report_since)(&when.at(at))),
        _ => ("live off", words.never_reported.to_owned()),
    }
}

fn models(host: &HostView) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for card in host.cards.iter().filter(|card| card.facts.part.is_none()) {
        let model = card.facts.model();
        match kinds.iter_mut().find(|(known, _)| *known == model) {
            Some((_, count)) => *count += 1,
            None => kinds.push((model, 1)),
        }
    }
    let kinds = kinds.iter().map(|(model, count)| (t().now.cards_of)(*count, model));
    kinds.collect::<Vec<_>>().join(", ")
}

fn facts(host: &HostView, when: &When<'_>) -> String {
    let words = &t().now;
    let pulse = &host.pulse;
    let mut facts = Vec::new();
    match (pulse.freshness(when.now), pulse.last_report) {
        (Freshness::Silent, Some(at)) => facts.push((words.values_from)(&when.at(at))),
        _ => {
            let gigabytes = |mib: u64| (mib + 512) / 1024;
            facts.extend(pulse.cpu_percent.get().map(words.cpu));
            let memory = pulse.memory_used_mib.get().zip(pulse.memory_total_mib.get());
            facts.extend(memory.map(|(used, total)| (words.ram)(gigabytes(used), gigabytes(total))));
        }
    }
    facts.extend(host.driver_version.as_deref().map(words.driver));
    facts.extend(host.cuda_version.as_deref().map(words.cuda));
    facts.extend(pulse.clock_off().map(|off| (words.clock_off)(&when.length(off.abs()), off.is_positive())));
    facts.join(" · ")
}

fn trouble(state: &NvmlState, empty: bool, when: &When<'_>) -> Option<(String, String)> {
    let words = &t().now;
    let (lead, text) = match state {
        NvmlState::Ok => return empty.then(|| (words.no_cards.to_owned(), String::new())),
        NvmlState::NoLibrary { .. } => (words.no_library, words.no_library_why),
        NvmlState::DriverNotLoaded => (words.driver_not_loaded, words.driver_not_loaded_why),
        NvmlState::VersionMismatch { kernel: Some(kernel), library: Some(library) } => {
            let why = format!("{} {}", (words.versions)(kernel, library), words.version_mismatch_why);
            return Some((words.version_mismatch.to_owned(), why));
        }
        NvmlState::VersionMismatch { .. } => (words.version_mismatch, words.version_mismatch_why),
        NvmlState::Stalled { since } => {
            // The host's clock may be ahead of the server's; a stall cannot begin later than now.
            let since = (*since).min(when.now + Duration::seconds(1));
            return Some(((words.stalled)(&when.at(since)), words.stalled_why.to_owned()));
        }
        NvmlState::Blocked => (words.nvml_blocked, words.nvml_blocked_why),
        NvmlState::LostInContainer => (words.lost_in_container, words.lost_in_container_why),
        NvmlState::Paused { until } => {
            return Some((words.paused.to_owned(), (words.paused_why)(&when.at(*until))));
        }
        NvmlState::Failed => (words.nvml_failed, words.nvml_failed_why),
    };
    Some((lead.to_owned(), text.to_owned()))
}
