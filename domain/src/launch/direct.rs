//! Started from a shell on the host: through the guard, or by hand.

use super::{Command, Form, HostCards, LaunchCard, Naming, both_namings, index_list, uuid_list};
use crate::text::LaunchText;

/// The program in every example. People put their own in its place.
pub(super) const PROGRAM: &str = "python train.py";

/// What `berth run --cards` takes: indices, which the agent resolves at that moment, or UUIDs where there are none.
pub(super) fn cards_argument(cards: &[&LaunchCard]) -> String {
    index_list(cards).unwrap_or_else(|| uuid_list(cards))
}

/// Through the guard.
pub(super) fn run(host: &HostCards, text: &LaunchText) -> Command {
    let form = |label: String, text: String| Form { naming: Naming::ByBerth, label, needs: String::new(), text };
    let with_cards = |cards: &[&LaunchCard]| format!("berth run --cards {} -- {PROGRAM}", cards_argument(cards));
    let all: Vec<&LaunchCard> = host.cards.iter().collect();
    let mut forms = vec![
        form((text.run_all)(&host.host_name), format!("berth run -- {PROGRAM}")),
        form((text.run_exactly)(all.len()), with_cards(&all)),
    ];
    if let [first, _, ..] = all[..] {
        let name = cards_argument(&[first]);
        forms.push(form((text.run_only)(&name), with_cards(&[first])));
    }
    let shared = host.cards.iter().any(|card| card.shared);
    let said = (text.run_note)(&host.host_name);
    let note = if shared { format!("{said} {}", text.share_note) } else { said };
    Command { id: "run", group: text.group_direct, title: "berth run", forms, note }
}

/// For a whole terminal.
pub(super) fn shell(host: &HostCards, text: &LaunchText) -> Command {
    let lines = |ids: &str| format!("export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES={ids}");
    Command {
        id: "shell",
        group: text.group_direct,
        title: text.shell,
        forms: both_namings(host, text, lines),
        note: note(host, text, (text.shell_note)(host.cards.len())),
    }
}

/// Adds what is special about MIG and about shares, where the booking has some.
pub(super) fn note(host: &HostCards, text: &LaunchText, mut note: String) -> String {
    let mig = host.cards.iter().any(|card| card.uuid.is_mig());
    let shared = host.cards.iter().any(|card| card.shared);
    for (holds, more) in [(mig, text.mig_note), (shared, text.share_note)] {
        if holds {
            note.push(' ');
            note.push_str(more);
        }
    }
    note
}
