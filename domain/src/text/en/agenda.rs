//! English for the calendar as a list.

use crate::text::AgendaText;

/// The words.
pub const TEXT: AgendaText = AgendaText {
    title: "Bookings by card",
    days: "Days",
    none: "Nothing booked",
    book_now: "Book from now",
    book_from: |at| format!("Book from {at}"),
};
