//! Asking the holder of a booking for its cards.

use domain::error::ErrorCode;
use server::service::notices::ask_holder;
use time::Duration;

use super::tower::Tower;

#[tokio::test]
async fn the_holder_is_told_once_a_day_of_each_who_asks() {
    let tower = Tower::with_cards(2).await;
    let (ada, bob, eve) = (tower.member("ada").await, tower.member("bob").await, tower.member("eve").await);
    let held = tower.book(&ada, &[0, 1], 60, 3000).await;
    assert!(ask_holder(&tower.services, &bob, held).await.unwrap());
    assert!(!ask_holder(&tower.services, &bob, held).await.unwrap(), "said already");
    assert!(ask_holder(&tower.services, &eve, held).await.unwrap());
    let read = tower.read(&ada).await;
    assert_eq!(read.len(), 2);
    assert!(read[0].starts_with("Person bob asks whether rig cards 0, 1 can be had earlier."), "{}", read[0]);
    tower.clock.advance(Duration::DAY);
    assert!(ask_holder(&tower.services, &bob, held).await.unwrap(), "another day");
    assert_eq!(tower.read(&ada).await.len(), 3);
}

#[tokio::test]
async fn nobody_is_asked_about_what_is_over_or_ones_own() {
    let tower = Tower::with_cards(1).await;
    let (ada, bob) = (tower.member("ada").await, tower.member("bob").await);
    let held = tower.book(&ada, &[0], 0, 60).await;
    let refused = async |who| ask_holder(&tower.services, who, held).await.unwrap_err().code;
    assert_eq!(refused(&ada).await, ErrorCode::NotFound);
    tower.clock.advance(Duration::hours(1));
    assert_eq!(refused(&bob).await, ErrorCode::NotFound);
    let soon = tower.book(&ada, &[0], 120, 180).await;
    sqlx::query("update reservation set awaits = 'approval', awaits_until = upper(during) where reservation_id = $1")
        .bind(soon.0)
        .execute(&tower.pool)
        .await
        .unwrap();
    assert_eq!(ask_holder(&tower.services, &bob, soon).await.unwrap_err().code, ErrorCode::NotFound);
    assert!(tower.read(&ada).await.is_empty());
}
