//! Quotas cannot be raced: whoever books twice at once is counted twice.

use std::sync::Arc;

use domain::error::ErrorCode;
use domain::rules::{Limit, Period};
use domain::window::Window;
use futures::future::join_all;
use tokio::sync::Barrier;

use super::{Yard, again, hours};

/// Sixteen bookings of one person at the same instant, each of a card that nobody has then. Gives how many were made.
async fn sixteen_at_once(limit: Limit, window: fn(usize) -> Window) -> usize {
    let yard = Arc::new(Yard::new().await);
    let ada = yard.office.member("ada").await;
    yard.rule("Quota", limit).await;
    let start = Arc::new(Barrier::new(16));
    let tries = (0..16).map(|n| {
        let (yard, start, ada) = (yard.clone(), start.clone(), again(&ada));
        tokio::spawn(async move {
            start.wait().await;
            yard.book(&ada, &[n % 8], window(n)).await
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
    assert_eq!(usize::try_from(rows).unwrap(), 16 - codes.len());
    16 - codes.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn most_cards_at_once() {
    // Eight from one to three, eight from three to five: never more than five of each.
    let made = sixteen_at_once(Limit::MostCards { cards: 5 }, |n| if n < 8 { hours(1, 3) } else { hours(3, 5) }).await;
    assert_eq!(made, 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn gpu_hours() {
    let limit = Limit::GpuHours { hours: 12, per: Period::Week };
    let made = sixteen_at_once(limit, |n| if n < 8 { hours(1, 3) } else { hours(3, 5) }).await;
    assert_eq!(made, 6);
}
