//! Who is on a card: people where the portal knows whose an account is, accounts elsewhere, and memory that belongs to
//! nobody who can be seen.

use domain::band::hidden_memory_mib;
use domain::card::{CardProcess, Mib, ProcessKind, ProcessState};
use domain::wire::agent_v1::CardReport;
use domain::wire::guard_v1::HostStatus;

use super::style::{Piece, Style};
use crate::clean::clean;

/// Whose a process is, as far as it can be said.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Who {
    /// The caller's account.
    Caller,
    /// Somebody whom the portal knows by the account.
    Person(String),
    /// An account that belongs to nobody in the portal.
    Account(String),
    /// It has ended and left its memory.
    Orphan,
    /// The agent cannot see it, or the memory belongs to no process that is listed.
    Unknown,
}

/// Somebody's part of a card.
struct Share {
    who: Who,
    /// `None` where it is not known of each process.
    memory_mib: Option<Mib>,
    /// All of it is a display's.
    display: bool,
}

/// Who is on the card, the most memory first. Empty where nobody is, or nobody can be seen.
pub(super) fn on_card(report: &CardReport, status: &HostStatus) -> Vec<Piece> {
    let mut shares: Vec<Share> = Vec::new();
    // Who is on a card that is cut up is on one of its instances.
    if report.facts.mig_on {
        return Vec::new();
    }
    for process in report.processes.iter().flatten() {
        let (who, memory_mib) = (who(process, status), process.memory_mib.get());
        let display = process.kind == ProcessKind::Graphics;
        match shares.iter_mut().find(|share| share.who == who) {
            Some(share) => {
                share.memory_mib = share.memory_mib.zip(memory_mib).map(|(one, other)| one.saturating_add(other));
                share.display &= display;
            }
            None => shares.push(Share { who, memory_mib, display }),
        }
    }
    if let Some(hidden) = hidden_mib(report) {
        match shares.iter_mut().find(|share| share.who == Who::Unknown) {
            Some(share) => share.memory_mib = share.memory_mib.map(|known| known.saturating_add(hidden)),
            None => shares.push(Share { who: Who::Unknown, memory_mib: Some(hidden), display: false }),
        }
    }
    shares.sort_by_key(|share| std::cmp::Reverse(share.memory_mib));
    let holder = status.held.iter().find(|held| held.card.uuid == report.facts.uuid && !is_free(report, status));
    shares.iter().map(|share| said(share, holder.map(|held| (held.own, held.holder.as_str())), status)).collect()
}

fn is_free(report: &CardReport, status: &HostStatus) -> bool {
    status.free.iter().any(|free| free.card.uuid == report.facts.uuid)
}

fn who(process: &CardProcess, status: &HostStatus) -> Who {
    match (process.state, &process.os_user) {
        (ProcessState::Orphan, _) => Who::Orphan,
        (ProcessState::Unseen, _) | (ProcessState::Running, None) => Who::Unknown,
        (ProcessState::Running, Some(os_user)) if *os_user == status.os_user => Who::Caller,
        (ProcessState::Running, Some(os_user)) => {
            let owners = status.accounts.iter().filter(|account| account.os_user == *os_user);
            let names: Vec<&str> = owners.map(|account| account.name.as_str()).collect();
            if names.is_empty() { Who::Account(os_user.clone()) } else { Who::Person(names.join(" or ")) }
        }
    }
}

/// Memory in use that belongs to none of the processes that are listed, where that can be known and is worth a word.
fn hidden_mib(report: &CardReport) -> Option<Mib> {
    if report.detail.memory_is_unified {
        return None;
    }
    let held = report.processes.iter().flatten().map(|process| process.memory_mib.get());
    hidden_memory_mib(report.sample.memory_used_mib.get(), held)
}

fn said(share: &Share, holder: Option<(bool, &str)>, status: &HostStatus) -> Piece {
    let memory = share.memory_mib.map(|mib| format!(" {} GiB", gib(mib))).unwrap_or_default();
    let known = status.table_age_s.is_some();
    let (name, style, booked) = match &share.who {
        Who::Caller => ("you".to_owned(), Style::Own, holder.is_some_and(|(own, _)| own) || status.person.is_none()),
        Who::Person(name) => (clean(name), Style::Plain, holder.is_some_and(|(_, holder)| name.contains(holder))),
        Who::Account(os_user) => (clean(os_user), Style::Plain, true),
        Who::Orphan => ("an ended process still holds".to_owned(), Style::Warn, true),
        Who::Unknown => ("owner unknown".to_owned(), Style::Warn, true),
    };
    let display = if share.display { " display" } else { "" };
    let rogue = known && !booked && !share.display;
    let (rest, style) = if rogue { (" without a booking", Style::Warn) } else { ("", style) };
    Piece::new(style, format!("{name}{display}{memory}{rest}"))
}

/// Mebibytes in gibibytes with one decimal, rounded.
pub(super) fn gib(mib: Mib) -> String {
    let tenths = (u128::from(mib) * 10 + 512) / 1024;
    format!("{}.{}", tenths / 10, tenths % 10)
}
