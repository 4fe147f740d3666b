//! What there is to say under the table: what is wrong, what to do about it, and where to book.

use domain::card::{CardHealth, ProcessState};
use domain::guard::HostCard;
use domain::strain::{CAPPED_PERCENT, HOT_CELSIUS, is_worth_a_warning};
use domain::wire::agent_v1::{CardReport, HostNotice, NvmlState};
use domain::wire::guard_v1::{Held, HostStatus};
use time::OffsetDateTime;

use super::style::{Piece, Style};
use crate::clean::clean;
use crate::guard::explain;
use crate::guard::when::{LocalClock, how_long};

/// An Xid is worth a note for so long, in hours.
const XID_SHOWN_H: i64 = 24;

/// The notes in order of their weight.
pub(super) fn notes(status: &HostStatus, clock: &LocalClock) -> Vec<Piece> {
    let mut notes: Vec<Piece> = told(&status.notices).into_iter().map(|text| Piece::new(Style::Warn, text)).collect();
    if let Some(text) = status.nvml.as_ref().and_then(|state| reader(state, clock)) {
        notes.push(Piece::new(Style::Bad, text));
    }
    let names = HostCard::all(&status.cards);
    for (report, card) in status.cards.iter().zip(&names) {
        notes.extend(of_card(report, &card.name.label(), clock));
    }
    notes.extend(limits(status, &names));
    notes.extend(bookings(status, clock));
    notes
}

/// What the portal has told the caller, each on a line with the page that has the way out.
pub(in crate::cli) fn told(notices: &[HostNotice]) -> Vec<String> {
    notices.iter().map(|notice| format!("{} {}", clean(&notice.sentence), clean(&notice.page))).collect()
}

fn minutes_since(since: OffsetDateTime, now: OffsetDateTime) -> String {
    how_long(u64::try_from((now - since).whole_seconds()).unwrap_or(0))
}

/// What is wrong with NVML, and what to do.
fn reader(state: &NvmlState, clock: &LocalClock) -> Option<String> {
    Some(match state {
        NvmlState::Ok => return None,
        NvmlState::NoLibrary { detail } => format!(
            "NVIDIA's driver is not installed here, or its library libnvidia-ml.so.1 cannot be loaded ({}). Install the \
             driver.",
            clean(detail)
        ),
        NvmlState::DriverNotLoaded => "NVIDIA's library is installed, but the kernel module is not loaded. Try `sudo \
                                       modprobe nvidia`, and `dmesg | grep -i nvidia` for the reason."
            .to_owned(),
        NvmlState::VersionMismatch { kernel, library } => {
            let version = |version: &Option<String>| version.as_deref().map_or_else(|| "another one".to_owned(), clean);
            format!(
                "The driver was changed under the running system: the kernel module is {}, the library is {}. Restart the \
                 machine. Jobs that run already go on.",
                version(kernel),
                version(library)
            )
        }
        NvmlState::Blocked => {
            "The operating system keeps the cards from programs. Under WSL, bring Windows' NVIDIA driver \
                               up to date and run `wsl --shutdown`."
                .to_owned()
        }
        NvmlState::LostInContainer => "The container that this runs in has lost its cards, as after `systemctl \
                                       daemon-reload` on the host. Make the container anew."
            .to_owned(),
        NvmlState::Paused { until } => format!(
            "An administrator has paused the reading of the cards until {}. To end it now: sudo berth agent resume",
            clock.say(*until)
        ),
        NvmlState::Stalled { since } => format!(
            "The driver has not answered for {}: the values are from before. If it stays so, restart the machine.",
            minutes_since(*since, clock.now())
        ),
        NvmlState::Failed => {
            "The cards cannot be read: NVML answers with an error. `nvidia-smi` may say more.".to_owned()
        }
    })
}

