use super::*;
use crate::calendar::sample::{DAY, booking, calendar, card, closure, host, hours};
use proptest::prelude::*;
use time::Duration;

fn counts(calendar: &Calendar, standing: &dyn Fn(&CardUuid) -> Standing) -> Vec<(i64, i64, u32)> {
    let busy = Busy::new(calendar);
    let to = DAY + Duration::hours(24);
    let hour = |at: OffsetDateTime| (at - DAY).whole_hours();
    let all = busy.stretches(&calendar.hosts[0], DAY, to, standing);
    all.iter().map(|stretch| (hour(stretch.window.start()), hour(stretch.window.end()), stretch.cards)).collect()
}

#[test]
fn bookings_and_closures_take_cards_away() {
    let bookings = vec![booking(1, hours(2, 6), &[0, 1]), booking(2, hours(4, 8), &[2])];
    let hosts = vec![host("dgx", &[0, 1, 2, 3], &[])];
    let calendar = calendar(hosts, bookings, vec![closure(Some(hours(8, 10)), &[0, 1, 2, 3]), closure(None, &[3])]);
    let expected = [(0, 2, 3), (2, 4, 1), (4, 6, 0), (6, 8, 2), (8, 10, 0), (10, 24, 3)];
    assert_eq!(counts(&calendar, &|_| Standing::Well), expected);
    let busy = Busy::new(&calendar);
    assert!(busy.is_free(&card(0), DAY) && !busy.is_free(&card(3), DAY));
    assert_eq!(busy.free_until(&card(0), DAY), Some(DAY + Duration::hours(2)));
    assert_eq!(busy.free_until(&card(0), DAY + Duration::hours(3)), Some(DAY + Duration::hours(3)));
    assert_eq!(busy.free_until(&card(0), DAY + Duration::hours(10)), None);
}

#[test]
fn what_is_out_of_order_or_in_use_is_not_free() {
    let calendar = calendar(vec![host("dgx", &[0, 1, 2], &[])], vec![booking(1, hours(0, 2), &[1])], Vec::new());
    let standing = |uuid: &CardUuid| match uuid {
        uuid if *uuid == card(0) => Standing::Out,
        uuid if *uuid == card(1) => Standing::UsedUntil(DAY + Duration::hours(1)),
        _ => Standing::Well,
    };
    assert_eq!(counts(&calendar, &standing), [(0, 2, 1), (2, 24, 2)]);
}

#[test]
fn shares_take_a_card_once() {
    let mut bookings = vec![booking(1, hours(1, 5), &[0]), booking(2, hours(2, 3), &[0])];
    bookings.iter_mut().for_each(|booking| booking.holds[0].shares = Some(1));
    let calendar = calendar(vec![host("dgx", &[0], &[])], bookings, Vec::new());
    assert_eq!(counts(&calendar, &|_| Standing::Well), [(0, 1, 1), (1, 5, 0), (5, 24, 1)]);
}

proptest! {
    #[test]
    fn at_every_hour_as_many_are_free_as_nobody_has(
        booked in proptest::collection::vec((0u32..5, 0i64..23, 1i64..10), 0..20)
    ) {
        let bookings = booked.iter().enumerate();
        let bookings = bookings.map(|(id, (card, from, long))| booking(id as u128, hours(*from, from + long), &[*card]));
        let calendar = calendar(vec![host("dgx", &[0, 1, 2, 3, 4], &[])], bookings.collect(), Vec::new());
        let found = counts(&calendar, &|_| Standing::Well);
        for hour in 0i64..24 {
            let held = |n: u32| booked.iter().any(|(card, from, long)| *card == n && (*from..from + long).contains(&hour));
            let free = u32::try_from((0..5).filter(|n| !held(*n)).count()).expect("few");
            let said = found.iter().find(|(from, to, _)| (*from..*to).contains(&hour)).map(|(_, _, cards)| *cards);
            prop_assert_eq!(said, Some(free), "hour {}", hour);
        }
        prop_assert!(found.windows(2).all(|two| two[0].1 == two[1].0 && two[0].2 != two[1].2));
    }
}
