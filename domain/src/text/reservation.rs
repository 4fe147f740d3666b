//! Why something was not booked, not cancelled, not ended.

use crate::card::CardNumber;
use time::OffsetDateTime;

use super::Text;
use crate::reservation::{CARDS_MAX, Clash, PURPOSE_MAX_CHARS, Unbookable};
use crate::window::Window;
use crate::zone::ZoneTable;

/// Most holders that one sentence names.
const NAMED_HOLDERS: usize = 3;

/// The sentences about bookings.
#[derive(Debug)]
pub struct ReservationText {
    /// No card was picked.
    pub no_cards: &'static str,
    /// Argument: the most cards.
    pub too_many_cards: fn(usize) -> String,
    /// The start is in the past.
    pub start_in_the_past: &'static str,
    /// The end is in the past.
    pub end_in_the_past: &'static str,
    /// The end is not after the start.
    pub ends_before_it_starts: &'static str,
    /// Argument: the shortest length, in minutes.
    pub too_short: fn(i64) -> String,
    /// Argument: the longest length, in days.
    pub too_long: fn(i64) -> String,
    /// Argument: the days ahead that a booking may begin.
    pub too_far_ahead: fn(i64) -> String,
    /// Argument: the longest purpose, in characters.
    pub bad_purpose: fn(usize) -> String,
    /// Argument: the UUID, shortened.
    pub unknown_card: fn(&str) -> String,
    /// A host no longer reports a card; arguments: index and host.
    pub card_gone: fn(CardNumber, &str) -> String,
    /// A card is lost or sick; arguments: index and host.
    pub card_sick: fn(CardNumber, &str) -> String,
    /// The card is cut into MIG instances.
    pub card_cut: fn(CardNumber, &str) -> String,
    /// A host is retired; arguments: index and host.
    pub card_retired: fn(CardNumber, &str) -> String,
    /// A host has said nothing for a day; arguments: card and host.
    pub host_gone: fn(CardNumber, &str) -> String,
    /// Who has what.
    pub held: fn(&Holding<'_>) -> String,
    /// Arguments: what [`ReservationText::held`] gave, and the number of bookings in the way that are not named.
    pub overlap: fn(&[String], usize) -> String,
    /// Somebody was faster, and has given the card back since.
    pub overlap_gone: &'static str,
    /// The same key came with other content.
    pub key_reused: &'static str,
    /// Cancelling what has begun.
    pub already_begun: &'static str,
    /// Cancelling or ending what is over.
    pub already_over: &'static str,
    /// Ending what has not begun.
    pub not_begun: &'static str,
    /// Somebody else's booking.
    pub not_yours: &'static str,
    /// No such booking.
    pub unknown: &'static str,
    /// Too many people book at once.
    pub busy: &'static str,
    /// What refusals of a booking begin with.
    pub not_booked: &'static str,
    /// What they begin with where a booking is edited.
    pub not_changed: &'static str,
    /// What they begin with where a booking is approved.
    pub not_approved: &'static str,
    /// It has been edited since the reader saw it.
    pub changed: &'static str,
    /// The start of a running booking.
    pub start_is_fixed: &'static str,
    /// A new end that has passed.
    pub end_is_past: &'static str,
    /// Nobody has to approve it.
    pub awaits_no_approval: &'static str,
    /// It is not offered.
    pub awaits_no_answer: &'static str,
    /// Neither an administrator nor a manager of its owner's group.
    pub not_an_approver: &'static str,
    /// Booking for somebody else without being an administrator.
    pub only_for_oneself: &'static str,
    /// A person who is named.
    pub unknown_person: &'static str,
    /// Argument: the most people.
    pub too_many_co_users: fn(usize) -> String,
    /// It is that person's already.
    pub theirs_already: &'static str,
    /// A zone that nobody knows.
    pub unknown_zone: &'static str,
    /// Argument: the most characters.
    pub bad_reason: fn(usize) -> String,
    /// A card that is booked whole only; arguments: card and host.
    pub not_open_for_shares: fn(CardNumber, &str) -> String,
    /// Arguments: card, host, shares that are free, shares that there are.
    pub no_shares: fn(CardNumber, &str, u32, u32) -> String,
    /// A rule asks for approval of more of a booking that runs.
    pub approval_while_running: &'static str,
    /// Argument: the most bookings of a series.
    pub bad_repeat: fn(usize) -> String,
    /// One of several that are moved; arguments: when it is, and what is wrong.
    pub one_of_series: fn(&str, &str) -> String,
}

/// One holder and the cards of one host that are held by one booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding<'a> {
    /// Display name; `None` for the reader.
    pub holder: Option<&'a str>,
    /// Indices of the cards, in order.
    pub cards: Vec<CardNumber>,
    /// Name of the host.
    pub host: &'a str,
    /// Start, where it comes after the start of what was asked for.
    pub from: Option<String>,
    /// End.
    pub until: String,
}

