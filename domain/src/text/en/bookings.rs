//! English for the list of bookings.

use crate::text::BookingsText;

/// The words.
pub const TEXT: BookingsText = BookingsText {
    title: "Bookings",
    mine: "Yours",
    others: "Everybody else",
    past: "Your past bookings",
    none: "You have no bookings",
    none_why: "Pick cards and a time: a booking of many cards is one step.",
    find: "Book cards",
    others_none: "Nobody else has booked anything.",
    booking: "Booking",
    holder: "Booked by",
    cards: "Cards",
    when: "When",
    state: "State",
    acts: "Actions",
    untitled: "Without a purpose",
    cards_on: |host, cards| format!("{host}: {cards}"),
    unusable: |count| match count {
        1 => "1 card cannot be used".to_owned(),
        count => format!("{count} cards cannot be used"),
    },
    scheduled: "To come",
    active: "Running",
    ended: "Ended",
    cancelled: "Cancelled",
    awaiting: "Awaits approval",
    offered: "Offered to you",
    released: "Released",
    missed: "Missed",
    cancel: "Cancel",
    cancel_sure: "All its cards become free for others.",
    cancel_yes: "Cancel booking",
    end_now: "End now",
    end_sure: "All its cards become free for others now. Used time stays on record. Your processes are not stopped.",
    end_yes: "End booking now",
    about: |act, booking| format!("{act}: {booking}"),
};
