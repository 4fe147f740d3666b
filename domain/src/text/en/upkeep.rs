//! English for this: maintenance, and cards that are not to be had.

use super::plural;
use crate::band::gigabytes;
use crate::text::UpkeepText;
use crate::upkeep::{BadPlan, SHARES_MAX, SHARES_MIN};

/// The words.
pub const TEXT: UpkeepText = UpkeepText {
    title: "Maintenance",
    planned: "Running and planned",
    planned_note: "Nothing can be booked into it. Bookings that were there before stay; nothing moves by itself.",
    none_planned: "No maintenance is planned.",
    runs_until: |until| format!("Running until {until}"),
    planned_by: |who| format!("Planned by {who}"),
    nobody_hit: "No booking is hit.",
    hits: |count| format!("{} hit", plural(count, "booking", "bookings")),
    change: "Change",
    call_off: "Call off",
    call_off_sure: |reason, hits| match hits {
        0 => format!("\u{201c}{reason}\u{201d} does not take place, and its time can be booked."),
        1 => format!(
            "\u{201c}{reason}\u{201d} does not take place, and its time can be booked. Whose booking it hits is told."
        ),
        n => format!(
            "\u{201c}{reason}\u{201d} does not take place, and its time can be booked. Those whose {n} bookings it hits are told."
        ),
    },
    end_now: "End now",
    end_now_sure: |reason| format!("\u{201c}{reason}\u{201d} is over, and its cards can be booked from now on."),
    past: "Past",
    none_past: "None yet.",
    when: "When",
    reason: "Reason",
    reason_hint: "Everybody reads it: those who are hit, and those who want to book.",
    concerned: "Concerns",
    concerned_hint: "With a card its MIG instances are closed, and with an instance the card as a whole.",
    made_by: "Planned by",
    called_off: "called off",
    everything: "Everything, also cards that come later",
    whole_host: |host| format!("{host}, all cards"),
    all_cards_of: |count| match count {
        1 => "its card".to_owned(),
        n => format!("all {n} cards"),
    },
    single_cards: "Single cards",
    single_cards_of: |host| format!("Single cards of {host}"),
    person: "Person",
    booking: "Booking",
    cards: "Cards",
    overlap: "Hit",
    plan_heading: "Plan maintenance",
    change_heading: "Change maintenance",
    plan_note: "First you see who is hit, then it is saved.",
    start: "Start",
    end: "End",
    zone: |zone| format!("Times in {zone}."),
    show_hits: "Show who is hit",
    leave_as_is: "Leave it as it is",
    look_heading: "What it means",
    preview: |cards, when, length| {
        let cards = match cards {
            0 => "No card is".to_owned(),
            1 => "1 card is".to_owned(),
            n => format!("{n} cards are"),
        };
        format!("{cards} closed {when} ({length}).")
    },
    preview_told: |hits| match hits {
        0 => "No booking is hit.".to_owned(),
        1 => "1 booking is hit. It stays, and its owner is told.".to_owned(),
        n => format!("{n} bookings are hit. They stay, and their owners are told."),
    },
    save: |hits| match hits {
        0 => "Plan it".to_owned(),
        1 => "Plan it and tell 1 owner".to_owned(),
        _ => "Plan it and tell the owners".to_owned(),
    },
    save_change: |hits| match hits {
        0 => "Save the change".to_owned(),
        _ => "Save the change and tell those whom it concerns".to_owned(),
    },

    cards_title: "Cards",
    no_cards: "No host has reported a card yet.",
    cards_of: |cards, open| match (cards, open) {
        (1, 1) => "1 card, bookable".to_owned(),
        (1, _) => "1 card, not bookable".to_owned(),
        (all, open) if all == open => format!("{all} cards, all bookable"),
        (all, open) => format!("{all} cards, {open} bookable"),
    },
    card: "Card",
    bookable: "Bookable",
    yes: "Bookable",
    kept: |reason| format!("{reason}, not bookable"),
    shares: "Shares",
    whole_only: "whole card only",
    shares_of: |count, memory| format!("{count} shares of {memory} GB"),
    booked: "Bookings",
    close: "Close",
    change_card: |what, card, host| format!("{what}: card {card} on {host}"),
    keep_hint: "Everybody reads it, as in \u{201c}Display card\u{201d}. Bookings that it has stay; their owners are told.",
    keep: |booked| match booked {
        0 => "Keep it from being booked".to_owned(),
        1 => "Keep it from being booked and tell 1 owner".to_owned(),
        _ => "Keep it from being booked and tell the owners".to_owned(),
    },
    let_book_note: "From now on it can be booked like any other card.",
    let_book: "Let people book it",
    shares_note: "Several people book a part of it each. The memory of a share is an agreement: nobody enforces it. \
                  Whoever books the whole card has it alone.",
    share_count: "Shares",
    share_memory: "Memory of each, in GB",
    memory_of: |memory| format!("The card has {memory} GB."),
    not_numbers: "Enter a whole number of shares, and gigabytes as in 20 or 19.5.",
    open_shares: "Open it for shares",
    change_shares: "Change its shares",
    close_shares: "Close it for shares",

    in_the_way: |cards, lasts, reason| {
        format!("Not booked. Maintenance of {cards} {lasts}: {reason}. Choose other cards or another time.")
    },
    in_the_way_plain: "Not booked. Maintenance is planned for a card in that time. Choose other cards or another time.",
    lasts: |from, until| match from {
        "" => format!("until {until}"),
        from => format!("from {from} until {until}"),
    },
    kept_back: |card, host, reason| {
        format!("Not booked. Card {card} on {host} cannot be booked: {reason}. Choose another card.")
    },
    bad_plan: |why| match why {
        BadPlan::Reason => "Say why, in at most 200 characters, no invisible ones: everybody who is hit reads it.",
        BadPlan::InThePast => "The start is in the past. Choose a start from now on.",
        BadPlan::Over => "The end is in the past, or not after the start. Choose a later one.",
        BadPlan::TooLong => "Maintenance lasts at most a year. For longer, mark the cards as not bookable.",
        BadPlan::TooFarAhead => "Maintenance begins at most two years from now. Choose an earlier start.",
        BadPlan::NoTarget => "Pick what it concerns: hosts, cards, or everything.",
    },
    unknown: "There is no such maintenance. Reload the page.",
    already_over: "Nothing was changed. This maintenance is over or was called off.",
    key_reused: "Nothing new was planned. This form has planned maintenance already, with other content. Reload the page.",
    others_hit: |names| {
        let (who, have) = (listed(names), if names.len() == 1 { "has" } else { "have" });
        format!("Nothing was saved. Meanwhile {who} {have} booked in that time. Look at the list again, then save.")
    },
    unknown_card: "This card is not known any more. Reload the page.",
    bad_reason: "Say why, in at most 200 characters, no invisible ones: everybody who wants to book it reads it.",
    kept_back_why: |reason| format!("An administrator keeps it from being booked: {reason}"),
    not_shareable: |card, host| {
        format!("Card {card} on {host} cannot be opened for shares: it is cut into MIG instances, or is one of them.")
    },
    shares_do_not_fit: |memory| {
        let memory = memory.map_or_else(String::new, |mib| format!(", which is {} GB", gigabytes(mib)));
        format!(
            "A card has {SHARES_MIN} to {SHARES_MAX} shares, and their budgets together stay within its memory{memory}. \
             Take fewer shares or a smaller budget."
        )
    },
    share_holder: |who, until| format!("{who} until {until}"),
    shares_booked: |holders, last| {
        let holders: Vec<&str> = holders.iter().map(String::as_str).collect();
        format!(
            "Nothing was changed. Shares that would go are booked: {}. It can be done from {last} on, or once they have \
             cancelled.",
            listed(&holders)
        )
    },
};

/// "a, b and c".
fn listed(parts: &[&str]) -> String {
    match parts {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
