//! Cards that are open for shares.

use std::collections::BTreeMap;

use domain::error::ErrorCode;
use domain::id::{CardUuid, ReservationId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, Target};
use domain::window::Window;
use time::Duration;

use super::{Portal, hours, overlaps, portal, to_cards, to_window, wish};
use crate::support::fleet::{host, member};

fn shares(card: &CardUuid, count: u32, window: Window) -> NewReservation {
    NewReservation { shares: [(card.clone(), count)].into(), ..wish(std::slice::from_ref(card), window) }
}

fn to_shares(card: &CardUuid, count: u32, window: Option<Window>) -> Edit {
    let (cards, shares) = (Some(vec![card.clone()]), BTreeMap::from([(card.clone(), count)]));
    Edit::Set(Target { window, cards, shares, ..Target::default() })
}

/// Shares of card 0 that a booking holds at an hour.
async fn held(portal: &Portal, id: ReservationId, hour: i64) -> usize {
    let at = hour * 60 + 30;
    portal.holds(id).await.iter().filter(|(card, _, [from, to], _)| *card == 0 && *from <= at && at < *to).count()
}

async fn four_shares() -> (Portal, Vec<CardUuid>) {
    let portal = portal(2).await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    portal.run("update card set shares = 4 where card_index = 0").await;
    (portal, cards)
}

#[tokio::test]
async fn so_many_as_there_are_and_no_more() {
    let (portal, cards) = four_shares().await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let first = portal.reservations.book(&ada, &shares(&cards[0], 3, hours(1, 5))).await.unwrap();
    assert_eq!(held(&portal, first, 1).await, 3);
    let refused = portal.reservations.book(&bob, &shares(&cards[0], 2, hours(2, 3))).await.unwrap_err();
    assert_eq!((refused.code, refused.clashes.len()), (ErrorCode::NoShares, 1));
    assert_eq!(
        refused.message,
        "Not booked. Of the 4 shares of card 0 on rig, 1 can be had in that time. Ask for fewer, or choose another card or \
         time."
    );
    assert_eq!((refused.clashes[0].reservation, refused.clashes[0].holder.as_str()), (first, "Person ada"));
    portal.reservations.book(&bob, &shares(&cards[0], 1, hours(2, 3))).await.unwrap();
    portal.reservations.book(&bob, &shares(&cards[0], 4, hours(5, 6))).await.expect("back to back");
    let not_open = portal.reservations.book(&bob, &shares(&cards[1], 1, hours(2, 3))).await.unwrap_err();
    assert_eq!(not_open.code, ErrorCode::NoShares);
    assert!(not_open.message.contains("not open for shares"), "{}", not_open.message);
    for count in [0, 5] {
        let refused = portal.reservations.book(&bob, &shares(&cards[0], count, hours(8, 9))).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::NoShares, "{count}");
    }
    assert_eq!(overlaps(&portal.pool).await, 0);
}

#[tokio::test]
async fn a_share_and_the_whole_card_keep_each_other_out() {
    let (portal, cards) = four_shares().await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let share = portal.reservations.book(&ada, &shares(&cards[0], 1, hours(1, 3))).await.unwrap();
    let refused = portal.reservations.book(&bob, &wish(&cards, hours(2, 4))).await.unwrap_err();
    assert_eq!((refused.code, refused.clashes[0].reservation), (ErrorCode::Overlap, share));
    let whole = portal.book(&bob, &cards, hours(3, 5)).await;
    let refused = portal.reservations.book(&ada, &shares(&cards[0], 1, hours(4, 6))).await.unwrap_err();
    assert_eq!((refused.code, refused.clashes[0].reservation), (ErrorCode::NoShares, whole));
    assert_eq!(portal.refused(&ada, share, to_window(hours(1, 4))).await, ErrorCode::NoShares);
    portal.edit(&bob, whole, Edit::Cancel).await.unwrap();
    portal.edit(&ada, share, to_window(hours(1, 4))).await.unwrap();
}

