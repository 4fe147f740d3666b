//! The rows of the table: what each card is and does, and whose it is.

use domain::card::{CardHealth, Mib};
use domain::guard::HostCard;
use domain::reading::{Missing, Reading};
use domain::strain::{HOT_CELSIUS, is_capped};
use domain::wire::agent_v1::{CardReport, NvmlState};
use domain::wire::guard_v1::{CardName, Held, HostStatus};

use super::people::{gib, on_card};
use super::sheet::{Column, Gives, Row};
use super::style::{Piece, Style};
use crate::clean::clean;
use crate::guard::when::LocalClock;

/// From here on a card is warm.
const WARM_CELSIUS: u32 = 75;
/// From here on a card is at work.
const BUSY_PERCENT: u32 = 3;
/// Head of what is said beside the columns.
pub(super) const REMARKS: &str = "on it";

const fn column(head: &'static str, right: bool, gives: Gives) -> Column {
    Column { head, right, gives }
}

/// The columns. On 80 places the fan gives way first; on 40 the number, the utilisation, the memory and the booking are left.
pub(super) const COLUMNS: [Column; 8] = [
    column("#", false, Gives::Nothing),
    column("card", false, Gives::Width(6, 12)),
    column("temp", true, Gives::Way(3)),
    column("fan", true, Gives::Way(7)),
    column("util", true, Gives::Nothing),
    column("mem GiB", true, Gives::Nothing),
    column("power W", true, Gives::Way(4)),
    column("booking", false, Gives::Width(1, 10)),
];

/// The card's column in [`COLUMNS`] goes before the narrowest terminals.
pub(super) fn columns(room: Option<usize>) -> Vec<Column> {
    let mut columns = COLUMNS.to_vec();
    if room.is_some_and(|room| room < 64) {
        columns[1].gives = Gives::Way(2);
    }
    columns
}

/// One row for each card, MIG instances beneath theirs; then cards that are booked or known, but not reported.
pub(super) fn rows(status: &HostStatus, clock: &LocalClock) -> Vec<Row> {
    let names = HostCard::all(&status.cards);
    let mut rows: Vec<Row> =
        status.cards.iter().zip(&names).map(|(report, card)| row(report, &card.name, &names, status, clock)).collect();
    let others = status.free.iter().map(|free| &free.card).chain(status.held.iter().map(|held| &held.card));
    let mut unreported: Vec<&CardName> =
        others.filter(|card| !names.iter().any(|n| n.name.uuid == card.uuid)).collect();
    unreported.sort_by_key(|card| (card.index.is_none(), card.index, card.instance));
    unreported.dedup_by(|a, b| a.uuid == b.uuid);
    rows.extend(unreported.into_iter().map(|card| nameless(card, status, clock)));
    rows
}

/// A card of which there is no sample.
fn nameless(card: &CardName, status: &HostStatus, clock: &LocalClock) -> Row {
    let mut cells = vec![Piece::default(); COLUMNS.len()];
    cells[0] = Piece::new(Style::Bold, card.label());
    cells[1] = Piece::plain(clean(&card.model));
    cells[7] = booking(card, None, status, clock);
    let missing = status.nvml == Some(NvmlState::Ok);
    let remarks = if missing { vec![Piece::new(Style::Bad, "not reported by the host")] } else { Vec::new() };
    Row { cells, remarks }
}

fn row(report: &CardReport, name: &CardName, names: &[HostCard], status: &HostStatus, clock: &LocalClock) -> Row {
    let (facts, sample) = (&report.facts, &report.sample);
    let model = clean(&name.model);
    let part = facts.part.is_some();
    let old = matches!(status.nvml, Some(NvmlState::Stalled { .. }));
    let mut cells = vec![
        Piece::new(Style::Bold, name.label()),
        Piece::plain(if part { format!("  {model}") } else { model }),
        temperature(report),
        fan(report),
        utilisation(&sample.utilisation_percent, part),
        memory(&sample.memory_used_mib, &facts.memory_total_mib),
        power(report),
        booking(name, Some((report, names)), status, clock),
    ];
    if old {
        cells[2..7].iter_mut().for_each(|cell| cell.style = Style::Dim);
    }
    let mut remarks: Vec<Piece> = health(report).into_iter().chain(on_card(report, status)).collect();
    if remarks.is_empty() && report.processes.is_none() && !part && !facts.mig_on {
        remarks.push(Piece::new(Style::Dim, "processes unknown"));
    }
    Row { cells, remarks }
}

