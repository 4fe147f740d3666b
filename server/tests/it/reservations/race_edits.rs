//! Many people who edit at once, and who book what others edit.

use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, ReservationId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Target};
use domain::wire::page::Viewer;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::race::{Dice, people};
use super::{edit, hours, overlaps, portal, to_window, wish};
use crate::support::fleet::{host, member};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_who_edit_what_they_have_seen_one_is_told_that_it_has_changed() {
    let portal = portal(9).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards, hours(10, 12)).await;
    for round in 0..8 {
        let version = Some(round + 1);
        let start = Arc::new(Barrier::new(8));
        let mut tasks = JoinSet::new();
        for hour in 0..8 {
            let window = hours(13 + hour + i64::from(round), 22 + i64::from(round));
            let ask = EditAsk { version, ..edit(id, to_window(window)) };
            let (reservations, ada, start) = (portal.reservations.clone(), ada.clone(), start.clone());
            tasks.spawn(async move {
                start.wait().await;
                reservations.edit(&ada, &ask).await
            });
        }
        let outcomes = tasks.join_all().await;
        let refused = outcomes.iter().filter_map(|outcome| outcome.as_ref().err().map(|error| error.code));
        let refused: Vec<ErrorCode> = refused.collect();
        assert_eq!(refused, [ErrorCode::Changed; 7], "{outcomes:?}");
    }
    assert_eq!(portal.one::<i32>("select version from reservation").await, 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_edit_sent_16_times_at_once_is_done_once() {
    let portal = portal(17).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards, hours(10, 12)).await;
    let ask = edit(id, to_window(hours(11, 13)));
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let (reservations, ada, ask) = (portal.reservations.clone(), ada.clone(), ask.clone());
        tasks.spawn(async move { reservations.edit(&ada, &ask).await });
    }
    let outcomes: Vec<_> = tasks.join_all().await.into_iter().map(Result::unwrap).collect();
    assert!(outcomes.iter().all(|outcome| outcome.version == 2), "{outcomes:?}");
    assert_eq!(portal.one::<i64>("select count(*) from audit where action = 'reservation.edit'").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_one_who_extends_and_one_who_books_what_follows_one_gets_it() {
    let portal = portal(5).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 4).await;
    let (mut extended, mut followed) = (0, 0);
    for day in 1..25 {
        let hours = |from: i64, to: i64| hours(day * 24 + from, day * 24 + to);
        let id = portal.book(&ada, &cards, hours(0, 2)).await;
        let (longer, next) = (edit(id, to_window(hours(0, 4))), wish(&cards[1..3], hours(2, 3)));
        let start = Barrier::new(2);
        let (one, two) = tokio::join!(
            async {
                start.wait().await;
                portal.reservations.edit(&ada, &longer).await
            },
            async {
                start.wait().await;
                portal.reservations.book(&bob, &next).await
            }
        );
        assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
        let code = one.as_ref().map_or_else(|error| error.code, |_| two.as_ref().unwrap_err().code);
        assert_eq!(code, ErrorCode::Overlap);
        extended += u32::from(one.is_ok());
        followed += u32::from(two.is_ok());
    }
    assert_eq!((extended + followed, overlaps(&portal.pool).await), (24, 0));
}

/// One act of somebody who books, moves, grows, gives away and gives up what is there.
async fn act(
    reservations: &server::service::reservations::Reservations,
    viewer: &Viewer,
    others: &[Viewer],
    own: &mut Vec<ReservationId>,
    cards: &[CardUuid],
    dice: &mut Dice,
) -> Result<(), ApiError> {
    let pick = |dice: &mut Dice| {
        let mut picked = cards.to_vec();
        picked.rotate_left(usize::try_from(dice.roll(cards.len() as u64)).unwrap());
        picked.truncate(1 + usize::try_from(dice.roll(4)).unwrap());
        picked
    };
    let from = i64::try_from(1 + dice.roll(12)).unwrap();
    let window = hours(from, from + 1 + i64::try_from(dice.roll(4)).unwrap());
    let place = usize::try_from(dice.roll(64)).unwrap();
    let Some(id) = own.get(place % own.len().max(1)).copied().filter(|_| dice.roll(3) > 0) else {
        let picked = pick(dice);
        let shared = dice.roll(2) == 0;
        let shares = picked.iter().filter(|card| shared && **card == cards[0]).map(|card| (card.clone(), 2)).collect();
        own.push(reservations.book(viewer, &NewReservation { shares, ..wish(&picked, window) }).await?);
        return Ok(());
    };
    let what = match dice.roll(6) {
        0 => to_window(window),
        1 => Edit::Set(Target { cards: Some(pick(dice)), ..Target::default() }),
        2 | 3 => Edit::Set(Target { window: Some(window), cards: Some(pick(dice)), ..Target::default() }),
        4 => Edit::Transfer { to: others[place % others.len()].id },
        _ => Edit::Cancel,
    };
    reservations.edit(viewer, &edit(id, what)).await.map(|_| ())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_who_do_everything_at_once_on_four_cards_never_deadlock_and_never_overlap() {
    const CLIENTS: usize = 16;
    const ROUNDS: usize = 40;
    let portal = portal(17).await;
    let people = people(&portal.pool, CLIENTS).await;
    let (_, cards) = host(&portal.pool, "rig", 4).await;
    portal.run(&format!("update card set shares = 3 where card_uuid = '{}'", cards[0])).await;
    let mut tasks = JoinSet::new();
    for (n, viewer) in people.iter().cloned().enumerate() {
        let (reservations, cards, others) = (portal.reservations.clone(), cards.clone(), people.clone());
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (n as u64 + 77));
        tasks.spawn(async move {
            let mut own = Vec::new();
            let mut refused = Vec::new();
            for _ in 0..ROUNDS {
                refused.extend(act(&reservations, &viewer, &others, &mut own, &cards, &mut dice).await.err());
            }
            refused
        });
    }
    let refused: Vec<ApiError> = tasks.join_all().await.into_iter().flatten().collect();
    for refusal in &refused {
        let known = matches!(
            refusal.code,
            ErrorCode::Overlap
                | ErrorCode::NoShares
                | ErrorCode::NotAllowed
                | ErrorCode::AlreadyOver
                | ErrorCode::BadInput
        );
        assert!(known, "{refusal:?}");
        assert!(refusal.code != ErrorCode::Overlap || !refusal.clashes.is_empty(), "{refusal:?}");
    }
    assert!(refused.len() < CLIENTS * ROUNDS, "something was done");
    assert_eq!(overlaps(&portal.pool).await, 0);
    let broken = "select count(*) from reservation booked where fate is null and during is distinct from (
        select tstzrange(min(lower(held.during)), max(upper(held.during)), '[)') from reservation_card held
        where held.reservation_id = booked.reservation_id and not held.released)";
    assert_eq!(portal.one::<i64>(broken).await, 0, "each has its cards for all of its time");
    let versions = "select count(*) from reservation booked where version <> (
        select count(*) from audit where audit.reservation_id = booked.reservation_id)";
    assert_eq!(portal.one::<i64>(versions).await, 0, "each deed is on record once");
}
