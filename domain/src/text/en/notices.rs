//! English for this: the bell, and what it says.

use crate::card::CardNumber;
use crate::notice::What;
use crate::text::NoticesText;

/// The words.
pub const TEXT: NoticesText = NoticesText {
    title: "Notices",
    bell: |unread| match unread {
        0 => "Notices".to_owned(),
        n => format!("Notices, {n} unread"),
    },
    all: "All notices",
    none: "Nothing has been said to you",
    none_why: "What happens to your bookings, and cards that you wait for, is told here.",
    none_unread: "Nothing new.",
    new: "New",
    mark_read: "Mark as read",
    mark_all: "Mark all as read",
    open_booking: "Open booking",
    book: "Find cards",
    decide: "Approve or refuse",
    still_using: "Still using it",
    give_back: |cards| format!("Release {cards}"),
    take: |cards| format!("Take {cards}"),
    decline: "Let them go",
    unknown: "Nothing was changed. There is no such notice, or it asks nothing.",
    too_late: "Nothing was changed. This has been answered, or the time for it is over.",
    waiting: "You wait for",
    wanted: |count, kind| match (count, kind) {
        (1, "") => "1 card".to_owned(),
        (n, "") => format!("{n} cards"),
        (n, kind) => format!("{n} \u{d7} {kind}"),
    },
    linked: ["linked by NVLink", "behind one switch", "on one NUMA node"],
    memory: |gib| format!("{gib} GiB or more"),
    on_hosts: |hosts| format!("on {hosts}"),
    as_early: |length, until| format!("{length}, as early as possible, by {until}"),
    place: |place| if place == 1 { "You are next".to_owned() } else { format!("{} before you", place - 1) },
    then: ["You are told when they are free", "They are booked for you when they are free"],
    wait_until: |at| format!("given up at {at}"),
    stop_waiting: "Stop waiting",
    too_many_waits: "Not done. You wait for 20 things already. Stop waiting for one of them.",
    bad_wait: "Not done. Say how many cards, for how long, and a time that is still to come.",
    bad_wait_until: "Not done. Wait until a time within the next 60 days.",
    no_such_wait: "Nothing was changed. You no longer wait for that.",
    cards_on: |host, cards| format!("{host} {}", numbered(cards)),
    cards: numbered,
    and: " and ",
    some_cards: "cards",
    ending: |cards, at, over| {
        let verb = if over { "ended" } else { "ends" };
        format!("Your booking of {cards} {verb} at {at}.")
    },
    approval_wanted: |who, cards, when| format!("{who} asks for {cards}, {when}."),
    approved: |by, cards, when| format!("{by} approved your booking of {cards}, {when}."),
    refused: |by, cards, when, why| {
        let why = if why.is_empty() { ".".to_owned() } else { format!(": {}", sentence(why)) };
        format!("{by} refused your booking of {cards}, {when}{why}")
    },
    not_approved: |cards, when| {
        format!("Nobody approved your booking of {cards}, {when}, in time. The cards are free again.")
    },
    maintenance: |cards, when, why| format!("Maintenance on {cards}, {when}, meets your booking: {}", sentence(why)),
    maintenance_off: |cards, when, why| {
        format!("No maintenance on {cards}, {when}, any more ({why}). Your booking goes on as planned.")
    },
    troubled: |card, why, when| format!("You have {card} booked, {when}. {}", sentence(why)),
    instead: |cards| format!(" Free then: {cards}."),
    idle: |card, since| format!("You have {card} booked and have not used it since {since}."),
    idle_rule: |host, at, card| format!(" Rule on {host}: no answer by {at} frees {card} only."),
    released: |rule, card, missed| {
        let why = if missed { "nobody came" } else { "it was not used" };
        format!("The rule \u{201c}{rule}\u{201d} freed {card}: {why}.")
    },
    free: |cards, when| format!("You waited for cards: {cards} free, {when}."),
    held: |until, over| {
        if over {
            format!(" Held for you until {until}; that is over.")
        } else {
            format!(" Held for you until {until}.")
        }
    },
    wait_blocked: |cards, when, why| format!("{cards} free, {when}, but not for you: {} You wait on.", sentence(why)),
    wait_over: |until| format!("Nothing that you waited for became free by {until}."),
    waited_and_booked: |cards, when| format!("You waited for cards: {cards} booked for you, {when}."),
    asked: |by, cards, when| {
        format!(
            "{by} asks whether {cards} can be had earlier. You have them booked, {when}. End, shorten or cancel the \
             booking if you can do without; nothing happens if you do not answer."
        )
    },
    nobody_to_ask: "Nobody was asked. The booking is over, or it is yours.",
    changed: |by, what, cards, when| match what {
        What::Booked => format!("{by} booked {cards} for you, {when}."),
        What::Edited => format!("{by} changed your booking: {cards}, {when}."),
        What::Cancelled => format!("{by} cancelled your booking of {cards}, {when}."),
        What::Ended => format!("{by} ended your booking of {cards}, {when}."),
        What::Transferred => format!("{by} gave you the booking of {cards}, {when}."),
        What::CoUser => format!("{by} lets you launch on {cards}, {when}."),
    },
};

fn numbered(cards: &[CardNumber]) -> String {
    let numbers: Vec<String> = cards.iter().map(ToString::to_string).collect();
    format!("{} {}", if numbers.len() == 1 { "card" } else { "cards" }, numbers.join(", "))
}

/// With a stop at its end.
fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
