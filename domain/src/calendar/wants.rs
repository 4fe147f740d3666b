//! Waiting for the cards of a booking: what is waited for, and whether somebody who waits would take one of them.

use time::{Duration, OffsetDateTime};

use crate::finder::{Link, Span, Want};
use crate::id::CardUuid;
use crate::reservation::LENGTH_MIN;
use crate::window::Window;
use crate::wire::calendar::{CalendarBooking, CalendarCard, CalendarHost, WaitAsk, WaitMode};

/// Nobody waits for longer.
const WAIT_MAX: Duration = Duration::days(59);

/// Waiting for as many cards like those of a booking, on its hosts, for what is left of its time. `None` where too little
/// is left, or where it has no card in sight.
#[must_use]
pub fn wait_for(
    booking: &CalendarBooking,
    hosts: &[CalendarHost],
    mode: WaitMode,
    now: OffsetDateTime,
) -> Option<WaitAsk> {
    let there = booking.holds.iter().filter(|hold| hold.window.is_none_or(|window| window.end() > now));
    let held: Vec<&CardUuid> = there.map(|hold| &hold.card).collect();
    let is_held = |card: &CalendarCard| held.contains(&&card.uuid);
    let on: Vec<&CalendarHost> = hosts.iter().filter(|host| host.cards.iter().any(is_held)).collect();
    let mut cards = on.iter().flat_map(|host| &host.cards).filter(|card| is_held(card));
    let model = &cards.next()?.model;
    let left = Window::new(booking.window.start().max(now), booking.window.end()).ok()?;
    if left.length() < LENGTH_MIN {
        return None;
    }
    let until = if booking.window.start() > now { left.start() } else { left.end() };
    let want = Want {
        count: u32::try_from(held.len()).ok()?,
        model: cards.all(|card| card.model == *model).then(|| model.clone()),
        architecture: None,
        memory_mib: None,
        link: if on.iter().any(|host| linked(host, &held)) { Link::NvLink } else { Link::Any },
        spread: on.len() > 1,
        hosts: on.iter().map(|host| host.name.clone()).collect(),
        labels: Vec::new(),
        when: Span::At(left),
    };
    Some(WaitAsk { want, purpose: String::new(), mode, until: until.min(now + WAIT_MAX) })
}

/// Whether all these cards, two at least, are on this host and linked with each other.
fn linked(host: &CalendarHost, cards: &[&CardUuid]) -> bool {
    let place = |uuid: &&CardUuid| host.cards.iter().position(|card| card.uuid == **uuid);
    let places: Option<Vec<usize>> = cards.iter().map(place).collect();
    let places = places.filter(|places| places.len() > 1).unwrap_or_default();
    let all = |set: &[u16]| places.iter().all(|place| set.iter().any(|member| usize::from(*member) == *place));
    !places.is_empty() && host.linked.iter().any(|(set, _)| all(set))
}

/// Whether somebody's place in the queue is for what is asked for, as when it is asked for twice.
#[must_use]
pub fn is_same(place: &Want, asked: &Want) -> bool {
    let end = |want: &Want| match want.when {
        Span::At(window) => Some(window.end()),
        Span::Earliest { .. } => None,
    };
    end(place).is_some()
        && end(place) == end(asked)
        && (place.count, &place.model, &place.hosts) == (asked.count, &asked.model, &asked.hosts)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::sample::{DAY, booking, host, hours};

    fn ask(window: Window, cards: &[u32]) -> Option<WaitAsk> {
        let hosts = [host("dgx", &[0, 1, 2], &[&[0, 1]]), host("rig", &[10, 11], &[])];
        wait_for(&booking(1, window, cards), &hosts, WaitMode::Book, DAY + Duration::hours(10))
    }

    #[test]
    fn one_waits_for_as_many_cards_on_the_same_hosts_in_what_is_left_of_the_time() {
        let asked = ask(hours(8, 18), &[0, 1]).expect("something to wait for");
        assert_eq!((asked.want.count, asked.want.link, asked.want.spread), (2, Link::NvLink, false));
        assert_eq!(
            (asked.want.hosts.as_slice(), asked.want.model.as_deref()),
            (["dgx".to_owned()].as_slice(), Some("H100"))
        );
        assert_eq!(asked.want.when, Span::At(hours(10, 18)));
        assert_eq!((asked.until, asked.mode), (DAY + Duration::hours(18), WaitMode::Book));
        let asked = ask(hours(14, 18), &[1, 10]).expect("something to wait for");
        assert_eq!((asked.want.count, asked.want.link, asked.want.spread), (2, Link::Any, true));
        assert_eq!(asked.until, DAY + Duration::hours(14), "given up when it would begin");
        assert_eq!(ask(hours(14, 18), &[1, 2]).map(|asked| asked.want.link), Some(Link::Any));
        assert_eq!(ask(hours(8, 10), &[0]), None, "over");
        assert_eq!(ask(hours(12, 14), &[77]), None, "on no host in sight");
    }

    #[test]
    fn what_is_asked_for_would_be_of_that_booking_and_is_known_again() {
        let hosts = [host("dgx", &[0, 1, 2], &[])];
        let running = booking(1, hours(8, 18), &[0, 1]);
        let ask = |hour| wait_for(&running, &hosts, WaitMode::Tell, DAY + Duration::hours(hour)).expect("a wait").want;
        assert!(concerns(&ask(10), &running, &hosts));
        assert!(is_same(&ask(10), &ask(12)), "time has passed meanwhile");
        assert!(!is_same(&ask(10), &Want { count: 1, ..ask(10) }));
    }
}
