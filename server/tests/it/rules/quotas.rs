//! Quotas cannot be raced: whoever books twice at once is counted twice.

use std::sync::Arc;

use domain::error::ErrorCode;
use domain::rules::{Limit, Period};
use futures::future::join_all;
use tokio::sync::Barrier;

use super::{Yard, again, hours};
use crate::support::unlocked::take_row_locks_away;

const TRIES: usize = 32;
/// Without locks a race is lost in one of so many rounds, far more than it takes.
const ROUNDS: usize = 20;

/// So many bookings of one person at the same instant, each of a card that nobody has then: eight cards, four hours after
/// each other. Gives how many were made. `unlocked` takes away that two of them come one after the other.
async fn all_at_once(limit: Limit, unlocked: bool) -> usize {
    let yard = Arc::new(Yard::new().await);
    let ada = yard.office.member("ada").await;
    yard.rule("Quota", limit).await;
    if unlocked {
        take_row_locks_away(&yard.office.pool, "user").await;
    }
    let start = Arc::new(Barrier::new(TRIES));
    let tries = (0..TRIES).map(|n| {
        let (yard, start, ada) = (yard.clone(), start.clone(), again(&ada));
        let from = i64::try_from(n / 8).unwrap() * 2 + 1;
        tokio::spawn(async move {
            start.wait().await;
            yard.book(&ada, &[n % 8], hours(from, from + 2)).await
        })
    });
    let outcomes = join_all(tries).await.into_iter().map(Result::unwrap).collect::<Vec<_>>();
    let refused = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    let codes: Vec<ErrorCode> = refused.map(|refusal| refusal.code).collect();
    assert!(codes.iter().all(|code| *code == ErrorCode::AgainstRule), "{codes:?}");
    let rows: i64 = sqlx::query_scalar("select count(*) from reservation_card where not released")
        .fetch_one(&yard.office.pool)
        .await
        .unwrap();
    assert_eq!(usize::try_from(rows).unwrap(), TRIES - codes.len());
    TRIES - codes.len()
}

const FIVE: Limit = Limit::MostCards { cards: 5 };
const TWELVE: Limit = Limit::GpuHours { hours: 12, per: Period::Week };

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn most_cards_at_once() {
    // Never more than five in each of the four stretches.
    assert_eq!(all_at_once(FIVE, false).await, 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn gpu_hours() {
    assert_eq!(all_at_once(TWELVE, false).await, 6);
}

/// If these find nothing, the tests above prove nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_the_lock_of_the_person_quotas_are_seen_to_be_broken() {
    for (limit, allowed) in [(FIVE, 20), (TWELVE, 6)] {
        let mut most = 0;
        for _ in 0..ROUNDS {
            most = most.max(all_at_once(limit.clone(), true).await);
            if most > allowed {
                break;
            }
        }
        assert!(most > allowed, "{limit:?} held without the lock: {most}");
    }
}
