//! English for this: maintenance, and cards that are not to be had.

use crate::band::gigabytes;
use crate::text::UpkeepText;
use crate::upkeep::{BadPlan, SHARES_MAX, SHARES_MIN};

/// The words.
pub const TEXT: UpkeepText = UpkeepText {
    title: "Maintenance",
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