impl Text {
    /// The sentence for a wish that cannot be booked whatever else is booked.
    #[must_use]
    pub fn unbookable(&self, why: &Unbookable, asked: &Window, now: OffsetDateTime) -> String {
        let text = &self.reservation;
        match why {
            Unbookable::NoCards => text.no_cards.to_owned(),
            Unbookable::TooManyCards => (text.too_many_cards)(CARDS_MAX),
            Unbookable::InThePast if asked.end() <= now => text.end_in_the_past.to_owned(),
            Unbookable::InThePast => text.start_in_the_past.to_owned(),
            Unbookable::TooShort => (text.too_short)(crate::reservation::LENGTH_MIN.whole_minutes()),
            Unbookable::TooLong => (text.too_long)(crate::reservation::LENGTH_MAX.whole_days()),
            Unbookable::TooFarAhead => (text.too_far_ahead)(crate::reservation::AHEAD_MAX.whole_days()),
            Unbookable::BadPurpose => (text.bad_purpose)(PURPOSE_MAX_CHARS),
        }
    }

    /// The sentence for cards that are held at the time asked for: who has which until when, in the reader's zone.
    #[must_use]
    pub fn overlap(&self, clashes: &[Clash], asked: &Window, zone: &ZoneTable, now: OffsetDateTime) -> String {
        let mut bookings: Vec<(&Clash, Vec<CardNumber>)> = Vec::new();
        for clash in clashes {
            let same = |first: &Clash| first.reservation == clash.reservation && first.host == clash.host;
            match bookings.iter_mut().find(|(first, _)| same(first)) {
                Some((_, cards)) => cards.push(clash.number),
                None => bookings.push((clash, vec![clash.number])),
            }
        }
        let more = bookings.len().saturating_sub(NAMED_HOLDERS);
        let named: Vec<String> = bookings
            .into_iter()
            .take(NAMED_HOLDERS)
            .map(|(clash, mut cards)| {
                cards.sort_unstable();
                cards.dedup();
                let start = clash.window.start();
                (self.reservation.held)(&Holding {
                    holder: (!clash.own).then_some(clash.holder.as_str()),
                    cards,
                    host: &clash.host,
                    from: (start > asked.start()).then(|| self.moment(zone, start, now)),
                    until: self.moment(zone, clash.window.end(), now),
                })
            })
            .collect();
        if named.is_empty() {
            return self.reservation.overlap_gone.to_owned();
        }
        (self.reservation.overlap)(&named, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{CardUuid, ReservationId};
    use crate::text::en;
    use time::Duration;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

    fn clash(booking: u128, holder: &str, host: &str, index: u32, from: i64, until: i64) -> Clash {
        let hour = |n| NOW + Duration::hours(n);
        Clash {
            reservation: ReservationId(uuid::Uuid::from_u128(booking)),
            card: CardUuid::parse(&format!("GPU-{index}")).expect("valid"),
            host: host.to_owned(),
            number: index.into(),
            holder: holder.to_owned(),
            own: holder == "Me",
            window: Window::new(hour(from), hour(until)).expect("not empty"),
        }
    }

    fn said(clashes: &[Clash]) -> String {
        let asked = Window::new(NOW, NOW + Duration::hours(8)).expect("not empty");
        en().overlap(clashes, &asked, &ZoneTable::utc(), NOW)
    }

    #[test]
    fn one_holder() {
        assert_eq!(
            said(&[clash(1, "Aiko Tanaka", "dgx-h100", 5, -1, 6)]),
            "Not booked. Aiko Tanaka has card 5 on dgx-h100 until 16:00. Choose another card or time."
        );
    }

    #[test]
    fn cards_of_one_booking_are_named_together() {
        let clashes = [3, 1, 2].map(|index| clash(1, "Aiko Tanaka", "dgx-h100", index, 1, 6));
        assert_eq!(
            said(&clashes),
            "Not booked. Aiko Tanaka has cards 1, 2 and 3 on dgx-h100 from 11:00 until 16:00. \
             Choose another card or time."
        );
    }

    #[test]
    fn own_bookings_and_many_holders() {
        let clashes: Vec<Clash> = ["Me", "Bo", "Cy", "Di", "Ed"]
            .into_iter()
            .zip(0u32..)
            .map(|(name, n)| clash(n.into(), name, "rig", n, 0, 2))
            .collect();
        assert_eq!(
            said(&clashes),
            "Not booked. You have card 0 on rig until 12:00, Bo has card 1 on rig until 12:00, \
             Cy has card 2 on rig until 12:00, and 2 more bookings are in the way. Choose another card or time."
        );
    }

    #[test]
    fn nobody_is_in_the_way_any_more() {
        assert_eq!(said(&[]), en().reservation.overlap_gone);
    }
}