/// What is wrong with it, in a word; nothing where it is well.
fn health(report: &CardReport) -> Option<Piece> {
    let bad = |text| Some(Piece::new(Style::Bad, text));
    match report.health {
        CardHealth::Ok => None,
        CardHealth::Lost => bad("lost"),
        CardHealth::ResetNeeded => bad("needs a reset"),
        CardHealth::RepairPending => Some(Piece::new(Style::Warn, "memory repair waits for a reset")),
        CardHealth::Defective => bad("defective"),
        CardHealth::Asleep => Some(Piece::new(Style::Dim, "asleep")),
        CardHealth::Failing => bad("answers with errors"),
    }
}

/// Why there is no value; blank for instances, which have none of their own.
fn gap<T>(reading: &Reading<T>, part: bool) -> Piece {
    match reading {
        Reading::Missing { .. } if part => Piece::default(),
        Reading::Missing { na: Missing::NotSupported | Missing::NoSymbol } => Piece::new(Style::Dim, "n/a"),
        Reading::Missing { na: Missing::NoPermission } => Piece::new(Style::Dim, "denied"),
        _ => Piece::new(Style::Dim, "?"),
    }
}

fn temperature(report: &CardReport) -> Piece {
    let reading = &report.sample.temperature_celsius;
    let Some(celsius) = reading.get() else { return gap(reading, report.facts.part.is_some()) };
    let style = match celsius {
        HOT_CELSIUS.. => Style::Bad,
        WARM_CELSIUS.. => Style::Warn,
        _ => Style::Plain,
    };
    Piece::new(style, format!("{celsius}°C"))
}

/// Most cards in servers have no fan, and the column is left out where no card has one.
fn fan(report: &CardReport) -> Piece {
    report.sample.fan_percent.get().map(|percent| Piece::plain(format!("{percent}%"))).unwrap_or_default()
}

fn utilisation(reading: &Reading<u32>, part: bool) -> Piece {
    let Some(percent) = reading.get() else { return gap(reading, part) };
    let style = if percent >= BUSY_PERCENT { Style::Bold } else { Style::Dim };
    Piece::new(style, format!("{percent}%"))
}

fn memory(used: &Reading<Mib>, total: &Reading<Mib>) -> Piece {
    match (used.get(), total.get()) {
        (Some(used), Some(total)) => Piece::plain(format!("{}/{}", gib(used), gib(total))),
        (Some(used), None) => Piece::plain(format!("{}/?", gib(used))),
        (None, Some(total)) => Piece::plain(format!("?/{}", gib(total))),
        (None, None) => gap(used, false),
    }
}

fn power(report: &CardReport) -> Piece {
    let (drawn, limit) = (&report.sample.power_milliwatts, &report.sample.power_limit_milliwatts);
    let watts = |milliwatts: u32| milliwatts.saturating_add(500) / 1000;
    match (drawn.get(), limit.get()) {
        (Some(drawn), Some(limit)) => {
            let style = if is_capped(drawn, limit) { Style::Warn } else { Style::Plain };
            Piece::new(style, format!("{}/{}", watts(drawn), watts(limit)))
        }
        (Some(drawn), None) => Piece::plain(watts(drawn).to_string()),
        (None, _) => gap(drawn, report.facts.part.is_some()),
    }
}

/// Whose it is now, and until when.
fn booking(
    card: &CardName,
    sample: Option<(&CardReport, &[HostCard])>,
    status: &HostStatus,
    clock: &LocalClock,
) -> Piece {
    if let Some((report, names)) = sample.filter(|(report, _)| report.facts.mig_on) {
        let parts = names.iter().filter(|part| part.parent.as_ref() == Some(&report.facts.uuid)).count();
        return Piece::new(
            Style::Dim,
            match parts {
                0 => "no MIG instance".to_owned(),
                1 => "1 MIG instance".to_owned(),
                parts => format!("{parts} MIG instances"),
            },
        );
    }
    // Said once, under the table.
    if status.table_age_s.is_none() {
        return Piece::default();
    }
    if let Some(free) = status.free.iter().find(|free| free.card.uuid == card.uuid) {
        let until = free.until.map(|until| format!(" until {}", clock.say(until))).unwrap_or_default();
        return Piece::new(Style::Free, format!("free{until}"));
    }
    match current(card, status, clock) {
        Some(held) if held.own => Piece::new(Style::Own, format!("yours until {}", clock.say(held.window.end()))),
        Some(held) => Piece::plain(format!("{} until {}", clean(&held.holder), clock.say(held.window.end()))),
        None if sample.is_none() => Piece::default(),
        None => Piece::new(Style::Dim, "not bookable"),
    }
}

/// The booking that a card has now.
fn current<'a>(card: &CardName, status: &'a HostStatus, clock: &LocalClock) -> Option<&'a Held> {
    let mut own = status.held.iter().filter(|held| held.card.uuid == card.uuid);
    own.find(|held| held.window.start() <= clock.now())
}