fn of_card(report: &CardReport, label: &str, clock: &LocalClock) -> Vec<Piece> {
    let (detail, now) = (&report.detail, clock.now());
    let lasting = |since: Option<OffsetDateTime>| since.filter(|_| is_worth_a_warning(since, now));
    let mut notes = Vec::new();
    let reset = "Let go of it with `sudo berth agent pause`, then `sudo nvidia-smi --gpu-reset -i";
    let index = report.facts.index;
    let said = match report.health {
        CardHealth::Ok | CardHealth::Asleep => None,
        CardHealth::Lost => Some(
            "does not answer any more. Restart the machine; if it is lost again, look at its power, \
                                  its slot and its heat."
                .to_owned(),
        ),
        CardHealth::ResetNeeded => Some(format!("needs a reset. {reset} {index}`.")),
        CardHealth::RepairPending => Some(format!("has memory to be repaired at the next reset. {reset} {index}`.")),
        CardHealth::Defective => Some("cannot repair its memory any more. Have it replaced.".to_owned()),
        CardHealth::Failing => Some("answers with errors. `dmesg | grep -i xid` may say more.".to_owned()),
    };
    notes.extend(said.map(|said| Piece::new(Style::Bad, format!("Card {label} {said}"))));
    if let Some(since) = lasting(detail.hot_since) {
        notes.push(Piece::new(
            Style::Warn,
            format!(
                "Card {label} has been at {HOT_CELSIUS} °C or more for {}. Look at the airflow, the fans and the dust, or \
                 lower its clocks: sudo nvidia-smi -i {index} -lgc MIN,MAX",
                minutes_since(since, now)
            ),
        ));
    }
    if let Some(since) = lasting(detail.power_capped_since) {
        notes.push(Piece::new(
            Style::Warn,
            format!(
                "Card {label} has been held back by its power limit ({CAPPED_PERCENT} % of it or more) for {}. If it is too \
                 slow, raise the limit with `sudo nvidia-smi -i {index} -pl WATTS`, or lower its clocks.",
                minutes_since(since, now)
            ),
        ));
    }
    if let Some(xid) = detail.last_xid.filter(|xid| (now - xid.at).whole_hours() < XID_SHOWN_H) {
        notes.push(Piece::new(
            Style::Warn,
            format!("Card {label}: the driver reported error Xid {} at {}.", xid.code, clock.say(xid.at)),
        ));
    }
    notes
}

/// Where what is shown is less, or something else, than it seems to be.
fn limits(status: &HostStatus, names: &[HostCard]) -> Vec<Piece> {
    let named = |wanted: fn(&CardReport) -> bool| {
        let cards = status.cards.iter().zip(names).filter(|(report, _)| wanted(report) && report.facts.part.is_none());
        let cards: Vec<_> = cards.map(|(_, card)| &card.name).collect();
        (!cards.is_empty()).then(|| explain::cards_named(cards))
    };
    let unseen = named(|report| report.processes.iter().flatten().any(|process| process.state == ProcessState::Unseen))
        .map(|cards| format!(
            "Nobody can say whose the processes on {cards} are: this host's processes are hidden from the agent. `berth \
             doctor` says why and what to do."
        ));
    let unified = named(|report| report.detail.memory_is_unified)
        .map(|cards| format!("The memory of {cards} is the machine's own, shared with the CPU."));
    let reserved = named(|report| report.detail.memory_used_has_reserved)
        .map(|cards| format!("The driver is old: memory in use on {cards} includes what it keeps for itself."));
    let dim = unified.into_iter().chain(reserved).map(|text| Piece::new(Style::Dim, text));
    unseen.into_iter().map(|text| Piece::new(Style::Warn, text)).chain(dim).collect()
}

fn bookings(status: &HostStatus, clock: &LocalClock) -> Vec<Piece> {
    let mut notes = Vec::new();
    let Some(age_s) = status.table_age_s else { return notes };
    if status.person.is_none() {
        notes.push(Piece::new(
            Style::Warn,
            format!(
                "The account {} belongs to nobody in the portal. To link it: berth link CODE",
                clean(&status.os_user)
            ),
        ));
    }
    notes.extend(explain::age(age_s).map(|age| Piece::new(Style::Warn, age)));
    let later: Vec<&Held> = status.held.iter().filter(|held| held.own && held.window.start() > clock.now()).collect();
    if !later.is_empty() {
        notes.push(Piece::plain(format!("Yours later: {}.", explain::later_list(&later, clock))));
    }
    if let Some(zone) = clock.zone_name() {
        notes.push(Piece::new(Style::Dim, format!("Times are in {}.", clean(zone))));
    }
    if !status.portal_url.is_empty() {
        notes.push(Piece::new(Style::Dim, format!("Book at {}", clean(&status.portal_url))));
    }
    notes
}
