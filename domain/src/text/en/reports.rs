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
    account_of_nobody: |account, host| {
        format!(
            "Not booked. The account {account} on {host} belongs to nobody in the portal. Link it with `berth link`."
        )
    },
    account_of_several: |account, host| {
        format!(
            "Not booked. Several people share the account {account} on {host}, so nobody can say whose booking it would be. Book in the portal."
        )
    },
    card_elsewhere: "Not booked. A host books its own cards only. Book in the portal.",
    not_wholly_here: "Not changed. This booking has cards of other hosts too. Change it in the portal.",
    too_few_free: |count, host, minutes| {
        let cards = if count == 1 { "card is".to_owned() } else { format!("{count} cards are") };
        let (hours, rest) = (minutes / 60, minutes % 60);
        let length = match (hours, rest) {
            (0, rest) => format!("{rest} min"),
            (hours, 0) => format!("{hours} h"),
            (hours, rest) => format!("{hours} h {rest} min"),
        };
        format!("Not booked. No {cards} free on {host} for the next {length}, with nobody on it.")
    },
    queue_full: "Too many reports wait to be written. Pages have this one; send the next one later.",
};
