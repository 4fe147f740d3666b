//! What a card's tile says: made on the server for the first paint, and in the browser for every change after it.

use std::fmt::Write as _;

use domain::band::{Act, Band, Sight, State, gigabytes};
use domain::card::{CardHealth, CardSample, Mib, ProcessState};
use domain::host::Freshness;
use domain::id::UserId;
use domain::reading::Reading;
use domain::strain::{is_capped, is_hot};
use domain::text::{When, t};
use domain::wire::live_v1::{CardTruth, CardView, HostView, ProcessView};

/// One tile, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardWords {
    /// Classes of the tile.
    pub class: &'static str,
    /// The promise.
    pub band: Band,
    /// The truth.
    pub truth: Truth,
    /// Area and line of the sparkline.
    pub trace: (String, String),
}

/// What a card does, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Share, or "n/a".
    pub utilisation: String,
    /// Used and total.
    pub memory: String,
    /// Used of 100.
    pub memory_percent: u64,
    /// Account of the first process.
    pub who: String,
    /// Its command.
    pub command: String,
    /// Whatever else is to be said.
    pub more: String,
    /// Temperature; empty where unknown.
    pub heat: String,
    /// It is too warm.
    pub hot: bool,
    /// Power; empty where unknown.
    pub power: String,
    /// It is near the limit.
    pub near_limit: bool,
}

/// The words at `when.now`.
#[must_use]
pub fn card_words(card: &CardView, host: &HostView, viewer: UserId, when: &When<'_>) -> CardWords {
    let CardView { facts, truth, spark, bookings, closed } = card;
    let pulse = &host.pulse;
    let parts = host.parts(&facts.uuid).count();
    let band = Sight { pulse, facts, parts, truth, spark, bookings, closed, viewer }.band(when);
    let class = match (band.state, pulse.freshness(when.now)) {
        (State::Stale, _) => "card is-stale",
        (_, Freshness::Late) => "card is-late",
        _ => "card",
    };
    CardWords { class, band, truth: truth_words(truth, facts.memory_total_mib), trace: trace(spark) }
}

/// Name of the icon in place of the holder's initials.
#[must_use]
pub fn icon(state: State) -> &'static str {
    match state {
        State::Stale => "stale",
        State::Sick => "sick",
        State::Cut => "cut",
        State::Maint => "maint",
        State::Rogue => "rogue",
        State::Idle => "idle",
        State::Mine => "mine",
        State::Booked => "user",
        State::Free => "free",
    }
}

/// Address, label and word of the band's act.
#[must_use]
pub fn act(act: Act, card: &CardView, host: &str) -> Option<(String, String, &'static str)> {
    let words = &t().now;
    let number = card.facts.number();
    match act {
        Act::None => None,
        Act::Book => Some((format!("/book?card={}", card.facts.uuid), (words.book_card)(host, number), words.book)),
        Act::Open(id) => Some((format!("/bookings/{id}"), (words.open_card)(host, number), words.open)),
    }
}

/// Whether it may be ticked for a booking.
#[must_use]
pub fn pickable(state: State) -> bool {
    !matches!(state, State::Sick | State::Stale | State::Cut | State::Maint)
}

fn truth_words(truth: &CardTruth, total: Reading<Mib>) -> Truth {
    let words = &t().now;
    let sample = &truth.sample;
    let (used, total) = (sample.memory_used_mib.get(), total.get().filter(|&total| total > 0));
    let (who, command, more) = people(truth);
    let (power, near_limit) = power(sample);
    Truth {
        utilisation: sample.utilisation_percent.get().map_or_else(|| words.not_available.to_owned(), words.percent),
        memory: match (used, total) {
            (Some(used), Some(total)) => {
                let say = if truth.memory_is_unified { words.memory_unified } else { words.memory };
                say(&gigabytes(used), (total + 512) / 1024)
            }
            _ => words.not_reported.to_owned(),
        },
        memory_percent: used.zip(total).map_or(0, |(used, total)| (used * 100 / total).min(100)),
        who,
        command,
        more,
        heat: sample.temperature_celsius.get().map(words.celsius).unwrap_or_default(),
        hot: sample.temperature_celsius.get().is_some_and(is_hot),
        power,
        near_limit,
    }
}

fn power(sample: &CardSample) -> (String, bool) {
    let words = &t().now;
    let Some(drawn) = sample.power_milliwatts.get() else { return (String::new(), false) };
    let whole = |milliwatts: u32| (milliwatts + 500) / 1000;
    match sample.power_limit_milliwatts.get() {
        Some(limit) if is_capped(drawn, limit) => ((words.watts_of)(whole(drawn), whole(limit)), true),
        _ => ((words.watts)(whole(drawn)), false),
    }
}

