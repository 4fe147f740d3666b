//! Through the guard.

use crate::launch::here::{Here, Set};
use crate::launch::{Command, Dialect, Form, Naming, check};

/// `berth run`.
pub(in crate::launch) fn run(here: &Here<'_>) -> Command {
    let text = here.text;
    let program = here.program();
    let line = |key, label: String, text: String| {
        Form::new(key, Dialect::Posix, Naming::ByBerth, text).label(label).holding(here.program_placeholder())
    };
    let mut forms = vec![line("all", (text.run_all)(&here.host.host_name), format!("berth run -- {program}"))];
    // One process sees one instance, and nothing beside it.
    let sets = here.sets();
    let exactly = |set: &Set<'_>| {
        let label =
            if sets.len() == 1 { (text.run_exactly)(set.len()) } else { (text.run_only)(&set.cards_argument()) };
        line("cards", label, format!("berth run --cards {} -- {program}", set.cards_argument())).of(set)
    };
    forms.extend(sets.iter().map(exactly));
    if let [set] = sets.as_slice()
        && let [first, _, ..] = set.cards.as_slice()
    {
        let one = Set { cards: vec![*first] };
        let name = one.cards_argument();
        forms.push(line("one", (text.run_only)(&name), format!("berth run --cards {name} -- {program}")).of(&one));
    }
    Command {
        id: "run",
        group: text.group_direct,
        title: "berth run",
        forms,
        reason: String::new(),
        note: here.note((text.run_note)(&here.host.host_name)),
        checks: check::by_berth(here),
    }
}
