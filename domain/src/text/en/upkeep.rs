//! English for this: maintenance, and cards that are not to be had.

use crate::text::UpkeepText;
use crate::upkeep::BadPlan;

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
};
