//! The list of bookings, and what can be done with one.

use crate::reservation::State;
use crate::text::Text;

/// Words of the list, shared with the page of one booking.
#[derive(Debug)]
pub struct BookingsText {
    /// Heading.
    pub title: &'static str,
    /// Heading: the viewer's, active or to come.
    pub mine: &'static str,
    /// Heading: everybody else's.
    pub others: &'static str,
    /// Heading: the viewer's past ones.
    pub past: &'static str,
    /// The viewer has none.
    pub none: &'static str,
    /// What to do about it.
    pub none_why: &'static str,
    /// Leads to the form.
    pub find: &'static str,
    /// Nobody else has any.
    pub others_none: &'static str,
    /// Column and label: purpose.
    pub booking: &'static str,
    /// Column.
    pub holder: &'static str,
    /// Column.
    pub cards: &'static str,
    /// Column.
    pub when: &'static str,
    /// Column.
    pub state: &'static str,
    /// Column of buttons.
    pub acts: &'static str,
    /// Name of a booking without a purpose.
    pub untitled: &'static str,
    /// Host and indices: `dgx-h100: 0, 1`.
    pub cards_on: fn(&str, &str) -> String,
    /// Mark of a booking with cards that cannot be used for now: how many.
    pub unusable: fn(usize) -> String,
    /// Not begun.
    pub scheduled: &'static str,
    /// Running.
    pub active: &'static str,
    /// Over.
    pub ended: &'static str,
    /// Called off.
    pub cancelled: &'static str,
    /// Holds its cards until somebody approves it.
    pub awaiting: &'static str,
    /// Holds its cards until its owner takes them.
    pub offered: &'static str,
    /// Given back by a rule, because it was idle.
    pub released: &'static str,
    /// Given back by a rule, because nobody came.
    pub missed: &'static str,
    /// Before the start.
    pub cancel: &'static str,
    /// Asks before.
    pub cancel_sure: &'static str,
    /// Does it.
    pub cancel_yes: &'static str,
    /// After the start.
    pub end_now: &'static str,
    /// Asks before.
    pub end_sure: &'static str,
    /// Does it.
    pub end_yes: &'static str,
    /// Which booking a button is about, for those who do not see it.
    pub about: fn(&str, &str) -> String,
}

impl Text {
    /// A booking's state in one word.
    #[must_use]
    pub fn booking_state(&self, state: State) -> &'static str {
        match state {
            State::Awaiting => self.bookings.awaiting,
            State::Offered => self.bookings.offered,
            State::Released => self.bookings.released,
            State::Missed => self.bookings.missed,
            State::Scheduled => self.bookings.scheduled,
            State::Active => self.bookings.active,
            State::Ended => self.bookings.ended,
            State::Cancelled => self.bookings.cancelled,
        }
    }
}
