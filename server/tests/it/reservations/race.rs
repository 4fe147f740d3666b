//! Many people at once. Whatever they do, each part of a card has one holder at a time, and everybody else is told who.

use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, ReservationId};
use domain::wire::page::Viewer;
use sqlx::PgPool;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::{Portal, booked, hours, overlaps, portal, wish};
use crate::support::fleet::{host, member};

type Outcome = Result<ReservationId, ApiError>;

/// So many members.
pub async fn people(pool: &PgPool, count: usize) -> Vec<Viewer> {
    let mut people = Vec::new();
    for n in 0..count {
        people.push(member(pool, &format!("p{n}")).await);
    }
    people
}

/// Everybody presses "Book" on the same cards and hours at the same instant.
async fn all_press_book(portal: &Portal, people: &[Viewer], cards: &[CardUuid]) -> Vec<Outcome> {
    let start = Arc::new(Barrier::new(people.len()));
    let mut tasks = JoinSet::new();
    for (n, viewer) in people.iter().cloned().enumerate() {
        let (start, reservations) = (start.clone(), portal.reservations.clone());
        // Each names the cards in another order.
        let mut cards = cards.to_vec();
        let turn = n % cards.len();
        cards.rotate_left(turn);
        tasks.spawn(async move {
            start.wait().await;
            reservations.book(&viewer, &wish(&cards, hours(1, 3))).await
        });
    }
    tasks.join_all().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_32_who_want_the_same_4_cards_one_gets_them() {
    let portal = portal(33).await;
    let people = people(&portal.pool, 32).await;
    let (_, cards) = host(&portal.pool, "rig", 4).await;
    let outcomes = all_press_book(&portal, &people, &cards).await;

    let won: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    assert_eq!(won.len(), 1, "{outcomes:?}");
    for lost in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert_eq!(lost.code, ErrorCode::Overlap, "{lost:?}");
        assert_eq!(lost.clashes.len(), 4, "every card is named: {lost:?}");
        assert!(lost.clashes.iter().all(|clash| clash.reservation == *won[0] && clash.window == hours(1, 3)));
        assert!(lost.message.contains("has cards 0, 1, 2 and 3 on rig until 13:00"), "{}", lost.message);
    }
    assert_eq!(booked(&portal.pool).await, [(won[0].0, 4)]);
    assert_eq!(overlaps(&portal.pool).await, 0);
}

/// A small generator, so that a failing run can be repeated.
pub struct Dice(pub u64);

impl Dice {
    /// One of so many numbers, from 0.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn overlapping_sets_of_cards_never_deadlock_and_never_break_in_half() {
    const CLIENTS: usize = 16;
    const ROUNDS: usize = 12;
    let portal = portal(17).await;
    let people = people(&portal.pool, CLIENTS).await;
    let (_, cards) = host(&portal.pool, "rig", 8).await;

    let start = Arc::new(Barrier::new(CLIENTS));
    let mut tasks = JoinSet::new();
    for (n, viewer) in people.into_iter().enumerate() {
        let (start, reservations, cards) = (start.clone(), portal.reservations.clone(), cards.clone());
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (n as u64 + 1));
        tasks.spawn(async move {
            let mut outcomes = Vec::new();
            for round in 0..ROUNDS {
                let mut picked = cards.clone();
                for i in (1..picked.len()).rev() {
                    picked.swap(i, usize::try_from(dice.roll(i as u64 + 1)).unwrap());
                }
                picked.truncate(1 + usize::try_from(dice.roll(4)).unwrap());
                let from = i64::try_from(dice.roll(3) + round as u64 * 4).unwrap();
                start.wait().await;
                let outcome = reservations.book(&viewer, &wish(&picked, hours(from, from + 2))).await;
                outcomes.push((picked.len(), outcome));
            }
            outcomes
        });
    }
    let outcomes: Vec<(usize, Outcome)> = tasks.join_all().await.into_iter().flatten().collect();
    assert_eq!(outcomes.len(), CLIENTS * ROUNDS);

    let mut expected = Vec::new();
    for (asked, outcome) in &outcomes {
        match outcome {
            Ok(id) => expected.push((id.0, i64::try_from(*asked).unwrap())),
            Err(refused) => {
                assert_eq!(refused.code, ErrorCode::Overlap, "{refused:?}");
                assert!(!refused.clashes.is_empty(), "{refused:?}");
            }
        }
    }
    assert!(expected.len() >= ROUNDS, "somebody wins each round");
    assert!(expected.len() < outcomes.len(), "somebody loses");
    expected.sort();
    assert_eq!(booked(&portal.pool).await, expected, "what was acknowledged, whole, and nothing else");
    assert_eq!(overlaps(&portal.pool).await, 0);
}

/// The same race without the law. If this finds nothing, the tests above prove nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_the_constraint_the_race_is_seen_to_go_wrong() {
    let portal = portal(33).await;
    sqlx::query("alter table reservation_card drop constraint reservation_card_no_overlap")
        .execute(&portal.pool)
        .await
        .unwrap();
    let people = people(&portal.pool, 32).await;
    let (_, cards) = host(&portal.pool, "rig", 4).await;
    let outcomes = all_press_book(&portal, &people, &cards).await;
    assert!(outcomes.iter().filter(|outcome| outcome.is_ok()).count() > 1);
    assert!(overlaps(&portal.pool).await > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_request_sent_16_times_at_once_books_once() {
    let portal = portal(17).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let ask = wish(&cards, hours(1, 2));
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let (reservations, ada, ask) = (portal.reservations.clone(), ada.clone(), ask.clone());
        tasks.spawn(async move { reservations.book(&ada, &ask).await });
    }
    let ids: Vec<ReservationId> = tasks.join_all().await.into_iter().map(Result::unwrap).collect();
    assert!(ids.iter().all(|id| *id == ids[0]));
    assert_eq!(booked(&portal.pool).await, [(ids[0].0, 2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn giving_back_and_taking_at_once_never_deadlock() {
    let portal = portal(17).await;
    let people = people(&portal.pool, 16).await;
    let (_, cards) = host(&portal.pool, "rig", 4).await;
    let mut tasks = JoinSet::new();
    for (n, viewer) in people.into_iter().enumerate() {
        let (reservations, mut cards) = (portal.reservations.clone(), cards.clone());
        cards.rotate_left(n % 4);
        cards.truncate(3);
        tasks.spawn(async move {
            for round in 0..10 {
                // Half of them begin now and are ended, the others begin later and are cancelled.
                let from = i64::from((n + round) % 2 == 0);
                match reservations.book(&viewer, &wish(&cards, hours(from, 4))).await {
                    Ok(id) if from == 0 => reservations.end_now(&viewer, id).await.unwrap(),
                    Ok(id) => reservations.cancel(&viewer, id).await.unwrap(),
                    Err(refused) => assert_eq!(refused.code, ErrorCode::Overlap, "{refused:?}"),
                }
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(overlaps(&portal.pool).await, 0);
}
