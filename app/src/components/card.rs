//! One card: the promise above (what is booked), the truth below (what it does). Same height in every state.

use std::fmt::Write as _;

use domain::band::{Act, State};
use domain::card::{CardHealth, CardSample, Mib};
use domain::host::Freshness;
use domain::reading::Reading;
use domain::text::t;
use domain::wire::live_v1::{CardTruth, ProcessView};
use leptos::prelude::*;

use crate::components::icon::Icon;
use crate::components::person::Avatar;
use crate::live::board::CardRow;
use crate::live::use_live;

/// From here on a card is hot.
const HOT_CELSIUS: u32 = 85;
/// Share of the power limit from which it is worth a word.
const POWER_NEAR_LIMIT_PERCENT: u64 = 97;
/// A driver keeps some memory for itself; above this somebody uses the card, seen or not.
const USED_WITHOUT_PROCESS_MIB: Mib = 1536;

/// What a card does, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Truth {
    utilisation: String,
    memory: String,
    memory_percent: u64,
    who: String,
    command: String,
    more: String,
    heat: String,
    hot: bool,
    power: String,
    near_limit: bool,
}

/// The tile. `picked` is called when its tick changes.
pub fn card_tile(
    row: CardRow,
    freshness: ArcMemo<Freshness>,
    shown: Signal<bool>,
    picked: Callback<(String, bool)>,
) -> AnyView {
    let words = &t().now;
    let (state, late) = (row.state.clone(), freshness);
    let facts = row.facts.clone();
    let index = facts.read_untracked().index;
    let class = move || match (state.get(), late.get()) {
        (State::Stale, _) => "card is-stale",
        (_, Freshness::Late) => "card is-late",
        _ => "card",
    };
    let uuid = row.uuid.to_string();
    let value = uuid.clone();
    let state = row.state.clone();
    let pickable = {
        let state = row.state.clone();
        move || !matches!(state.get(), State::Sick | State::Stale)
    };
    view! {
            <li class=class data-state=move || state.get().as_str() hidden=move || !shown.get()>
                {band(&row)}
                <div class="truth">
                    <div class="what">
    <h3>
                        <b>{move || facts.read().index}</b>
                        <span>
                            {
                                let facts = row.facts.clone();
                                move || facts.read().model().to_owned()
                            }
                        </span>
                    </h3>
                        <label class="tick">
                            <input
                                type="checkbox"
                                name="card"
                                value=value
                                autocomplete="off"
                                aria-label=(words.pick)(&row.host, index)
                                disabled=move || !pickable()
                                on:change=move |event| picked.run((uuid.clone(), event_target_checked(&event)))
                            />
                        </label>
    </div>
                    {truth(&row)}
                </div>
            </li>
        }
    .into_any()
}

/// Text of one part of a memo; the text node alone changes.
fn part<T: Send + Sync + 'static>(memo: &ArcMemo<T>, pick: fn(&T) -> &str) -> impl Fn() -> String + Send + 'static {
    let memo = memo.clone();
    move || pick(&memo.read()).to_owned()
}

fn band(row: &CardRow) -> AnyView {
    let words = &t().now;
    let band = row.band.clone();
    // Structure follows these few alone, so that a link keeps its focus while the words beside it count down.
    let mark = {
        let band = band.clone();
        ArcMemo::new(move |_| {
            let band = band.read();
            (band.state, band.holder.clone())
        })
    };
    let act = {
        let band = band.clone();
        ArcMemo::new(move |_| band.read().act)
    };
    let (host, index, uuid) = (row.host.clone(), row.facts.read_untracked().index, row.uuid.clone());
    let live = use_live();
    let act = move || {
        let (href, label, word) = match act.get() {
            Act::None => return None,
            Act::Book => (format!("/book?card={uuid}"), (words.book_card)(&host, index), words.book),
            Act::Open(id) => (format!("/bookings/{id}"), (words.open_card)(&host, index), words.open),
        };
        Some(view! {
            <a
                class="btn small"
                href=href
                aria-label=label
                aria-disabled=move || live.obstacle().map(|_| "true")
                title=move || live.obstacle()
                on:click=move |event| {
                    if live.obstacle().is_some() {
                        event.prevent_default();
                    }
                }
            >
                {word}
            </a>
        })
    };
    let mark = move || match mark.get() {
        (_, Some((name, hue))) => view! { <Avatar name hue=Some(hue) /> }.into_any(),
        (state, None) => view! { <Icon name=icon(state) /> }.into_any(),
    };
    let idle = band.clone();
    view! {
        <header>
            {mark}
            <p>
                <b>{part(&band, |band| &band.lead)}</b>
                " "
                {part(&band, |band| &band.rest)}
            </p>
            <span class=move || if idle.read().side_idle { "next idle" } else { "next" }>
                {part(&band, |band| &band.side)}
            </span>
            {act}
        </header>
    }
    .into_any()
}

fn icon(state: State) -> &'static str {
    match state {
        State::Stale => "stale",
        State::Sick => "sick",
        State::Rogue => "rogue",
        State::Idle => "idle",
        State::Mine => "mine",
        State::Booked => "user",
        State::Free => "free",
    }
}

