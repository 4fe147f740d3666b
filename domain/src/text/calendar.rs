//! The calendar: its bar, its rows and what lies on them.

use crate::card::CardNumber;

/// Words of the calendar.
#[derive(Debug)]
pub struct CalendarText {
    /// Heading.
    pub title: &'static str,
    /// Name of the navigation entry, where room is short.
    pub short: &'static str,
    /// Label of the bar above it.
    pub bar: &'static str,
    /// One window back.
    pub earlier: &'static str,
    /// To the window in which now is.
    pub now: &'static str,
    /// One window on.
    pub later: &'static str,
    /// Label of the zooms.
    pub zoom: &'static str,
    /// One day, three, a week, two weeks.
    pub zooms: [&'static str; 4],
    /// A day as a heading: weekday, day, month, year.
    pub heading_day: fn(&str, u8, &str, i32) -> String,
    /// Several days as a heading: day and month of the first, day, month and year of the last.
    pub heading_days: fn(u8, &str, u8, &str, i32) -> String,
    /// Only rows of the viewer's bookings.
    pub only_mine: &'static str,
    /// Label of the choice of how long a card is free.
    pub free_now: &'static str,
    /// No matter whether it is free.
    pub free_or_not: &'static str,
    /// Free now, and for so many hours.
    pub free_for: fn(u8) -> String,
    /// Label of the choice of hosts.
    pub hosts: &'static str,
    /// All of so many.
    pub all_hosts: fn(usize) -> String,
    /// Label of the choice of labels.
    pub labels: &'static str,
    /// No matter which label.
    pub all_labels: &'static str,
    /// Label of the choice of models.
    pub models: &'static str,
    /// No matter which model.
    pub all_models: &'static str,
    /// Label of the choice of people.
    pub people: &'static str,
    /// No matter who.
    pub all_people: &'static str,
    /// Opens the filters that are folded away.
    pub more: &'static str,
    /// Label of the order of rows.
    pub order: &'static str,
    /// Linked cards side by side.
    pub by_links: &'static str,
    /// In the order of their numbers.
    pub by_number: &'static str,
    /// Label and hint of the search.
    pub find: &'static str,
    /// Does what was chosen, where no script does.
    pub show: &'static str,
    /// Label of the choice of timeline and list.
    pub view: &'static str,
    /// The timeline.
    pub timeline: &'static str,
    /// The list.
    pub list: &'static str,
    /// Label of the button that shows all keys.
    pub keys: &'static str,
    /// What each key does: keys, deed.
    pub key_list: &'static [(&'static str, &'static str)],
    /// Switches keys of one letter off.
    pub keys_off: &'static str,
    /// Closes it.
    pub close: &'static str,
    /// How to use the timeline, for those who hear it.
    pub help: &'static str,
    /// Number of rows.
    pub cards: fn(usize) -> String,
    /// Zone and its distance from UTC.
    pub zone: fn(&str, &str) -> String,
    /// After a number: so many cards are free.
    pub free: &'static str,
    /// Label of the row of free cards; the argument is a host.
    pub free_on: fn(&str) -> String,
    /// So many free cards on a host, from when to when.
    pub free_label: fn(u32, &str, &str) -> String,
    /// Cards of a host: how many, which model.
    pub models_of: fn(usize, &str) -> String,
    /// Folds a host away, or unfolds it.
    pub fold: fn(&str) -> String,
    /// The viewer, on a bar.
    pub you: &'static str,
    /// So many cards of one booking.
    pub of_cards: fn(usize) -> String,
    /// Which part of a booking: this, of so many.
    pub part: fn(usize, usize) -> String,
    /// Shares of a card: how many, of how many.
    pub shares: fn(u32, u32) -> String,
    /// Label of a bar: who, what for, where, when, and what else; parts may be empty.
    pub bar_label: fn(&[&str]) -> String,
    /// Cards on a host.
    pub cards_on: fn(&str, &[CardNumber]) -> String,
    /// So many wait.
    pub waiting: fn(u32) -> String,
    /// One of several.
    pub repeats: &'static str,
    /// Waits for approval.
    pub awaiting: &'static str,
    /// Waits for its owner's answer.
    pub offered: &'static str,
    /// Nothing runs.
    pub idle: &'static str,
    /// Over.
    pub ended: &'static str,
    /// Given back by a rule.
    pub released: &'static str,
    /// Nobody came.
    pub missed: &'static str,
    /// Being saved.
    pub saving: &'static str,
    /// Being saved for longer than usual.
    pub still_saving: &'static str,
    /// Nobody is on a card.
    pub nobody: &'static str,
    /// A card that is used and not booked, at the head of its row.
    pub not_booked: &'static str,
    /// Who uses a card without a booking.
    pub without_booking: fn(&str) -> String,
    /// What the trace on a row means.
    pub used_key: &'static str,
    /// The use of a card so far: host, card, percent on average, over so many recorded minutes.
    pub used: fn(&str, CardNumber, u32, i64) -> String,
    /// No row is left.
    pub none_match: &'static str,
    /// Shows all rows again.
    pub show_all: &'static str,
    /// No host is there.
    pub no_hosts: &'static str,
    /// Opens a booking's page.
    pub open: &'static str,
    /// Puts a booking into the panel.
    pub change: &'static str,
    /// Calls a booking off.
    pub cancel: &'static str,
    /// Ends a running one.
    pub end_now: &'static str,
    /// Has a notice ask whoever holds the cards.
    pub ask: &'static str,
    /// What that does; the argument is who holds them.
    pub ask_note: fn(&str) -> String,
    /// The holder was told; the argument is who.
    pub asked: fn(&str) -> String,
    /// The holder was told before, today.
    pub asked_before: fn(&str) -> String,
    /// Label of the ways to wait.
    pub wait: &'static str,
    /// Waits, to be told.
    pub wait_tell: &'static str,
    /// Waits, and has them booked.
    pub wait_book: &'static str,
    /// The viewer waits for such cards; the argument says in which place.
    pub you_wait: fn(&str) -> String,
    /// No longer.
    pub waits_no_more: &'static str,
    /// Takes a change back.
    pub undo: &'static str,
    /// It was changed; the argument is the new time.
    pub changed: fn(&str) -> String,
    /// It was called off, or ended.
    pub given_back: &'static str,
    /// It is as it was before.
    pub undone: &'static str,
    /// It could not be changed; the argument says why.
    pub not_changed: fn(&str) -> String,
    /// A selection: from when to when, how long, which cards.
    pub selection: fn(&str, &str, &str) -> String,
    /// The same, taken by somebody.
    pub selection_taken: fn(&str, &str) -> String,
    /// Where the cursor is: host, card, time, what is there.
    pub cursor: fn(&str, CardNumber, &str, &str) -> String,
    /// Free until then, at the cursor; `None`: nothing is known to follow.
    pub free_until: fn(Option<&str>) -> String,
    /// Somebody's until then, at the cursor.
    pub held_until: fn(&str, &str) -> String,
    /// Not to be had, at the cursor; the argument says why.
    pub shut: fn(&str) -> String,
    /// The past, at the cursor.
    pub past: &'static str,
    /// The selection is gone.
    pub cleared: &'static str,
    /// Only its end can be changed.
    pub running_end_only: &'static str,
    /// Zone names in UTC, where hours and minutes are 0.
    pub utc: &'static str,
}
