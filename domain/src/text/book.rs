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
    /// The holder, where that is the viewer.
    pub you: &'static str,
    /// Label of the times in words.
    pub spoken: &'static str,
    /// What can be said there.
    pub spoken_hint: &'static str,
    /// Heading of the panel for a new booking.
    pub new_title: &'static str,
    /// Closes the panel.
    pub close: &'static str,
    /// Said once it is booked: cards, span.
    pub booked: fn(usize, &str) -> String,
    /// The same of repeats: so many of how many.
    pub booked_series: fn(usize, usize) -> String,
    /// Said once a change is saved: span.
    pub saved: fn(&str) -> String,
    /// Why a day of repeats cannot be booked: a card is taken.
    pub day_taken_plain: &'static str,
    /// Heading where a booking is changed.
    pub change_title: &'static str,
    /// The main button of a change: span, length.
    pub save: fn(&str, &str) -> String,
    /// The same while the times cannot be read.
    pub save_plain: &'static str,
    /// Legend of the cards where all are on one host.
    pub cards_on: fn(&str) -> String,
    /// No card is picked.
    pub none_picked: &'static str,
    /// So many cards like those that are picked, whichever.
    pub any_like_these: fn(usize) -> String,
    /// There are no such cards.
    pub none_like_these: &'static str,
    /// The path between cards, as `nvidia-smi topo -m` says it.
    pub linked_by: fn(&str) -> String,
    /// When the card is wanted next.
    pub next_wanted: fn(&str) -> String,
    /// A quick length, in minutes.
    pub chip: fn(i64) -> String,
    /// Cards are taken: names, how many.
    pub taken: fn(&str, usize) -> String,
    /// Cards are taken from a time on: names, how many, from when.
    pub taken_from: fn(&str, usize, &str) -> String,
    /// When somebody holds a card, and the part of it that is in the way with its length.
    pub overlap: fn(&str, &str, &str) -> String,
    /// So many more are in the way.
    pub more_in_the_way: fn(usize) -> String,
    /// Leads to the booking in the way.
    pub open: &'static str,
    /// The same with its holder, for those who do not see where it stands.
    pub open_of: fn(&str) -> String,
    /// A way out: ends then.
    pub end_at: fn(&str) -> String,
    /// A way out: begins then.
    pub start_at: fn(&str) -> String,
    /// On the same cards: a length or span.
    pub same_cards: fn(&str) -> String,
    /// At the same time.
    pub same_time: &'static str,
    /// Cards with the path between them.
    pub with_link: fn(&str, &str) -> String,
    /// A span with its length.
    pub span_and_length: fn(&str, &str) -> String,
    /// A way out: waits for the cards at that time.
    pub wait: fn(&str) -> String,
    /// What that means.
    pub wait_note: &'static str,
    /// Said once one waits.
    pub waits: &'static str,
    /// Label.
    pub repeat: &'static str,
    /// Not at all.
    pub never: &'static str,
    /// Every day.
    pub every_day: &'static str,
    /// Monday to Friday.
    pub every_weekday: &'static str,
    /// The same day of each week.
    pub every_week: &'static str,
    /// Label of the last day.
    pub until: &'static str,
    /// So many, the last of them on that day.
    pub series: fn(usize, &str) -> String,
    /// A date: day of the week, day, month.
    pub dated: fn(&str, u8, &str) -> String,
    /// Above the days that cannot be booked.
    pub series_clash: &'static str,
    /// A card is taken that day: number, host, holder.
    pub day_taken: fn(CardNumber, &str, &str) -> String,
    /// The time comes twice that day.
    pub day_twice: &'static str,
    /// The time does not exist that day; the next that does.
    pub day_never: fn(&str) -> String,
    /// Asks which of two equal times is meant.
    pub day_twice_which: &'static str,
    /// Before clocks are set back.
    pub doubled_first: &'static str,
    /// After.
    pub doubled_second: &'static str,
    /// Of the repeats those that are free.
    pub take_free: &'static str,
    /// All of them or none.
    pub take_all: &'static str,
    /// The main button: how many, from clock to clock.
    pub book_series: fn(usize, &str) -> String,
    /// The main button: all or none of so many.
    pub book_all: fn(usize, &str) -> String,
    /// The main button: those that are free, of so many.
    pub book_some: fn(usize, usize, &str) -> String,
    /// Legend: how far a change reaches.
    pub scope: &'static str,
    /// This one.
    pub this_one: &'static str,
    /// It and all that follow.
    pub and_following: &'static str,
    /// Label of the number of shares: card, host, of how many.
    pub shares_of: fn(CardNumber, &str, u32) -> String,
    /// What no number means.
    pub whole_card: &'static str,
    /// That nobody enforces shares.
    pub share_note: &'static str,
    /// The same with the memory of each share, in GB.
    pub share_note_memory: fn(u64) -> String,
    /// Label: for whom.
    pub owner: &'static str,
    /// For oneself.
    pub owner_self: &'static str,
    /// Opens the list of colleagues.
    pub co_users: &'static str,
    /// What it means to be named there.
    pub co_users_note: &'static str,
    /// Label of the rules.
    pub rules: &'static str,
    /// Somebody must approve, by this rule.
    pub needs_approval: fn(&str) -> String,
    /// Name of a rule, and what it says.
    pub rule_note: fn(&str, &str) -> String,
    /// None of a series was booked.
    pub none_of_series: &'static str,
    /// The portal refused: maintenance.
    pub refused_maintenance: &'static str,
    /// The portal refused: too few shares.
    pub refused_shares: &'static str,
    /// The portal refused: a rule.
    pub refused_rule: &'static str,
    /// The portal refused: somebody is not known.
    pub refused_person: &'static str,
    /// The portal refused: it has been changed meanwhile.
    pub refused_changed: &'static str,
    /// The portal refused: for one that follows the time comes twice.
    pub refused_twice: &'static str,
    /// The portal refused: it has begun.
    pub refused_past: &'static str,
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
