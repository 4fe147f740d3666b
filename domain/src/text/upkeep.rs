//! Maintenance, and cards that are not to be had.

use time::OffsetDateTime;

use super::Text;
use crate::card::{CardNumber, Mib};
use crate::notice::NamedCard;
use crate::upkeep::{BadPlan, MaintenanceBrief};
use crate::window::Window;
use crate::zone::ZoneTable;

/// Maintenance, and cards that are not to be had.
#[derive(Debug)]
pub struct UpkeepText {
    /// Heading, and link in the administrators' navigation.
    pub title: &'static str,
    /// Heading: what runs and what is to come.
    pub planned: &'static str,
    /// Beside it.
    pub planned_note: &'static str,
    /// There is none.
    pub none_planned: &'static str,
    /// It runs; the argument is its end.
    pub runs_until: fn(&str) -> String,
    /// Who planned it.
    pub planned_by: fn(&str) -> String,
    /// No booking is met.
    pub nobody_hit: &'static str,
    /// So many bookings are met.
    pub hits: fn(usize) -> String,
    /// Makes another plan of it; also opens the forms of a card.
    pub change: &'static str,
    /// Calls it off.
    pub call_off: &'static str,
    /// What that means; arguments: the reason, and how many bookings it meets.
    pub call_off_sure: fn(&str, usize) -> String,
    /// Ends one that runs.
    pub end_now: &'static str,
    /// What that means; the argument is the reason.
    pub end_now_sure: fn(&str) -> String,
    /// Heading: what is over.
    pub past: &'static str,
    /// There is none.
    pub none_past: &'static str,
    /// Column.
    pub when: &'static str,
    /// Column and label.
    pub reason: &'static str,
    /// Below it, in the form of a maintenance.
    pub reason_hint: &'static str,
    /// Column and label: hosts and cards.
    pub concerned: &'static str,
    /// Below it.
    pub concerned_hint: &'static str,
    /// Column: who planned it.
    pub made_by: &'static str,
    /// It was called off.
    pub called_off: &'static str,
    /// Every card there is.
    pub everything: &'static str,
    /// All cards of a host.
    pub whole_host: fn(&str) -> String,
    /// How many those are.
    pub all_cards_of: fn(usize) -> String,
    /// Opens the list of single cards.
    pub single_cards: &'static str,
    /// The same with the host's name.
    pub single_cards_of: fn(&str) -> String,
    /// Column.
    pub person: &'static str,
    /// Column.
    pub booking: &'static str,
    /// Column.
    pub cards: &'static str,
    /// Column: the time in which both are.
    pub overlap: &'static str,
    /// Heading of the form.
    pub plan_heading: &'static str,
    /// The same where one is changed.
    pub change_heading: &'static str,
    /// Beside it.
    pub plan_note: &'static str,
    /// Label.
    pub start: &'static str,
    /// Label.
    pub end: &'static str,
    /// In which zone times are meant.
    pub zone: fn(&str) -> String,
    /// Shows who is hit.
    pub show_hits: &'static str,
    /// Gives up a change.
    pub leave_as_is: &'static str,
    /// Heading above who is hit.
    pub look_heading: &'static str,
    /// What would be closed; arguments: cards, when, how long.
    pub preview: fn(u32, &str, &str) -> String,
    /// How many bookings are met, and that nothing moves.
    pub preview_told: fn(usize) -> String,
    /// Saves it; the argument is how many bookings are met.
    pub save: fn(usize) -> String,
    /// The same where one is changed.
    pub save_change: fn(usize) -> String,

    /// Heading, and link in the administrators' navigation.
    pub cards_title: &'static str,
    /// No host reports any.
    pub no_cards: &'static str,
    /// Beside a host's name: cards, and how many of them may be booked.
    pub cards_of: fn(usize, usize) -> String,
    /// Column.
    pub card: &'static str,
    /// Column and heading.
    pub bookable: &'static str,
    /// It is.
    pub yes: &'static str,
    /// It is not; the argument is the reason.
    pub kept: fn(&str) -> String,
    /// Column and heading.
    pub shares: &'static str,
    /// Not open for shares.
    pub whole_only: &'static str,
    /// How many, and the memory of each in GB.
    pub shares_of: fn(u32, &str) -> String,
    /// Column: bookings from now on.
    pub booked: &'static str,
    /// Closes the forms of a card.
    pub close: &'static str,
    /// What a button does, and to which card of which host.
    pub change_card: fn(&str, CardNumber, &str) -> String,
    /// Below the reason for which a card is kept back.
    pub keep_hint: &'static str,
    /// Keeps it back; the argument is how many bookings it has.
    pub keep: fn(u32) -> String,
    /// What letting it be booked means.
    pub let_book_note: &'static str,
    /// Lets it be booked.
    pub let_book: &'static str,
    /// What shares are.
    pub shares_note: &'static str,
    /// Label.
    pub share_count: &'static str,
    /// Label.
    pub share_memory: &'static str,
    /// Below them: the card's memory in GB.
    pub memory_of: fn(&str) -> String,
    /// Not numbers.
    pub not_numbers: &'static str,
    /// Opens it for shares.
    pub open_shares: &'static str,
    /// Divides it otherwise.
    pub change_shares: &'static str,
    /// Closes it.
    pub close_shares: &'static str,

