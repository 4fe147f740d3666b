use super::*;
use crate::calendar::sample::{booking, calendar, card, closure, host, hours};

fn found(calendar: &Calendar, cards: &[u32], window: Window, except: Option<u128>) -> Vec<(u32, Window, By)> {
    let wanted: Vec<_> = cards.iter().map(|n| card(*n)).collect();
    let except = except.map(|id| ReservationId(uuid::Uuid::from_u128(id)));
    let number = |uuid: &CardUuid| (0..99).find(|n| card(*n) == *uuid).expect("a card of the sample");
    let all = obstacles(calendar, &wanted, &BTreeMap::new(), &window, except);
    all.into_iter().map(|obstacle| (number(&obstacle.card), obstacle.window, obstacle.by)).collect()
}

#[test]
fn only_what_overlaps_is_in_the_way() {
    let bookings = vec![booking(1, hours(2, 6), &[0, 1]), booking(2, hours(6, 8), &[0])];
    let calendar = calendar(vec![host("dgx", &[0, 1, 2], &[])], bookings, vec![closure(Some(hours(7, 9)), &[2])]);
    assert_eq!(found(&calendar, &[0], hours(0, 2), None), []);
    assert_eq!(
        found(&calendar, &[0, 2], hours(5, 7), None),
        [(0, hours(5, 6), By::Booking(0)), (0, hours(6, 7), By::Booking(1))]
    );
    assert_eq!(
        found(&calendar, &[0, 2], hours(5, 8), Some(1)),
        [(0, hours(6, 8), By::Booking(1)), (2, hours(7, 8), By::Closure(0))]
    );
}

#[test]
fn a_card_that_nobody_may_book_is_always_in_the_way() {
    let calendar = calendar(vec![host("dgx", &[0], &[])], Vec::new(), vec![closure(None, &[0])]);
    assert_eq!(found(&calendar, &[0], hours(3, 4), None), [(0, hours(3, 4), By::Closure(0))]);
}

#[test]
fn shares_are_in_the_way_once_there_are_not_enough() {
    let mut rig = host("rig", &[0], &[]);
    rig.cards[0].shares = Some(3);
    let mut bookings = vec![booking(1, hours(0, 4), &[0]), booking(2, hours(2, 6), &[0])];
    bookings.iter_mut().for_each(|booking| booking.holds[0].shares = Some(1));
    let calendar = calendar(vec![rig], bookings, Vec::new());
    let of = |count: u32, window: Window| {
        let shares = BTreeMap::from([(card(0), count)]);
        let by: Vec<_> = obstacles(&calendar, &[card(0)], &shares, &window, None).iter().map(|one| one.by).collect();
        by
    };
    assert_eq!(of(1, hours(0, 6)), []);
    assert_eq!(of(2, hours(0, 2)), []);
    assert_eq!(of(2, hours(0, 6)), [By::Booking(1)]);
    // The whole card is in the way of all shares.
    assert_eq!(found(&calendar, &[0], hours(0, 6), None).len(), 2);
}