#[tokio::test]
async fn free_shares_need_not_lie_in_one_row() {
    let (portal, cards) = four_shares().await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    // At every instant three are taken, and no slot is free all the time.
    for (from, to) in [(0, 2), (0, 3), (0, 4), (2, 5), (3, 6), (4, 6), (5, 6)] {
        portal.reservations.book(&ada, &shares(&cards[0], 1, hours(from, to))).await.unwrap();
    }
    let id = portal.reservations.book(&bob, &shares(&cards[0], 1, hours(0, 6))).await.unwrap();
    for hour in 0..6 {
        assert_eq!(held(&portal, id, hour).await, 1, "{hour}");
    }
    assert_eq!(overlaps(&portal.pool).await, 0);
    let refused = portal.reservations.book(&bob, &shares(&cards[0], 1, hours(0, 1))).await.unwrap_err();
    assert!(refused.message.contains("none can be had"), "{}", refused.message);
}

#[tokio::test]
async fn more_and_fewer_longer_and_shorter_before_and_while_it_runs() {
    let (portal, cards) = four_shares().await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let bobs = portal.reservations.book(&bob, &shares(&cards[0], 1, hours(0, 8))).await.unwrap();
    let id = portal.reservations.book(&ada, &shares(&cards[0], 2, hours(1, 4))).await.unwrap();
    portal.edit(&ada, id, to_shares(&cards[0], 3, Some(hours(2, 5)))).await.unwrap();
    assert_eq!([held(&portal, id, 1).await, held(&portal, id, 2).await, held(&portal, id, 4).await], [0, 3, 3]);
    assert_eq!(portal.refused(&ada, id, to_shares(&cards[0], 4, None)).await, ErrorCode::NoShares);

    portal.clock.advance(Duration::hours(3));
    portal.edit(&ada, id, to_shares(&cards[0], 1, Some(hours(2, 6)))).await.unwrap();
    assert_eq!([held(&portal, id, 2).await, held(&portal, id, 3).await, held(&portal, id, 5).await], [3, 1, 1]);
    portal.clock.advance(Duration::hours(1));
    portal.edit(&ada, id, to_shares(&cards[0], 2, None)).await.unwrap();
    assert_eq!([held(&portal, id, 3).await, held(&portal, id, 4).await, held(&portal, id, 5).await], [1, 2, 2]);
    // The other card comes, and this one becomes whole as soon as nobody else is on it.
    assert_eq!(portal.refused(&ada, id, to_cards(&cards)).await, ErrorCode::Overlap);
    portal.edit(&bob, bobs, Edit::EndNow).await.unwrap();
    portal.edit(&ada, id, to_cards(&cards)).await.unwrap();
    let lasting: Vec<_> = portal.holds(id).await.into_iter().filter(|(_, _, [_, to], _)| *to == 360).collect();
    let whole = |card: i32| (card, "[0,)".to_owned(), [240, 360], None);
    assert_eq!(lasting, [whole(0), whole(1)]);
    assert_eq!(overlaps(&portal.pool).await, 0);
    portal.clock.advance(Duration::hours(1));
    portal.edit(&ada, id, Edit::EndNow).await.unwrap();
    assert_eq!([held(&portal, id, 2).await, held(&portal, id, 4).await, held(&portal, id, 5).await], [3, 1, 0]);
}

#[tokio::test]
async fn what_is_had_is_kept_when_fewer_are_open() {
    let (portal, cards) = four_shares().await;
    let ada = member(&portal.pool, "ada").await;
    let id = portal.reservations.book(&ada, &shares(&cards[0], 3, hours(1, 4))).await.unwrap();
    portal.run("update card set shares = 2 where card_index = 0").await;
    portal.edit(&ada, id, to_window(hours(1, 3))).await.unwrap();
    assert_eq!(held(&portal, id, 1).await, 3);
    assert_eq!(portal.refused(&ada, id, to_window(hours(1, 5))).await, ErrorCode::NoShares);
    portal.edit(&ada, id, to_shares(&cards[0], 2, None)).await.unwrap();
    portal.edit(&ada, id, to_window(hours(1, 5))).await.unwrap();
    assert_eq!(held(&portal, id, 4).await, 2);
    let refused = portal.reservations.book(&ada, &shares(&cards[0], 1, hours(1, 2))).await.unwrap_err();
    assert!(refused.message.contains("none can be had"), "{}", refused.message);
}
