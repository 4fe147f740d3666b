//! The sentence: selects between words.

use domain::finder::line::{COUNTS, From, Kind, LENGTHS, Line, Place, Together};
use domain::finder::{Choices, Line as Asked};
use domain::text::{When, t};
use leptos::prelude::*;

/// Value and words of a choice.
type Choice = (String, String);

/// Groups of choices; one without a heading stands alone.
type Groups = Vec<(&'static str, Vec<Choice>)>;

/// "Find 2 cards, any model, linked by NVLink, anywhere, for 4 hours, from now".
pub fn sentence(line: &Asked, choices: &Choices, when: &When<'_>) -> AnyView {
    let words = &t().finder;
    let [count, kind, together, place, length, from] = Line::NAMES;
    view! {
        <p class="ask">
            {words.find} " " {select(count, words.count_label, counts(line, choices), &line.count.to_string())} " "
            {select(kind, words.kind_label, kinds(line, choices), &line.kind.word())} " "
            {select(together, words.link_label, links(), line.together.word())} " "
            {select(place, words.place_label, places(line, choices), &line.place.word())} " " {words.for_} " "
            {select(length, words.length_label, lengths(line), &line.minutes.to_string())} " " {words.from} " "
            {select(from, words.from_label, starts(when), line.from.word())}
        </p>
    }
    .into_any()
}

fn select(name: &'static str, label: &'static str, groups: Groups, chosen: &str) -> AnyView {
    let option = |(value, words): Choice| {
        let selected = value == chosen;
        view! {
            <option value=value selected=selected>
                {words}
            </option>
        }
    };
    let group = |(heading, choices): (&'static str, Vec<Choice>)| {
        let options = choices.into_iter().map(option).collect_view();
        if heading.is_empty() {
            options.into_any()
        } else {
            view! { <optgroup label=heading>{options}</optgroup> }.into_any()
        }
    };
    let filled = groups.into_iter().filter(|(_, choices)| !choices.is_empty());
    view! {
        <label>
            <span class="sr">{label}</span>
            <select name=name autocomplete="off">
                {filled.map(group).collect_view()}
            </select>
        </label>
    }
    .into_any()
}

/// What an address says is offered too, so that the sentence says what was asked.
fn with(mut choices: Vec<Choice>, asked: Choice) -> Vec<Choice> {
    if !choices.iter().any(|(value, _)| *value == asked.0) {
        choices.push(asked);
    }
    choices
}

fn counts(line: &Line, choices: &Choices) -> Groups {
    let words = &t().finder;
    let choice = |count: u32| (count.to_string(), (words.cards)(count));
    let some = COUNTS.into_iter().filter(|count| *count == 1 || *count <= choices.cards).map(choice);
    vec![("", with(some.collect(), choice(line.count)))]
}

fn kinds(line: &Line, choices: &Choices) -> Groups {
    let words = &t().finder;
    let said = |kind: &Kind| match kind {
        Kind::Any => words.any_model.to_owned(),
        Kind::Memory(gigabytes) => (words.memory)(*gigabytes),
        Kind::Architecture(name) => (words.architecture)(name),
        Kind::Model(name) => name.clone(),
    };
    let choice = |kind: Kind| (kind.word(), said(&kind));
    let is = |wanted: fn(&Kind) -> bool, all: Vec<Choice>| {
        if wanted(&line.kind) { with(all, choice(line.kind.clone())) } else { all }
    };
    let memory = choices.memory.iter().map(|(gigabytes, _)| choice(Kind::Memory(*gigabytes))).collect();
    let models = choices.models.iter().map(|(name, _)| choice(Kind::Model(name.clone()))).collect();
    let makes = choices.architectures.iter().map(|(name, _)| choice(Kind::Architecture(name.clone()))).collect();
    vec![
        ("", vec![choice(Kind::Any)]),
        (words.by_memory, is(|kind| matches!(kind, Kind::Memory(_)), memory)),
        (words.by_model, is(|kind| matches!(kind, Kind::Model(_)), models)),
        (words.by_architecture, is(|kind| matches!(kind, Kind::Architecture(_)), makes)),
    ]
}

fn links() -> Groups {
    let words = &t().finder;
    let said = |together| match together {
        Together::Host => words.one_host,
        Together::Node => words.node,
        Together::Switch => words.switch,
        Together::NvLink => words.nvlink,
        Together::Anywhere => words.any_hosts,
    };
    vec![("", Together::ALL.into_iter().map(|one| (one.word().to_owned(), said(one).to_owned())).collect())]
}

fn places(line: &Line, choices: &Choices) -> Groups {
    let words = &t().finder;
    let said = |place: &Place| match place {
        Place::Any => words.anywhere.to_owned(),
        Place::Host(name) => (words.on_host)(name),
        Place::Label(name) => (words.labelled)(name),
    };
    let choice = |place: Place| (place.word(), said(&place));
    let is = |wanted: fn(&Place) -> bool, all: Vec<Choice>| {
        if wanted(&line.place) { with(all, choice(line.place.clone())) } else { all }
    };
    let hosts = choices.hosts.iter().map(|(name, _)| choice(Place::Host(name.clone()))).collect();
    let labels = choices.labels.iter().map(|(name, _)| choice(Place::Label(name.clone()))).collect();
    vec![
        ("", vec![choice(Place::Any)]),
        (words.by_host, is(|place| matches!(place, Place::Host(_)), hosts)),
        (words.by_label, is(|place| matches!(place, Place::Label(_)), labels)),
    ]
}

fn lengths(line: &Line) -> Groups {
    let words = &t().finder;
    let choice = |minutes: u32| (minutes.to_string(), (words.length)(minutes));
    vec![("", with(LENGTHS.into_iter().map(choice).collect(), choice(line.minutes)))]
}

fn starts(when: &When<'_>) -> Groups {
    let words = &t().finder;
    let said = |from: From| match from {
        From::Now => words.now.to_owned(),
        From::Tonight => (words.tonight)(&when.clock(from.instant(when.zone, when.now))),
        From::Tomorrow => (words.tomorrow)(&when.clock(from.instant(when.zone, when.now))),
        From::Earliest => words.earliest.to_owned(),
    };
    vec![("", From::ALL.into_iter().map(|from| (from.word().to_owned(), said(from))).collect())]
}
