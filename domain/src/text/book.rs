//! The booking form.

use crate::card::CardNumber;
use crate::draft::wall::BadWall;
use crate::draft::{Problem, Unreadable};
use crate::reservation::series::OCCURRENCES_MAX;
use crate::text::{Text, When};

/// Words of the booking form.
#[derive(Debug)]
pub struct BookText {
    /// Heading.
    pub title: &'static str,
    /// Legend of the cards.
    pub cards: &'static str,
    /// So many cards are ticked.
    pub picked: fn(usize) -> String,
    /// There is no host.
    pub no_hosts: &'static str,
    /// What to do about it, for an administrator.
    pub no_hosts_admin: &'static str,
    /// The same for everybody else.
    pub no_hosts_member: &'static str,
    /// Leads to adding a host.
    pub add_host: &'static str,
    /// A host has reported no card.
    pub no_cards_on_host: &'static str,
    /// Cards were asked for by the address that do not exist.
    pub unknown_picked: fn(usize) -> String,
    /// Legend of the times.
    pub when: &'static str,
    /// Label.
    pub start: &'static str,
    /// Label.
    pub end: &'static str,
    /// The same span in coordinated universal time.
    pub in_utc: fn(&str) -> String,
    /// Label of the quick lengths.
    pub lengths: &'static str,
    /// So many hours.
    pub hours: fn(i64) -> String,
    /// Until the next morning.
    pub until_tomorrow: fn(&str) -> String,
    /// Starts at once.
    pub start_now: &'static str,
    /// Label.
    pub purpose: &'static str,
    /// Below the purpose.
    pub purpose_hint: &'static str,
    /// The main button: cards, span, length.
    pub book: fn(usize, &str, &str) -> String,
    /// The main button while the times cannot be read.
    pub book_plain: fn(usize) -> String,
    /// The main button while the answer is awaited.
    pub booking: &'static str,
    /// A card is the viewer's until then.
    pub yours_until: fn(&str) -> String,
    /// A card is somebody's until then.
    pub held_until: fn(&str, &str) -> String,
    /// A card is free.
    pub free: &'static str,
    /// A card is free until then.
    pub free_until: fn(&str) -> String,
    /// Who comes next.
    pub then: fn(&str) -> String,
    /// Who comes next, and when.
    pub then_from: fn(&str, &str) -> String,
    /// A card is lost.
    pub lost: &'static str,
    /// A card waits for a reset.
    pub reset_needed: &'static str,
    /// A card fails.
    pub failing: &'static str,
    /// A card of a host that has said nothing for a day.
    pub host_gone: &'static str,
    /// A card that is cut into MIG instances.
    pub cut: &'static str,
    /// A card whose memory repair waits for a reset.
    pub repair_pending: &'static str,
    /// A card whose memory repair has failed.
    pub defective: &'static str,
    /// A host says nothing.
    pub silent: &'static str,
    /// A ticked value is no card.
    pub bad_card: fn(&str) -> String,
    /// The start is empty.
    pub start_empty: &'static str,
    /// The end is empty.
    pub end_empty: &'static str,
    /// Not a date and a time.
    pub time_unreadable: &'static str,
    /// Clocks jump over it; argument: the next time that exists.
    pub time_never: fn(&str) -> String,
    /// It comes twice.
    pub time_twice: &'static str,
    /// The end is not after the start.
    pub ends_first: &'static str,
    /// A question: was this end meant?
    pub end_meant: fn(&str) -> String,
    /// Takes a suggested time.
    pub take: fn(&str) -> String,
    /// The last day of the repeats is no day.
    pub until_unreadable: &'static str,
    /// It lies before the first.
    pub until_first: &'static str,
    /// There would be more repeats than this.
    pub too_many_repeats: fn(usize) -> String,
    /// A number of shares is none.
    pub shares_unreadable: &'static str,
    /// The form is not one of ours.
    pub bad_key: &'static str,
    /// The viewer's zone is not the one in which the form was filled.
    pub zone_changed: fn(&str) -> String,
    /// The portal refused: cards are taken.
    pub refused_taken: &'static str,
    /// The portal refused: a card cannot be booked.
    pub not_bookable: &'static str,
    /// So many cards are taken.
    pub taken: fn(usize) -> String,
    /// Index, host, holder and span of one of them.
    pub taken_by: fn(CardNumber, &str, &str, &str) -> String,
    /// The holder, where that is the viewer.
    pub you: &'static str,
    /// Until when, then a length: the same cards, shorter.
    pub offer_shorter: fn(&str, &str) -> String,
    /// Cards by host, the same time.
    pub offer_elsewhere: fn(&str) -> String,
    /// From when, then a span.
    pub offer_later: fn(&str, &str) -> String,
}

impl Text {
    /// Why a form cannot be read as a booking.
    #[must_use]
    pub fn unreadable(&self, why: &Unreadable, when: &When<'_>) -> String {
        let text = &self.book;
        match why {
            Unreadable::Card(card) => (text.bad_card)(card),
            Unreadable::Start(BadWall::Empty) => text.start_empty.to_owned(),
            Unreadable::End(BadWall::Empty) => text.end_empty.to_owned(),
            Unreadable::Start(bad) | Unreadable::End(bad) => self.bad_wall(bad, when),
            Unreadable::EndsFirst { meant: None } => text.ends_first.to_owned(),
            Unreadable::EndsFirst { meant: Some(meant) } => {
                format!("{} {}", text.ends_first, (text.end_meant)(&when.at(*meant)))
            }
            Unreadable::Until => text.until_unreadable.to_owned(),
            Unreadable::UntilFirst => text.until_first.to_owned(),
            Unreadable::TooMany => (text.too_many_repeats)(OCCURRENCES_MAX),
            Unreadable::Shares => text.shares_unreadable.to_owned(),
            Unreadable::Key => text.bad_key.to_owned(),
        }
    }

    /// Why a form cannot be booked as it stands.
    #[must_use]
    pub fn problem(&self, problem: &Problem, when: &When<'_>) -> String {
        match problem {
            Problem::Unreadable(why) => self.unreadable(why, when),
            Problem::Unbookable(why, window) => self.unbookable(why, window, when.now),
        }
    }

    pub(super) fn bad_wall(&self, bad: &BadWall, when: &When<'_>) -> String {
        match bad {
            BadWall::Empty | BadWall::Unreadable => self.book.time_unreadable.to_owned(),
            BadWall::Never { next } => (self.book.time_never)(&when.clock(*next)),
            BadWall::Twice { .. } => self.book.time_twice.to_owned(),
        }
    }
}
