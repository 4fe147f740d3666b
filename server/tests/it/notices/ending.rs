//! A booking ends soon.

use domain::notice::Body;
use time::Duration;

use super::tower::{Tower, minute};

#[tokio::test]
async fn it_is_said_once_a_quarter_of_an_hour_before() {
    let tower = Tower::with_cards(2).await;
    let ada = tower.member("ada").await;
    tower.book(&ada, &[0, 1], 0, 60).await;
    tower.clock.advance(Duration::minutes(44));
    tower.look().await;
    assert!(tower.told(&ada).await.is_empty());
    tower.clock.advance(Duration::MINUTE);
    for _ in 0..3 {
        tower.look().await;
    }
    assert_eq!(tower.read(&ada).await, ["Your booking of rig cards 0, 1 ends at 11:00."]);
    tower.clock.advance(Duration::minutes(20));
    tower.look().await;
    assert_eq!(tower.read(&ada).await, ["Your booking of rig cards 0, 1 ended at 11:00."], "and is not said again");
}

#[tokio::test]
async fn one_that_goes_on_says_nothing_and_of_some_cards_only_the_others_are_named() {
    let tower = Tower::with_cards(4).await;
    let (ada, bob) = (tower.member("ada").await, tower.member("bob").await);
    tower.book(&ada, &[0], 0, 60).await;
    tower.book(&ada, &[0], 60, 120).await;
    tower.book(&bob, &[1, 2], 0, 60).await;
    tower.book(&bob, &[2], 60, 90).await;
    // Somebody else's next booking is no reason to be silent.
    tower.book(&ada, &[1], 60, 90).await;
    // Nor is one that begins a moment later.
    let gap = tower.book(&ada, &[3], 0, 60).await;
    tower.book(&ada, &[3], 61, 90).await;
    tower.clock.advance(Duration::minutes(50));
    tower.look().await;
    let told = tower.told(&ada).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].notice.reservation, Some(gap));
    assert_eq!(tower.read(&bob).await, ["Your booking of rig card 1 ends at 11:00."]);
}

#[tokio::test]
async fn what_is_ended_or_no_longer_than_the_warning_is_not_said_to_end() {
    let tower = Tower::with_cards(2).await;
    let ada = tower.member("ada").await;
    tower.book(&ada, &[0], 0, 15).await;
    let other = tower.book(&ada, &[1], 0, 60).await;
    tower.clock.advance(Duration::minutes(5));
    tower.services.reservations.end_now(&ada, other).await.unwrap();
    tower.look().await;
    tower.clock.advance(Duration::minutes(50));
    tower.look().await;
    assert!(tower.told(&ada).await.is_empty());
}

#[tokio::test]
async fn two_servers_at_once_say_it_once() {
    let tower = Tower::with_cards(8).await;
    let ada = tower.member("ada").await;
    for card in 0..8 {
        tower.book(&ada, &[card], 0, 60).await;
    }
    tower.clock.advance(Duration::minutes(50));
    let mut looks = Vec::new();
    for _ in 0..12 {
        let services = tower.services.clone();
        looks.push(tokio::spawn(async move { server::job::watch::once(&services).await.unwrap() }));
    }
    let mut looked = 0;
    for look in looks {
        looked += usize::from(look.await.unwrap());
    }
    assert!(looked >= 1);
    let told = tower.told(&ada).await;
    assert_eq!(told.len(), 8);
    let ends_then = |body: &Body| matches!(body, Body::Ending { window, .. } if window.end() == minute(60));
    assert!(told.iter().all(|told| ends_then(&told.notice.body)));
}
