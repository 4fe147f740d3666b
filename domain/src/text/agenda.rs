//! The calendar as a list.

/// Words of the list.
#[derive(Debug)]
pub struct AgendaText {
    /// What it is.
    pub title: &'static str,
    /// Label of the days to choose from.
    pub days: &'static str,
    /// Nothing is booked on a card.
    pub none: &'static str,
    /// Begins a booking at once.
    pub book_now: &'static str,
    /// Begins one later.
    pub book_from: fn(&str) -> String,
}
