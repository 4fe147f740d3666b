//! Whether somebody who waits would take a card of a booking, were it given back.

use crate::finder::{Span, Want};
use crate::wire::calendar::{CalendarBooking, CalendarCard, CalendarHost};

/// Whether a card of this booking is one that is waited for, at the time that it is waited for.
#[must_use]
pub fn concerns(want: &Want, booking: &CalendarBooking, hosts: &[CalendarHost]) -> bool {
    let in_time = match want.when {
        Span::At(window) => window.overlaps(&booking.window),
        Span::Earliest { from, until, .. } => booking.window.start() < until && from < booking.window.end(),
    };
    let card = |hold: &crate::wire::calendar::Hold| {
        hosts.iter().any(|host| host.cards.iter().any(|card| card.uuid == hold.card && fits(want, host, card)))
    };
    in_time && booking.holds.iter().any(card)
}

/// Whether a card is of the kind that is wanted.
fn fits(want: &Want, host: &CalendarHost, card: &CalendarCard) -> bool {
    (want.hosts.is_empty() || want.hosts.contains(&host.name))
        && want.model.as_ref().is_none_or(|model| *model == card.model)
        && want.memory_mib.is_none_or(|least| card.memory_mib.is_some_and(|memory| memory >= least))
        && want.labels.iter().all(|label| host.labels.contains(label) || card.labels.contains(label))
}
