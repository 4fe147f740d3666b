//! English for the administrators' pages of rules, groups and labels.

use super::plural;
use crate::rules::draft::Kind;
use crate::text::rules::pages::RulePagesText;

/// The words.
pub const TEXT: RulePagesText = RulePagesText {
    rules_note: "Every rule that is for a person and a card must be kept. A refusal names the rule and how to comply.",
    no_rules: "No rules yet: everybody books what is free, for up to 31 days. Add the first one below.",
    scope: |group, label| match (group, label) {
        (None, None) => "Everybody, every card".to_owned(),
        (Some(group), None) => format!("{group}, every card"),
        (None, Some(label)) => format!("Everybody, cards labelled {label}"),
        (Some(group), Some(label)) => format!("{group}, cards labelled {label}"),
    },
    made: |by, at| format!("{by}, {at}"),
    change: "Change",
    remove: "Remove",
    remove_rule_sure: |rule| format!("“{rule}” holds for nobody from now on. What is booked stays booked."),
    remove_yes: "Remove it",
    add_rule: "Add a rule",
    add_rule_note: "What should it limit?",
    change_rule: |name| format!("Change “{name}”"),
    kind: |kind| match kind {
        Kind::Longest => "Longest booking",
        Kind::Shortest => "Shortest booking",
        Kind::Horizon => "How far ahead",
        Kind::MostCards => "Most cards at a time",
        Kind::Far => "Most cards further ahead",
        Kind::GpuHours => "GPU-hours",
        Kind::Hours => "Hours of the week",
        Kind::Approval => "Approval",
        Kind::Idle => "Idle cards",
    },
    kind_note: |kind| match kind {
        Kind::Longest => "A booking lasts at most this long. A running one can be extended: what is to come counts.",
        Kind::Shortest => "A booking lasts at least this long.",
        Kind::Horizon => "A booking begins at most this far from now.",
        Kind::MostCards => {
            "One person holds at most so many cards at any time. Shares and MIG instances count as parts."
        }
        Kind::Far => "Counts cards held beyond the next hours. What is free within them may be booked without limit.",
        Kind::GpuHours => "Cards times hours of one person, from Monday to Monday or in a month. Used hours count too.",
        Kind::Hours => "Bookings lie within these hours, by the clocks of the booker's zone.",
        Kind::Approval => "Bookings wait for a manager of the person's group, or an administrator.",
        Kind::Idle => "The holder of an unused card is asked. A card is given back only where this rule says so.",
    },
    name: "Name",
    name_hint: "Refusals say it.",
    group: "For",
    everybody: "Everybody",
    label: "Cards labelled",
    label_hint: "Empty: every card.",
    length: |kind| match kind {
        Kind::Longest => "At most",
        Kind::Shortest => "At least",
        Kind::Horizon => "At most, from now",
        Kind::Far => "Beyond the next",
        _ => "Ask when idle for",
    },
    length_hint: "Such as 7 d, 12 h, 90 min.",
    cards: "Cards",
    gpu_hours: "GPU-hours",
    per: "In a",
    week: "week",
    month: "month",
    spans: "Hours",
    spans_hint: "Such as Mon-Fri 18:00-08:00, Sat-Sun all day.",
    no_show: "Ask when not used from the start for",
    release: "Give back without an answer for",
    release_hint: "Empty: never.",
    save: "Save the rule",
    try_it: "Try it on the last 30 days",
    leave: "Leave it",
    tried: |days, refused, bookings| match (bookings, refused) {
        (0, _) => format!("Nobody booked in the last {days} days."),
        (bookings, 0) => {
            format!(
                "Tried on the last {days} days: it would have refused none of {}.",
                plural(count(bookings), "booking", "bookings")
            )
        }
        (bookings, refused) => format!(
            "Tried on the last {days} days: it would have refused {refused} of {}.",
            plural(count(bookings), "booking", "bookings")
        ),
    },
    tried_approvals: |approvals| {
        format!("{} would have waited for approval.", plural(count(approvals), "booking", "bookings"))
    },
    tried_first: |first| format!("The first {first} of them:"),
    person: "Person",
    booking: "Booking",
    number_of_cards: "Cards",
    why: "Why",
    approvals: "Approvals",
    approvals_note: "A booking that waits holds its cards. Without an answer for this long it is given up.",
    approval_hours: "Hours",
    groups: "Groups",
    managed: |group| format!("{group} (manager)"),
    groups_note: "Rules can be for a group. Its managers say who is in it and approve bookings of its members.",
    no_groups: "No groups yet. Make the first one below.",
    group_size: |people, rules| format!("{}, {}", plural(people, "person", "people"), plural(rules, "rule", "rules")),
    no_members: "Nobody is in this group yet.",
    role: "In the group",
    member: "Member",
    manager: "Manager",
    make_manager: "Make manager",
    make_member: "Make member",
    take_out: "Take out",
    add_person: "Person to add",
    add: "Add",
    make_group: "Make a group",
    group_name: "Name",
    rename: "Rename",
    remove_group_sure: |group| {
        format!("“{group}” is removed, with the list of who is in it. Accounts and bookings stay.")
    },
    labels: "Labels",
    labels_note: "Rules can be for cards with a label. A card has the labels of its host and its own.",
    no_hosts: "No host is here yet. Add one first.",
    labels_of_host: |host| format!("All cards of {host}"),
    labels_of_card: |card| format!("Card {card}"),
    cards_of_host: |cards, labelled| match labelled {
        0 => format!("Its {}", plural(cards, "card", "cards")),
        labelled => format!("Its {}, {labelled} with labels of their own", plural(cards, "card", "cards")),
    },
    set: "Save",
    with_rules: "Labels with rules",
    ruled: |label, rules| format!("{label}: {rules}"),
};

fn count(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