    /// A booking meets maintenance; arguments: the cards, the time in words, the reason.
    pub in_the_way: fn(&str, &str, &str) -> String,
    /// The same where the cards are not at hand: the form without scripts.
    pub in_the_way_plain: &'static str,
    /// From when and until when; the start may be empty: from before.
    pub lasts: fn(&str, &str) -> String,
    /// A card that nobody may book; arguments: card, host, reason.
    pub kept_back: fn(CardNumber, &str, &str) -> String,
    /// Why a maintenance cannot be planned so.
    pub bad_plan: fn(BadPlan) -> &'static str,
    /// No such maintenance.
    pub unknown: &'static str,
    /// It is over or was called off.
    pub already_over: &'static str,
    /// The same form came with other content.
    pub key_reused: &'static str,
    /// People have booked since the list was shown; the argument is their names.
    pub others_hit: fn(&[&str]) -> String,
    /// No such card.
    pub unknown_card: &'static str,
    /// Not a reason.
    pub bad_reason: &'static str,
    /// What owners of later bookings are told about a card that is kept back; the argument is the reason.
    pub kept_back_why: fn(&str) -> String,
    /// A card that cannot be divided; arguments: card and host.
    pub not_shareable: fn(CardNumber, &str) -> String,
    /// Too few, too many, or more memory than there is; the argument is the card's memory, where known.
    pub shares_do_not_fit: fn(Option<Mib>) -> String,
    /// Who holds a share, and until when.
    pub share_holder: fn(&str, &str) -> String,
    /// Shares that would go are booked; arguments: what [`UpkeepText::share_holder`] gave, and when the last one ends.
    pub shares_booked: fn(&[String], &str) -> String,
}

impl Text {
    /// The refusal of a booking that meets maintenance: which cards, until when, why. Times in the reader's zone.
    #[must_use]
    pub fn maintenance_in_the_way(
        &self,
        met: &MaintenanceBrief,
        cards: &[NamedCard],
        asked: &Window,
        zone: &ZoneTable,
        now: OffsetDateTime,
    ) -> String {
        let from = (met.window.start() > asked.start()).then(|| self.moment(zone, met.window.start(), now));
        let lasts = (self.upkeep.lasts)(&from.unwrap_or_default(), &self.moment(zone, met.window.end(), now));
        (self.upkeep.in_the_way)(&self.cards_by_host(cards), &lasts, &met.reason)
    }

    /// The refusal of a booking of a card that nobody may book.
    #[must_use]
    pub fn kept_back(&self, card: CardNumber, host: &str, reason: &str) -> String {
        (self.upkeep.kept_back)(card, host, reason)
    }

    /// Cards by their hosts, in the order in which they come: "rig, cards 0 and 1; dgx, card 5".
    #[must_use]
    pub fn cards_by_host(&self, cards: &[NamedCard]) -> String {
        let mut hosts: Vec<(&str, Vec<CardNumber>)> = Vec::new();
        for card in cards {
            match hosts.iter_mut().find(|(host, _)| *host == card.host) {
                Some((_, numbers)) => numbers.push(card.number),
                None => hosts.push((&card.host, vec![card.number])),
            }
        }
        let named: Vec<String> = hosts.iter().map(|(host, numbers)| (self.booking.cards_on)(host, numbers)).collect();
        named.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{CardUuid, MaintenanceId};
    use crate::text::en;
    use time::Duration;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

    fn said(asked_from: i64, cards: &[(&str, u32)]) -> String {
        let hours = |from, to| Window::new(NOW + Duration::hours(from), NOW + Duration::hours(to)).expect("not empty");
        let id = MaintenanceId(uuid::Uuid::nil());
        let met = MaintenanceBrief { id, reason: "New fans".to_owned(), window: hours(2, 26) };
        let named = |&(host, index): &(&str, u32)| NamedCard {
            uuid: CardUuid::parse(&format!("GPU-{host}-{index}")).expect("valid"),
            host: host.to_owned(),
            number: index.into(),
        };
        let cards: Vec<NamedCard> = cards.iter().map(named).collect();
        en().maintenance_in_the_way(&met, &cards, &hours(asked_from, 30), &ZoneTable::utc(), NOW)
    }

    #[test]
    fn the_refusal_names_cards_time_and_reason() {
        assert_eq!(
            said(3, &[("rig", 1), ("rig", 2)]),
            "Not booked. Maintenance of rig, cards 1 and 2 until Tue 12:00: New fans. Choose other cards or another time."
        );
        assert_eq!(
            said(1, &[("rig", 1), ("dgx", 5)]),
            "Not booked. Maintenance of rig, card 1; dgx, card 5 from 12:00 until Tue 12:00: New fans. \
             Choose other cards or another time."
        );
    }
}