/// Who is on the card: in bold, the command, and what else.
fn people(truth: &CardTruth) -> (String, String, String) {
    let words = &t().now;
    let plain = |text: String| (String::new(), String::new(), text);
    match truth.health {
        CardHealth::Lost => return plain(words.lost_why.to_owned()),
        CardHealth::ResetNeeded => return plain(words.reset_why.to_owned()),
        CardHealth::RepairPending => return plain(words.repair_pending_why.to_owned()),
        CardHealth::Defective => return plain(words.defective_why.to_owned()),
        CardHealth::Failing => return plain(words.failing_why.to_owned()),
        CardHealth::Asleep => return plain(words.asleep_why.to_owned()),
        CardHealth::Ok => {}
    }
    let Some(processes) = &truth.processes else { return plain(words.processes_unknown.to_owned()) };
    let Some(first) = processes.first() else {
        return plain(match truth.hidden_memory_mib() {
            Some(used) => (words.hidden_process)(&gigabytes(used)),
            None => words.nobody.to_owned(),
        });
    };
    let more = if processes.len() > 1 { (words.more)(processes.len() - 1) } else { String::new() };
    (owner(first), first.command.clone().unwrap_or_default(), more)
}

fn owner(process: &ProcessView) -> String {
    if process.state == ProcessState::Orphan {
        return (t().now.orphan_of)(process.pid);
    }
    let known = process.os_user.as_ref().or(process.person.as_ref());
    known.map_or_else(|| t().now.unknown_account.to_owned(), ToOwned::to_owned)
}

/// Area and line of a sparkline; a gap in the values is a gap in both.
fn trace(points: &[Option<u8>]) -> (String, String) {
    let (mut area, mut line) = (String::new(), String::new());
    let mut last = None;
    for (index, point) in points.iter().enumerate() {
        let x = index * 2;
        match (point, last) {
            (Some(share), before) => {
                let y = 100 - u32::from((*share).min(100));
                if before.is_none() {
                    let _ = write!(area, "M{x} 100");
                }
                let _ = write!(area, "L{x} {y}");
                let _ = write!(line, "{}{x} {y}", if before.is_none() { 'M' } else { 'L' });
                last = Some(x);
            }
            (None, Some(x)) => {
                let _ = write!(area, "L{x} 100z");
                last = None;
            }
            (None, None) => {}
        }
    }
    if let Some(x) = last {
        let _ = write!(area, "L{x} 100z");
    }
    (area, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_in_words() {
        assert_eq!(gigabytes(0), "0");
        assert_eq!(gigabytes(4), "0");
        assert_eq!(gigabytes(614), "0.6");
        assert_eq!(gigabytes(75_878), "74.1");
        assert_eq!(gigabytes(200_000), "195");
    }

    #[test]
    fn a_trace_breaks_where_nothing_was_reported() {
        let (area, line) = trace(&[Some(0), Some(50), None, Some(100)]);
        assert_eq!(line, "M0 100L2 50M6 0");
        assert_eq!(area, "M0 100L0 100L2 50L2 100zM6 100L6 0L6 100z");
        assert_eq!(trace(&[None, None]), (String::new(), String::new()));
    }

    fn truth(sample: &CardSample, processes: Option<Vec<ProcessView>>) -> CardTruth {
        CardTruth { sample: sample.clone(), health: CardHealth::Ok, processes, memory_is_unified: false }
    }

    #[test]
    fn memory_shared_with_the_cpu_is_labelled() {
        let sample = CardSample { memory_used_mib: Reading::Value(62_000), ..CardSample::default() };
        let truth = CardTruth { memory_is_unified: true, ..truth(&sample, Some(Vec::new())) };
        let said = truth_words(&truth, Reading::Value(124_610));
        assert_eq!((said.memory.as_str(), said.more.as_str()), ("60.5 / 122 GB, shared", "Nobody"));
    }

    #[test]
    fn what_is_not_known_is_said() {
        let truth = truth(&CardSample::default(), None);
        let said = truth_words(&truth, Reading::Value(81_559));
        assert_eq!((said.utilisation.as_str(), said.memory.as_str()), ("n/a", "not reported"));
        assert_eq!(said.more, "Processes not reported");
        assert_eq!((said.heat.as_str(), said.power.as_str()), ("", ""));
    }

    #[test]
    fn heat_and_power_near_their_limits_stand_out() {
        let mut sample = CardSample {
            temperature_celsius: Reading::Value(85),
            power_milliwatts: Reading::Value(694_000),
            power_limit_milliwatts: Reading::Value(700_000),
            memory_used_mib: Reading::Value(8_300),
            ..CardSample::default()
        };
        let truth = |sample: &CardSample| truth(sample, Some(Vec::new()));
        let said = truth_words(&truth(&sample), Reading::Value(81_559));
        assert_eq!((said.heat.as_str(), said.hot), ("85 °C", true));
        assert_eq!((said.power.as_str(), said.near_limit), ("694 of 700 W", true));
        assert_eq!(said.more, "8.1 GB in use, no visible process");
        sample.temperature_celsius = Reading::Value(84);
        sample.power_milliwatts = Reading::Value(600_499);
        let said = truth_words(&truth(&sample), Reading::Value(81_559));
        assert!(!said.hot && !said.near_limit);
        assert_eq!(said.power, "600 W");
    }
}
