//! English for the page of one booking.

use crate::card::CardHealth;
use crate::text::BookingText;
use crate::trouble::Trouble;

/// The words.
pub const TEXT: BookingText = BookingText {
    untitled: "Booking",
    short_name: |id| format!("#{id}"),
    cards_on: |host, cards| {
        let names: Vec<String> = cards.iter().map(ToString::to_string).collect();
        match names.as_slice() {
            [] => host.to_owned(),
            [one] => format!("{host}, card {one}"),
            [most @ .., last] => format!("{host}, cards {} and {last}", most.join(", ")),
        }
    },
    trouble: |why, card, host| {
        let what = match why {
            Trouble::HostRetired => return format!("Host {host} with card {card} is retired."),
            Trouble::HostGone => return format!("Host {host} with card {card} has not reported for more than a day."),
            Trouble::Gone => "is no longer there",
            Trouble::Cut => "is cut into MIG instances",
            Trouble::Sick(CardHealth::Lost) => "is lost",
            Trouble::Sick(CardHealth::ResetNeeded) => "needs a reset",
            Trouble::Sick(CardHealth::RepairPending) => "needs a reset to repair its memory",
            Trouble::Sick(CardHealth::Defective) => "has defective memory and is to be replaced",
            Trouble::Sick(_) => "answers with errors",
            Trouble::NotBookable => "is kept from being booked by an administrator",
        };
        format!("Card {card} on {host} {what}.")
    },
    trouble_why: "The booking stays as it is; nothing moves by itself.",
    trouble_way: "Book another card",
    shares_of: |shares, card, host, memory| {
        let shares = if shares == 1 { "1 share".to_owned() } else { format!("{shares} shares") };
        let within = memory.map_or_else(String::new, |gigabytes| format!(", {gigabytes} GB of its memory"));
        format!("{shares} of card {card} on {host}{within}.")
    },
    shares_why: "This budget is not enforced: others work on the same card, and whoever takes more may stop their jobs.",
    booked_by: "booked by",
    share_label: "Add a colleague by name",
    share_note: "May launch on these cards as well. It stays your booking and counts for you.",
    share: "Add",
    unshare: "Remove",
    nobody_called: |name| format!("Nobody was added. Nobody here is called \u{201c}{name}\u{201d}. Check the name."),
    several_called: |name| {
        format!("Nobody was added. Several people are called \u{201c}{name}\u{201d}. Type the name for signing in.")
    },
    owner_already: |name| format!("Nobody was added. It is {name}'s booking already."),
    time: "Time",
    left: |length| format!("{length} left"),
    begins_in: |length| format!("begins in {length}"),
    begun_note: "Already begun: it can be ended, no longer cancelled. Used time stays on record.",
    scheduled_note: "Not begun: it can be cancelled.",
    ended_note: "Over. It stays on record.",
    cancelled_note: "Cancelled before it began. It stays on record.",
    then_free: "then free",
    then_free_until: |until, who| format!("then free until {until}, then {who}"),
    then_at_once: |who| format!("then {who}"),
    zone: |zone, utc| format!("Times in {zone}. In UTC: {utc}"),
    launch: "Launch",
    launch_on: |host| format!("Launch on {host}"),
    how: "How to launch",
    not_yet: |start| format!("Works from {start} on, when the booking begins."),
    cards: "Cards",
    copy: "Copy",
    copied: "Copied",
    selected: "Selected: press Ctrl+C",
    why_uuid: "Why UUID:",
    why_uuid_text: "an index can point to another card after a reboot or on a host with unequal cards. A UUID never \
                    does. Lines by index also set the bus order, so that they count as nvidia-smi does.",
    check: "Check that it works",
    expected: |answer| format!("must print {answer}"),
    map_caption: "Inside your program, cards count from 0",
    card_on: |host| format!("Card on {host}"),
    in_program: "In your program",
    uuid: "UUID",
    pci: "PCI bus",
    model: "Model",
    not_reported: "not reported",
    unlinked: |host| format!("Berth does not know your account on {host}."),
    unlinked_why: "Until it does, berth run starts nothing for you there. Make a code and give it to berth on that \
                   host, signed in there as yourself.",
    linked: |account, host| format!("Your account on {host} is {account}."),
    cooperative: "The guard works with you, not against you: a program started without berth run, with other \
                  variables or in a privileged container still reaches every card. The Now page shows such use.",
    make_code: "Make a code",
    run_there: |host| format!("Run this on {host}:"),
    run_anywhere: "Run this on the host:",
    code_valid: "Valid until",
    code_once: "For one account. It is shown this once.",
    needs_scripts: "The code is shown once, on this page: that needs scripts, which are off here.",
    people: "Who else",
    made_by: |by| format!("{by} booked it for its owner."),
    series: "Repeats",
    series_place: |place, all| format!("{place} of {all}"),
    series_before: "Before",
    series_after: "Next",
    history: "History",
    by_portal: "Berth",
    by_you: "You",
    deed: |who, what| format!("{who} {what}"),
    did_book: |cards, span| {
        let cards = super::plural(usize::try_from(cards).unwrap_or(usize::MAX), "card", "cards");
        if span.is_empty() { format!("booked {cards}") } else { format!("booked {cards}, {span}") }
    },
    did_move: |span| format!("moved it to {span}"),
    did_resize: |was, is| format!("moved the end from {was} to {is}"),
    did_cards: |was, is| match was == is {
        true => "took other cards".to_owned(),
        false => {
            format!("changed {} to {is}", super::plural(usize::try_from(was).unwrap_or(usize::MAX), "card", "cards"))
        }
    },
    did_purpose: "changed the purpose",
    did_people: "changed who may use it",
    did_edit: "saved it as it was",
    did_cancel: "cancelled it",
    did_end: "ended it early",
    did_transfer: "gave it to somebody else",
    did_approve: "approved it",
    did_refuse: |why| if why.is_empty() { "refused it".to_owned() } else { format!("refused it: {why}") },
    did_accept: "took what was offered",
    did_still_use: "said that it is still wanted",
    did_lapse: "gave it up: nobody answered in time",
    did_release: "gave cards back by a rule",
    and: " and ",
};
