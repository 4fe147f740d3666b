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
    /// Heading: bookings that wait for the viewer's approval.
    pub asked: &'static str,
    /// Heading: the viewer's, running.
    pub running: &'static str,
    /// Heading: the viewer's, to come.
    pub to_come: &'static str,
    /// Heading: what the viewer waits for.
    pub waiting: &'static str,
    /// Mark of a booking that repeats.
    pub repeats: &'static str,
    /// Whose booking it is that the viewer may use.
    pub shared_by: fn(&str) -> String,
    /// Until when somebody can approve it.
    pub awaits_until: fn(&str) -> String,
    /// Until when its owner can take it.
    pub offered_until: fn(&str) -> String,
    /// Somebody refused it, for this reason, which may be empty.
    pub refused: fn(&str) -> String,
    /// Nobody approved it, or took it, in time.
    pub lapsed: &'static str,
    /// A rule gave it back because it was idle; the rule may be empty.
    pub released_why: fn(&str) -> String,
    /// A rule gave it back because nobody came; the rule may be empty.
    pub missed_why: fn(&str) -> String,
    /// Longer by so many hours.
    pub extend_by: fn(i64) -> String,
    /// Until another booking begins.
    pub extend_until: fn(&str) -> String,
    /// The same for those who do not see where it stands, and on the booking's own page.
    pub extend_to: fn(&str) -> String,
    /// Leads to the form that changes it.
    pub change: &'static str,
    /// Takes what is offered.
    pub accept: &'static str,
    /// Leaves it to others.
    pub decline: &'static str,
    /// Approves.
    pub approve: &'static str,
    /// Asks before refusing.
    pub refuse: &'static str,
    /// What that means.
    pub refuse_sure: &'static str,
    /// Label of the reason.
    pub refuse_why: &'static str,
    /// Refuses.
    pub refuse_yes: &'static str,
    /// Of repeats: cancels this one.
    pub cancel_one: &'static str,
    /// Of repeats: cancels it and all that follow.
    pub cancel_following: &'static str,
    /// The same once more, at that time.
    pub again: fn(&str) -> String,
    /// Leads to the form that has it repeat.
    pub repeat: &'static str,
    /// Asks before giving it to somebody.
    pub transfer: &'static str,
    /// What that means.
    pub transfer_sure: &'static str,
    /// Label: to whom.
    pub transfer_to: &'static str,
    /// Gives it.
    pub transfer_yes: &'static str,
    /// So many cards of a model, which may be empty.
    pub wait_for: fn(u32, &str) -> String,
    /// As soon as they are free for so long.
    pub wait_earliest: fn(&str) -> String,
    /// Place in the queue.
    pub wait_position: fn(u32) -> String,
    /// The waiter is told.
    pub wait_tell: &'static str,
    /// It is booked for the waiter.
    pub wait_book: &'static str,
    /// Gives a place up.
    pub stop_waiting: &'static str,
    /// Given up then.
    pub wait_until: fn(&str) -> String,
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
