//! Booked cards that cannot be used.

use domain::notice::{Answer, Body, NamedCard};
use domain::reservation::State;
use server::service::notices;
use time::Duration;

use super::tower::Tower;

/// The database learns what a card is like.
async fn health(tower: &Tower, card: usize, health: &str) {
    sqlx::query("update card set health = $2 where card_uuid = $1")
        .bind(tower.cards[card].as_str())
        .bind(health)
        .execute(&tower.pool)
        .await
        .unwrap();
}

async fn host_reports(tower: &Tower) {
    sqlx::query("update host set last_report_at = $1").bind(tower.now()).execute(&tower.pool).await.unwrap();
}

fn numbers(cards: &[NamedCard]) -> Vec<String> {
    cards.iter().map(|card| card.number.to_string()).collect()
}

#[tokio::test]
async fn owners_of_running_and_later_bookings_are_told_once_and_nothing_moves() {
    let tower = Tower::with_cards(4).await;
    let (ada, bob) = (tower.member("ada").await, tower.member("bob").await);
    let now = tower.book(&ada, &[0, 1], 0, 60).await;
    let later = tower.book(&bob, &[0], 120, 180).await;
    tower.book(&bob, &[2], 0, 10).await;
    host_reports(&tower).await;
    health(&tower, 0, "lost").await;
    for _ in 0..3 {
        tower.look().await;
    }
    let told = tower.told(&ada).await;
    assert_eq!(told.len(), 1);
    let Body::CardTroubled { card, instead, .. } = &told[0].notice.body else { panic!("{told:?}") };
    assert_eq!((card.number.to_string(), numbers(instead)), ("0".to_owned(), vec!["3".to_owned()]), "the free one");
    let his = tower.told(&bob).await;
    assert_eq!(his.len(), 1);
    assert_eq!(his[0].notice.reservation, Some(later));
    let Body::CardTroubled { instead, .. } = &his[0].notice.body else { panic!("{his:?}") };
    assert_eq!(numbers(instead), ["1", "2", "3"], "free at that time");
    assert_eq!(
        tower.read(&bob).await[0],
        "You have rig card 0 booked, 12:00 – 13:00. Card 0 on rig is lost. Free then: rig cards 1, 2, 3."
    );
    assert_eq!(tower.holds(now).await.len(), 2, "nothing moves by itself");

    // Gone for a moment, and back: not worth another word; much later it is.
    for state in ["ok", "lost", "ok"] {
        health(&tower, 0, state).await;
        tower.clock.advance(Duration::minutes(5));
        tower.look().await;
    }
    assert_eq!(tower.told(&bob).await.len(), 1);
    tower.clock.advance(Duration::minutes(61));
    health(&tower, 0, "lost").await;
    tower.look().await;
    let troubled = tower.told(&bob).await.into_iter();
    assert_eq!(troubled.filter(|told| matches!(told.notice.body, Body::CardTroubled { .. })).count(), 2);
    assert_eq!(tower.told(&ada).await.len(), 1, "hers is over");
}

#[tokio::test]
async fn one_press_takes_an_equal_card() {
    let tower = Tower::with_cards(3).await;
    let ada = tower.member("ada").await;
    let booking = tower.book(&ada, &[0, 1], 120, 180).await;
    host_reports(&tower).await;
    health(&tower, 1, "failing").await;
    tower.look().await;
    let told = tower.told(&ada).await.remove(0);
    let take = |card: usize| Answer::Take { card: tower.cards[card].clone() };
    assert!(notices::answer(&tower.services, &ada, told.notice.id, &take(0)).await.is_err(), "that was not offered");
    notices::answer(&tower.services, &ada, told.notice.id, &take(2)).await.unwrap();
    let page = tower.services.booking_list.one(&ada, booking).await.unwrap();
    assert_eq!(page.booking.state, State::Scheduled);
    let cards: Vec<String> = page.booking.cards.iter().map(|card| card.number.to_string()).collect();
    assert_eq!(cards, ["0", "2"]);
}

#[tokio::test]
async fn what_is_cut_anew_or_retired_is_said_to_be_so() {
    let tower = Tower::with_cards(3).await;
    let ada = tower.member("ada").await;
    tower.book(&ada, &[0], 120, 180).await;
    host_reports(&tower).await;
    sqlx::query("update card set mig_on = true where card_uuid = $1")
        .bind(tower.cards[0].as_str())
        .execute(&tower.pool)
        .await
        .unwrap();
    tower.look().await;
    sqlx::query("update host set retired_at = $1").bind(tower.now()).execute(&tower.pool).await.unwrap();
    tower.look().await;
    let read = tower.read(&ada).await;
    assert!(read[0].contains("Card 0 on rig is cut into MIG instances."), "{read:?}");
    assert!(read[1].contains("Host rig with card 0 is retired.") && !read[1].contains("Free then"), "{read:?}");
}
