//! Bookings, in English.

use crate::text::ReservationText;
use crate::text::reservation::Holding;

pub(super) const TEXT: ReservationText = ReservationText {
    no_cards: "Not booked. Pick at least one card.",
    too_many_cards: |most| format!("Not booked. One booking holds at most {most} cards. Make two of it."),
    start_in_the_past: "Not booked. The start is in the past. Choose a start from now on.",
    end_in_the_past: "Not booked. The end is in the past. Choose a later one.",
    ends_before_it_starts: "Not booked. It ends before it starts. Choose an end after the start.",
    too_short: |minutes| format!("Not booked. A booking lasts at least {minutes} minutes. Choose a later end."),
    too_long: |days| format!("Not booked. A booking lasts at most {days} days. Choose an earlier end."),
    too_far_ahead: |days| {
        format!("Not booked. A booking begins at most {days} days from now. Choose an earlier start.")
    },
    bad_purpose: |most| format!("Not booked. A purpose has at most {most} characters, no invisible ones. Shorten it."),
    unknown_card: |uuid| format!("Not booked. The card {uuid} is not known here. Reload the page and pick again."),
    card_gone: |index, host| {
        format!("Not booked. Card {index} on {host} is no longer reported by its host. Choose another card.")
    },
    host_gone: |card, host| {
        format!(
            "Not booked. The host {host} with card {card} has not reported for more than a day. Choose a card of another \
             host, or ask an administrator."
        )
    },
    card_retired: |index, host| {
        format!("Card {index} on {host} cannot be booked: the host is retired. Pick a card of another host.")
    },
    card_sick: |index, host| {
        format!("Not booked. Card {index} on {host} is not healthy. Choose another card, or tell an administrator.")
    },
    card_cut: |card, host| format!("Not booked. Card {card} on {host} is cut into MIG instances. Choose one of those."),
    held,
    overlap: |held, more| {
        let more = match more {
            0 => String::new(),
            1 => ", and 1 more booking is in the way".to_owned(),
            n => format!(", and {n} more bookings are in the way"),
        };
        let held = if more.is_empty() { listed(held) } else { held.join(", ") };
        format!("Not booked. {held}{more}. Choose another card or time.")
    },
    overlap_gone: "Not booked. Somebody held a card for a moment. Try again.",
    key_reused: "Nothing new was booked. This form has made a booking already, with other content. \
         Look at your bookings, then begin a new one.",
    already_begun: "Not cancelled. This booking has begun. End it instead.",
    already_over: "Nothing was changed. This booking is over or was cancelled.",
    not_begun: "Not ended. This booking has not begun. Cancel it instead.",
    not_yours: "Nothing was changed. This booking is somebody else's. Ask its holder or an administrator.",
    unknown: "There is no such booking.",
    busy: "Not done. Too many people are booking these cards at this moment. Try again in a few seconds.",
    not_booked: "Not booked.",
    not_changed: "Nothing was changed.",
    not_approved: "Not approved.",
    changed: "Nothing was changed. Somebody has edited this booking since you opened it. Look at it again.",
    start_is_fixed: "Nothing was changed. This booking has begun, so its start stays. Change its end or its cards.",
    end_is_past: "Nothing was changed. The new end has passed. Choose a later one, or end the booking now.",
    awaits_no_approval: "Nothing was changed. This booking does not wait for approval.",
    awaits_no_answer: "Nothing was changed. This booking is not an offer that waits for an answer.",
    not_an_approver: "Nothing was changed. Managers of its owner's group and administrators approve bookings.",
    only_for_oneself: "Not booked. Only administrators book for somebody else. Ask one.",
    unknown_person: "Nothing was done. Somebody who is named has no account here, or it is disabled. Pick another person.",
    too_many_co_users: |most| format!("Nothing was done. At most {most} people share a booking. Name fewer."),
    theirs_already: "Nothing was changed. The booking is that person's already.",
    unknown_zone: "Not booked. That time zone is not known here. Choose one from the list.",
    bad_reason: |most| {
        format!("Nothing was changed. A reason has at most {most} characters, no invisible ones. Shorten it.")
    },
    not_open_for_shares: |card, host| {
        format!("Not booked. Card {card} on {host} is not open for shares. Book the whole card, or choose another one.")
    },
    no_shares: |card, host, free, of| {
        let free = if free == 0 { "none".to_owned() } else { free.to_string() };
        format!(
            "Not booked. Of the {of} shares of card {card} on {host}, {free} can be had in that time. Ask for fewer, or \
             choose another card or time."
        )
    },
    approval_while_running: "Nothing was changed. A rule asks for approval of that, and this booking runs already. \
         Make a new booking of what you want on top.",
    bad_repeat: |most| {
        format!("Not booked. A repeat has at least one and at most {most} bookings. Choose another end of it.")
    },
    one_of_series: |when, why| format!("Nothing was changed. The one of {when} cannot follow. {why}"),
};

/// "a, b and c".
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// "Aiko Tanaka has cards 4 and 5 on dgx-h100 until 16:00".
fn held(holding: &Holding<'_>) -> String {
    let who = holding.holder.map_or_else(|| "You have".to_owned(), |name| format!("{name} has"));
    let cards: Vec<String> = holding.cards.iter().map(ToString::to_string).collect();
    let noun = if cards.len() == 1 { "card" } else { "cards" };
    let from = holding.from.as_ref().map_or_else(String::new, |from| format!("from {from} "));
    format!("{who} {noun} {} on {} {from}until {}", listed(&cards), holding.host, holding.until)
}
