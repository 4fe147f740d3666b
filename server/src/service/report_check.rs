//! What a report may hold. A host is not trusted with more than its own view: text is cleaned and cut, numbers that
//! cannot be are called unknown, and what does not fit at all is refused.

use std::collections::HashSet;

use domain::error::{ApiError, ErrorCode};
use domain::id::CardUuid;
use domain::reading::{Missing, Reading};
use domain::text::en;
use domain::user::is_deceptive;
use domain::wire::agent_v1::{CARD_PROCESSES_MAX, CardReport, NvmlState, REPORT_CARDS_MAX, Report};
use time::{Duration, OffsetDateTime, UtcOffset};

use super::{card_check, inventory_check};
use crate::clock::to_micros;

/// Longest version, boot id or account name, in characters.
pub(super) const SHORT_MAX: usize = 64;
/// Longest name of a card: NVML's buffer has 96 bytes.
pub(super) const NAME_MAX: usize = 96;
/// Longest detail.
const LONG_MAX: usize = 256;
/// Highest index and minor number that a Linux device can have.
pub(super) const NUMBER_MAX: u32 = 1 << 20;
/// A pebibyte: more than this is no size of a memory.
pub(super) const MEMORY_MAX_MIB: u64 = 1 << 30;
/// A host's clock may be this wrong and still be repeated; a wilder one is replaced by ours.
const CLOCK_MAX: Duration = Duration::days(3660);

/// The report with everything in bounds.
///
/// # Errors
/// `input.invalid` that says what does not fit.
pub fn checked(report: Report, now: OffsetDateTime) -> Result<Report, ApiError> {
    let words = &en().reports;
    let refuse = |message: String| ApiError::new(ErrorCode::BadInput, message);
    if report.cards.len() > REPORT_CARDS_MAX {
        return Err(refuse((words.too_many_cards)(REPORT_CARDS_MAX)));
    }
    if i64::try_from(report.seq).is_err() {
        return Err(refuse(words.bad_seq.to_owned()));
    }
    let mut seen = HashSet::new();
    for card in &report.cards {
        let uuid = card.facts.uuid.as_str();
        if !seen.insert(uuid) {
            return Err(refuse((words.card_twice)(uuid)));
        }
        let is_part = card.facts.part.as_ref().is_none_or(card_check::is_part);
        if !is_part || card.facts.index > NUMBER_MAX || card.facts.minor.is_some_and(|minor| minor > NUMBER_MAX) {
            return Err(refuse((words.bad_index)(uuid)));
        }
        if card.processes.as_ref().is_some_and(|processes| processes.len() > CARD_PROCESSES_MAX) {
            return Err(refuse((words.too_many_processes)(uuid, CARD_PROCESSES_MAX)));
        }
    }
    // An instance is a part of a card of its own host: with another's as its parent it would hold that one's calendar.
    let whole: HashSet<CardUuid> =
        report.cards.iter().filter(|card| card.facts.part.is_none()).map(|card| card.facts.uuid.clone()).collect();
    let at_home = |card: &CardReport| card.facts.part.as_ref().is_none_or(|part| whole.contains(&part.parent));
    let boot_id = clean(&report.boot_id, SHORT_MAX);
    if boot_id.is_empty() {
        return Err(refuse(words.no_boot_id.to_owned()));
    }
    let inventory = match short(report.inventory_id) {
        Some(id) => Some((
            id,
            report.inventory.map(|inventory| inventory_check::checked(*inventory, now)).transpose()?.map(Box::new),
        )),
        None => None,
    };
    Ok(Report {
        inventory_id: inventory.as_ref().map(|(id, _)| id.clone()),
        inventory: inventory.and_then(|(_, content)| content),
        agent_version: clean(&report.agent_version, SHORT_MAX),
        boot_id,
        seq: report.seq,
        sampled_at: instant(report.sampled_at, now),
        sent_at: report.sent_at.map(|at| instant(at, now)),
        nvml: nvml(report.nvml, now),
        driver_version: short(report.driver_version),
        cuda_version: short(report.cuda_version),
        cpu_percent: at_most(report.cpu_percent, 100),
        memory_total_mib: at_most(report.memory_total_mib, MEMORY_MAX_MIB),
        memory_used_mib: at_most(report.memory_used_mib, MEMORY_MAX_MIB),
        cards: report.cards.into_iter().filter(at_home).map(|one| card(one, now)).collect(),
    })
}

fn card(mut card: CardReport, now: OffsetDateTime) -> CardReport {
    card.facts.name = Some(clean(&card.facts.name, NAME_MAX))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| en().reports.unreadable_name.to_owned());
    card.facts.pci_bus_id = card.facts.pci_bus_id.filter(|address| is_pci_address(address));
    card.facts.memory_total_mib = at_most(card.facts.memory_total_mib, MEMORY_MAX_MIB);
    card_check::values(&mut card, now);
    card
}

fn nvml(state: NvmlState, now: OffsetDateTime) -> NvmlState {
    match state {
        NvmlState::NoLibrary { detail } => NvmlState::NoLibrary { detail: clean(&detail, LONG_MAX) },
        NvmlState::Stalled { since } => NvmlState::Stalled { since: instant(since, now) },
        NvmlState::VersionMismatch { kernel, library } => {
            NvmlState::VersionMismatch { kernel: short(kernel), library: short(library) }
        }
        NvmlState::Paused { until } => NvmlState::Paused { until: instant(until, now) },
        state @ (NvmlState::Ok
        | NvmlState::DriverNotLoaded
        | NvmlState::Blocked
        | NvmlState::LostInContainer
        | NvmlState::Failed) => state,
    }
}

pub(super) fn instant(at: OffsetDateTime, now: OffsetDateTime) -> OffsetDateTime {
    let wild = (at - now).abs() > CLOCK_MAX;
    to_micros(if wild { now } else { at.to_offset(UtcOffset::UTC) })
}

pub(super) fn short(text: Option<String>) -> Option<String> {
    text.map(|text| clean(&text, SHORT_MAX)).filter(|text| !text.is_empty())
}

/// Without control characters and such that change the order of text, and not too long.
pub(super) fn clean(text: &str, most: usize) -> String {
    let plain = |c: char| if is_deceptive(c) { '\u{fffd}' } else { c };
    text.trim().chars().take(most).map(plain).collect()
}

pub(super) fn at_most<T: PartialOrd>(reading: Reading<T>, most: T) -> Reading<T> {
    match reading {
        Reading::Value(value) if value > most => Reading::missing(Missing::Unknown),
        reading => reading,
    }
}

/// As sysfs writes it: `0000:1b:00.0`.
pub(super) fn is_pci_address(text: &str) -> bool {
    text.len() <= 16 && !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c == '.')
}

#[cfg(test)]
mod tests;
