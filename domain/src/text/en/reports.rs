//! Answers to agents, in English.

use crate::text::ReportsText;

pub(super) const TEXT: ReportsText = ReportsText {
    unreadable: |why| format!("The report cannot be read: {why}. Agent and server may be of different versions."),
    too_large: |most| format!("The report is larger than {most} bytes. Nothing of it was kept."),
    too_many_cards: |most| format!("The report has more than {most} cards. Nothing of it was kept."),
    too_many_processes: |card, most| {
        format!("The report has more than {most} processes on card {card}. Nothing of it was kept.")
    },
    card_twice: |card| format!("The report has card {card} twice. Nothing of it was kept."),
    bad_index: |card| format!("The report has an impossible index or minor number for card {card}. Nothing was kept."),
    bad_seq: "The report's number does not fit into 63 bits. Nothing of it was kept.",
    no_boot_id: "The report has no boot id. Nothing of it was kept.",
    unreadable_name: "NVIDIA GPU (unreadable name)",
    queue_full: "Too many reports wait to be written. Pages have this one; send the next one later.",
};
