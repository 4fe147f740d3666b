//! English for the booking form.

use super::plural;
use crate::text::BookText;

/// The words.
pub const TEXT: BookText = BookText {
    title: "Book cards",
    cards: "Cards",
    picked: |cards| match cards {
        0 => "none picked".to_owned(),
        n => format!("{n} picked"),
    },
    no_hosts: "No hosts yet",
    no_hosts_admin: "Add the first one in two steps. It takes about two minutes.",
    no_hosts_member: "An administrator has to add a host before cards can be booked.",
    add_host: "Add a host",
    no_cards_on_host: "This host has reported no cards.",
    unknown_picked: |cards| match cards {
        1 => "1 card of the link is not known here and was left out.".to_owned(),
        n => format!("{n} cards of the link are not known here and were left out."),
    },
    when: "When",
    start: "Start",
    end: "End",
    in_utc: |span| format!("{span} UTC"),
    lengths: "Length",
    hours: |hours| format!("{hours} h"),
    until_tomorrow: |clock| format!("Until tomorrow {clock}"),
    start_now: "Start now",
    purpose: "Purpose",
    purpose_hint: "May stay empty. Everybody on the portal can read it.",
    book: |cards, span, length| format!("{}, {span} ({length})", book(cards)),
    book_plain: book,
    booking: "Booking",
    yours_until: |until| format!("Yours until {until}"),
    held_until: |holder, until| format!("{holder} until {until}"),
    free: "Free",
    free_until: |until| format!("Free until {until}"),
    then: |holder| format!("then {holder}"),
    then_from: |holder, from| format!("then {holder} from {from}"),
    lost: "Lost, not bookable",
    reset_needed: "Needs a reset, not bookable",
    failing: "Unhealthy, not bookable",
    host_gone: "No report for a day, not bookable",
    cut: "Cut into MIG instances: book those",
    repair_pending: "Needs a reset for a memory repair, not bookable",
    defective: "Memory defective, not bookable",
    silent: "no report",
    bad_card: |card| format!("{card} is not a card. Reload the page and pick again."),
    start_empty: "Enter when it starts.",
    end_empty: "Enter when it ends.",
    time_unreadable: "Enter a date and a time, such as 2026-11-30 14:00.",
    time_never: |next| format!("Clocks go forward over this time: it does not exist that day. The next is {next}."),
    time_twice: "Clocks go back that night: this time comes twice. Choose which one is meant.",
    ends_first: "Ends before it starts.",
    end_meant: |end| format!("Meant {end}?"),
    take: |time| format!("Take {time}"),
    until_unreadable: "Enter the last day on which it repeats.",
    until_first: "The last day is before the first. Choose a later one.",
    too_many_repeats: |most| format!("One series has at most {most} bookings. Choose an earlier last day."),
    shares_unreadable: "Enter how many shares, or leave it empty for the whole card.",
    bad_key: "The form is incomplete. Reload the page and fill it in again.",
    zone_changed: |zone| format!("Not booked. Your time zone is {zone} now. Check the times, then book again."),
    refused_taken: "Not booked. Somebody has a card at that time. Nothing that you typed is lost: take a way out below.",
    not_bookable: "Not booked. A card is gone or not healthy by now. Its box says which: pick again.",
    taken: |cards| match cards {
        1 => "This card is taken at that time.".to_owned(),
        n => format!("{n} of these cards are taken at that time."),
    },
    taken_by: |index, host, holder, span| format!("Card {index} on {host}: {holder}, {span}"),
    you: "you",
    offer_shorter: |until, length| format!("End at {until} instead, {length} on the same cards"),
    offer_elsewhere: |cards| format!("Take {cards} instead, at the same time"),
    offer_later: |from, span| format!("Book from {from} instead: {span} on the same cards"),
};

/// "Book 2 cards".
fn book(cards: usize) -> String {
    if cards == 0 { "Book cards".to_owned() } else { format!("Book {}", plural(cards, "card", "cards")) }
}