fn truth(row: &CardRow) -> AnyView {
    let words = &t().now;
    let said = {
        let (truth, facts) = (row.truth.clone(), row.facts.clone());
        ArcMemo::new(move |_| say(&truth.read(), facts.read().memory_total_mib))
    };
    let path = {
        let spark = row.spark.clone();
        ArcMemo::new(move |_| trace(&spark.read()))
    };
    let percent = {
        let said = said.clone();
        ArcMemo::new(move |_| said.read().memory_percent)
    };
    let (width, value) = (percent.clone(), percent);
    let flag = |pick: fn(&Truth) -> bool, on: &'static str| {
        let said = said.clone();
        move || if pick(&said.read()) { on } else { "val" }
    };
    view! {
        <div class="util">
            <svg class="spark" viewBox="0 0 118 100" preserveAspectRatio="none" aria-hidden="true">
                <path class="a" d=part(&path, |(area, _)| area)></path>
                <path class="l" d=part(&path, |(_, line)| line)></path>
            </svg>
            <output aria-label=words.utilisation aria-live="off">
                {part(&said, |said| &said.utilisation)}
            </output>
        </div>
        <div class="mem">
            <div
                class="meter"
                style=move || format!("--w:{}%", width.get())
                role="meter"
                aria-label=words.memory_used
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow=move || value.get()
            ></div>
            <span>{part(&said, |said| &said.memory)}</span>
        </div>
        <p class="foot">
            <span class="who">
                <b>{part(&said, |said| &said.who)}</b>
                " "
                <code>{part(&said, |said| &said.command)}</code>
                " "
                {part(&said, |said| &said.more)}
            </span>
            <span class="heat">
                <span class=flag(|said| said.hot, "val hotval")>
                    <Icon name="hot" />
                    {part(&said, |said| &said.heat)}
                </span>
                <span class=flag(|said| said.near_limit, "val warnval")>
                    <Icon name="bolt" />
                    {part(&said, |said| &said.power)}
                </span>
            </span>
        </p>
    }
    .into_any()
}

fn say(truth: &CardTruth, total: Reading<Mib>) -> Truth {
    let words = &t().now;
    let sample = &truth.sample;
    let (used, total) = (sample.memory_used_mib.get(), total.get().filter(|&total| total > 0));
    let (who, command, more) = people(truth, used);
    let (power, near_limit) = power(sample);
    Truth {
        utilisation: sample.utilisation_percent.get().map_or_else(|| words.not_available.to_owned(), words.percent),
        memory: match (used, total) {
            (Some(used), Some(total)) => (words.memory)(&gigabytes(used), (total + 512) / 1024),
            _ => words.not_reported.to_owned(),
        },
        memory_percent: used.zip(total).map_or(0, |(used, total)| (used * 100 / total).min(100)),
        who,
        command,
        more,
        heat: sample.temperature_celsius.get().map(words.celsius).unwrap_or_default(),
        hot: sample.temperature_celsius.get().is_some_and(|degrees| degrees >= HOT_CELSIUS),
        power,
        near_limit,
    }
}

fn power(sample: &CardSample) -> (String, bool) {
    let words = &t().now;
    let Some(drawn) = sample.power_milliwatts.get() else { return (String::new(), false) };
    let whole = |milliwatts: u32| (milliwatts + 500) / 1000;
    match sample.power_limit_milliwatts.get() {
        Some(limit) if u64::from(drawn) * 100 >= u64::from(limit) * POWER_NEAR_LIMIT_PERCENT && limit > 0 => {
            ((words.watts_of)(whole(drawn), whole(limit)), true)
        }
        _ => ((words.watts)(whole(drawn)), false),
    }
}

/// Who is on the card: in bold, the command, and what else.
fn people(truth: &CardTruth, used: Option<Mib>) -> (String, String, String) {
    let words = &t().now;
    let plain = |text: String| (String::new(), String::new(), text);
    match truth.health {
        CardHealth::Lost => return plain(words.lost_why.to_owned()),
        CardHealth::ResetNeeded => return plain(words.reset_why.to_owned()),
        CardHealth::Failing => return plain(words.failing_why.to_owned()),
        CardHealth::Ok => {}
    }
    let Some(processes) = &truth.processes else { return plain(words.processes_unknown.to_owned()) };
    let Some(first) = processes.first() else {
        return plain(match used.filter(|&used| used > USED_WITHOUT_PROCESS_MIB) {
            Some(used) => (words.hidden_process)(&gigabytes(used)),
            None => words.nobody.to_owned(),
        });
    };
    let more = if processes.len() > 1 { (words.more)(processes.len() - 1) } else { String::new() };
    (owner(first), first.command.clone().unwrap_or_default(), more)
}

fn owner(process: &ProcessView) -> String {
    let known = process.os_user.as_ref().or(process.person.as_ref());
    known.map_or_else(|| t().now.unknown_account.to_owned(), ToOwned::to_owned)
}

/// Tenths below 100 GB.
fn gigabytes(mib: Mib) -> String {
    let tenths = (mib * 10 + 512) / 1024;
    if tenths == 0 || tenths >= 1000 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
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

    #[test]
    fn what_is_not_known_is_said() {
        let truth = CardTruth { sample: CardSample::default(), health: CardHealth::Ok, processes: None };
        let said = say(&truth, Reading::Value(81_559));
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
        let truth = |sample: &CardSample| CardTruth {
            sample: sample.clone(),
            health: CardHealth::Ok,
            processes: Some(Vec::new()),
        };
        let said = say(&truth(&sample), Reading::Value(81_559));
        assert_eq!((said.heat.as_str(), said.hot), ("85 °C", true));
        assert_eq!((said.power.as_str(), said.near_limit), ("694 of 700 W", true));
        assert_eq!(said.more, "8.1 GB in use, no visible process");
        sample.temperature_celsius = Reading::Value(84);
        sample.power_milliwatts = Reading::Value(600_499);
        let said = say(&truth(&sample), Reading::Value(81_559));
        assert!(!said.hot && !said.near_limit);
        assert_eq!(said.power, "600 W");
    }
}
