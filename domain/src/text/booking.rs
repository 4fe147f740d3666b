//! The page of one booking.

use crate::card::CardNumber;
use crate::trouble::Trouble;

/// Words around the launch box; those inside are in [`crate::text::LaunchText`].
#[derive(Debug)]
pub struct BookingText {
    /// Title of a booking without a purpose.
    pub untitled: &'static str,
    /// Last part of the way here: the booking's short name.
    pub short_name: fn(&str) -> String,
    /// Host and indices: `dgx-h100, cards 2 and 3`.
    pub cards_on: fn(&str, &[CardNumber]) -> String,
    /// A card of the booking cannot be used for now; arguments: why, card and host.
    pub trouble: fn(Trouble, CardNumber, &str) -> String,
    /// What becomes of the booking.
    pub trouble_why: &'static str,
    /// Leads to the form.
    pub trouble_way: &'static str,
    /// Before the holder.
    pub booked_by: &'static str,
    /// Label of the box with the time.
    pub time: &'static str,
    /// Time left: length.
    pub left: fn(&str) -> String,
    /// Time until it begins: length.
    pub begins_in: fn(&str) -> String,
    /// Already begun.
    pub begun_note: &'static str,
    /// Not begun.
    pub scheduled_note: &'static str,
    /// Over.
    pub ended_note: &'static str,
    /// Called off.
    pub cancelled_note: &'static str,
    /// After the end: nobody is known.
    pub then_free: &'static str,
    /// After the end: free until, then who.
    pub then_free_until: fn(&str, &str) -> String,
    /// After the end: at once somebody else.
    pub then_at_once: fn(&str) -> String,
    /// The zone, and the span in UTC.
    pub zone: fn(&str, &str) -> String,
    /// Heading of the launch box, where all cards are on one host.
    pub launch: &'static str,
    /// The same for one of several hosts.
    pub launch_on: fn(&str) -> String,
    /// Label of the tabs.
    pub how: &'static str,
    /// Before the booking begins: from when lines work.
    pub not_yet: fn(&str) -> String,
    /// Heading of the list of cards where there is nothing to launch.
    pub cards: &'static str,
    /// Copies a text.
    pub copy: &'static str,
    /// It was copied.
    pub copied: &'static str,
    /// It could only be selected.
    pub selected: &'static str,
    /// First words.
    pub why_uuid: &'static str,
    /// Why.
    pub why_uuid_text: &'static str,
    /// Heading.
    pub check: &'static str,
    /// What it must print.
    pub expected: fn(&str) -> String,
    /// Caption of the table of cards.
    pub map_caption: &'static str,
    /// Column: card on a host.
    pub card_on: fn(&str) -> String,
    /// Column: name in a program.
    pub in_program: &'static str,
    /// Column.
    pub uuid: &'static str,
    /// Column.
    pub pci: &'static str,
    /// Column.
    pub model: &'static str,
    /// No value.
    pub not_reported: &'static str,
    /// The viewer has no account on the host.
    pub unlinked: fn(&str) -> String,
    /// What to do.
    pub unlinked_why: &'static str,
    /// Which account the viewer has there.
    pub linked: fn(&str, &str) -> String,
    /// What the guard is and is not.
    pub cooperative: &'static str,
    /// Makes a code.
    pub make_code: &'static str,
    /// Where to run it.
    pub run_there: fn(&str) -> String,
    /// Where to run it, on any host.
    pub run_anywhere: &'static str,
    /// Before the time until which it is valid.
    pub code_valid: &'static str,
    /// After it.
    pub code_once: &'static str,
    /// Making a code shows it once, which needs scripts.
    pub needs_scripts: &'static str,
}
