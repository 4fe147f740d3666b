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
    unknown_encoding: |encoding| {
        format!("The body is packed as {encoding}, which this portal cannot unpack. Send it as gzip, or as it is.")
    },
    bad_gzip: "The body says that it is gzip, but cannot be unpacked. Nothing of it was kept.",
    inventory_too_large: |most| format!("The inventory is larger than {most} bytes. Nothing of the report was kept."),
    retired: "An administrator has retired this host, so the portal takes nothing from it. Its history stays. Stop the \
              agent, or have the host taken back under Admin, Hosts.",
    minutes_unreadable: |why| {
        format!("The minutes cannot be read: {why}. Agent and server may be of different versions.")
    },
    too_many_minutes: |most| format!("More than {most} minutes came at once. Nothing of them was kept."),
    queue_full: "Too many reports wait to be written. Pages have this one; send the next one later.",
};
