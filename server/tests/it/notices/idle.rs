//! Cards that are booked and not used: card by card, asked first, and given back only where a rule says so.

use domain::error::ErrorCode;
use domain::notice::{Answer, Body, Told};
use domain::rules::Limit;
use server::service::notices;
use sqlx::types::Json;
use time::Duration;
use uuid::Uuid;

use super::tower::{Tower, minute};
use crate::support::clock::MORNING;
use crate::support::people::code;

/// Turns a rule on for cards with this label, and gives some cards the label.
async fn rule(tower: &Tower, label: &str, cards: &[usize]) {
    let limit = Limit::Idle { minutes: 60, no_show_minutes: 30, release_after_minutes: Some(15) };
    sqlx::query(
        r#"insert into rule (rule_id, name, label, body, made_by, made_at)
           select $1, 'No cold cards', $2, $3, user_id, $4 from "user" limit 1"#,
    )
    .bind(Uuid::now_v7())
    .bind(label)
    .bind(Json(limit))
    .bind(MORNING)
    .execute(&tower.pool)
    .await
    .unwrap();
    for card in cards {
        sqlx::query("insert into card_label (card_uuid, label) values ($1, $2)")
            .bind(tower.cards[*card].as_str())
            .bind(label)
            .execute(&tower.pool)
            .await
            .unwrap();
    }
}

/// Numbers of the cards that somebody was asked about.
fn asked(told: &[Told]) -> Vec<String> {
    let card = |told: &Told| match &told.notice.body {
        Body::Idle { card, .. } => Some(card.number.to_string()),
        _ => None,
    };
    told.iter().filter_map(card).collect()
}

#[tokio::test]
async fn one_busy_card_of_eight_says_nothing_about_the_other_seven() {
    let mut tower = Tower::with_cards(8).await;
    let ada = tower.member("ada").await;
    let booking = tower.book(&ada, &[0, 1, 2, 3, 4, 5, 6, 7], 0, 600).await;
    tower.pass(29, &[(3, "ada", 90)]).await;
    assert!(tower.told(&ada).await.is_empty());
    tower.pass(1, &[(3, "ada", 90)]).await;
    let mut cards = asked(&tower.told(&ada).await);
    cards.sort();
    assert_eq!(cards, ["0", "1", "2", "4", "5", "6", "7"]);
    let read = tower.read(&ada).await;
    assert!(read.contains(&"You have rig card 0 booked and have not used it since 10:00.".to_owned()), "{read:?}");
    tower.pass(60, &[(3, "ada", 90)]).await;
    assert_eq!(tower.told(&ada).await.len(), 7, "asked once");
    assert!(tower.holds(booking).await.iter().all(|(_, end, why)| *end == 600 && why.is_none()), "and nothing moves");
}

#[tokio::test]
async fn a_stranger_does_not_use_it_for_its_holder_and_a_colleague_does() {
    let mut tower = Tower::with_cards(2).await;
    let (ada, bob) = (tower.member("ada").await, tower.member("bob").await);
    tower.member("eve").await;
    let booking = tower.book(&ada, &[0, 1], 0, 600).await;
    sqlx::query("insert into reservation_person (reservation_id, user_id) values ($1, $2)")
        .bind(booking.0)
        .bind(bob.id.0)
        .execute(&tower.pool)
        .await
        .unwrap();
    tower.pass(40, &[(0, "eve", 90), (1, "bob", 90)]).await;
    assert_eq!(asked(&tower.told(&ada).await), ["0"]);
}

#[tokio::test]
async fn a_rule_gives_back_the_idle_card_only_and_only_where_it_is_turned_on() {
    let mut tower = Tower::with_cards(3).await;
    let ada = tower.member("ada").await;
    let booking = tower.book(&ada, &[0, 1, 2], 0, 600).await;
    rule(&tower, "training", &[0, 1]).await;
    tower.pass(30, &[(1, "ada", 90)]).await;
    let read = tower.read(&ada).await;
    let about = |card: &str| read.iter().find(|text| text.contains(card)).cloned().unwrap_or_default();
    assert!(about("card 0").ends_with(" Rule on rig: no answer by 10:45 frees card 0 only."), "{read:?}");
    assert!(about("card 2").contains("booked") && !about("card 2").contains("Rule"), "it has no such label: {read:?}");
    tower.pass(14, &[(1, "ada", 90)]).await;
    assert!(tower.holds(booking).await.iter().all(|(_, end, _)| *end == 600), "not before it was said");
    tower.pass(1, &[(1, "ada", 90)]).await;
    let held = |card, end, why: Option<&str>| (card, end, why.map(str::to_owned));
    assert_eq!(tower.holds(booking).await, [held(0, 45, Some("missed")), held(1, 600, None), held(2, 600, None)]);
    assert_eq!(tower.read(&ada).await[2], "The rule “No cold cards” freed rig card 0: nobody came.");
    assert_eq!(tower.fate(booking).await, None, "the booking goes on");
    let audited: i64 =
        sqlx::query_scalar("select count(*) from audit where action = 'reservation.release' and actor is null")
            .fetch_one(&tower.pool)
            .await
            .unwrap();
    assert_eq!(audited, 1);

    // The card that was busy until now.
    tower.pass(59, &[]).await;
    assert_eq!(tower.told(&ada).await.len(), 3);
    tower.pass(16, &[]).await;
    assert_eq!(tower.holds(booking).await[1], held(1, 120, Some("idle")));
    tower.pass(120, &[]).await;
    assert_eq!(tower.holds(booking).await[2], held(2, 600, None), "asked, and no more");
}

#[tokio::test]
async fn when_the_last_card_goes_the_booking_is_over() {
    let mut tower = Tower::with_cards(2).await;
    let ada = tower.member("ada").await;
    rule(&tower, "training", &[0, 1]).await;
    let (came, missed) = (tower.book(&ada, &[0], 0, 600).await, tower.book(&ada, &[1], 0, 600).await);
    tower.pass(5, &[(0, "ada", 50)]).await;
    tower.pass(41, &[]).await;
    assert_eq!((tower.fate(missed).await.as_deref(), tower.fate(came).await), (Some("missed"), None));
    tower.pass(40, &[]).await;
    assert_eq!(tower.fate(came).await.as_deref(), Some("released"));
    // What it gave back is somebody else's to take.
    let bob = tower.member("bob").await;
    tower.book(&bob, &[0, 1], 90, 120).await;
}

#[tokio::test]
async fn an_answer_counts_for_its_card_alone() {
    let mut tower = Tower::with_cards(2).await;
    let (ada, bob) = (tower.member("ada").await, tower.member("bob").await);
    rule(&tower, "training", &[0, 1]).await;
    let booking = tower.book(&ada, &[0, 1], 0, 600).await;
    tower.pass(31, &[]).await;
    let told = tower.told(&ada).await;
    let services = tower.services.clone();
    let answer = async |who, told: &Told, answer| notices::answer(&services, who, told.notice.id, &answer).await;
    let of = |card: &str| told.iter().find(|one| asked(std::slice::from_ref(one)) == [card]).unwrap();
    assert_eq!(told.len(), 2);
    assert_eq!(code(answer(&bob, of("0"), Answer::StillUsing).await), ErrorCode::NotFound, "nobody else's");
    assert_eq!(code(answer(&ada, of("0"), Answer::Accept).await), ErrorCode::NotFound, "it does not ask that");
    answer(&ada, of("0"), Answer::StillUsing).await.unwrap();
    let read = tower.told(&ada).await.into_iter().filter(|told| told.notice.read_at.is_some()).count();
    assert_eq!(read, 1);
    tower.pass(20, &[]).await;
    let ends: Vec<i64> = tower.holds(booking).await.into_iter().map(|(_, end, _)| end).collect();
    assert_eq!(ends, [600, 45]);
    let late = answer(&ada, of("1"), Answer::StillUsing).await;
    assert_eq!(code(late), ErrorCode::AlreadyOver, "that card is gone");

    // As long again, and then it is given back by its owner.
    tower.pass(15, &[]).await;
    let again = tower.told(&ada).await.pop().unwrap();
    assert_eq!(asked(std::slice::from_ref(&again)), ["0"]);
    answer(&ada, &again, Answer::GiveBack).await.unwrap();
    assert!(tower.holds(booking).await.iter().all(|(_, end, _)| *end < 70));
}

#[tokio::test]
async fn its_owner_gives_one_card_back_and_keeps_the_others() {
    let mut tower = Tower::with_cards(2).await;
    let ada = tower.member("ada").await;
    let booking = tower.book(&ada, &[0, 1], 0, 600).await;
    tower.pass(31, &[(1, "ada", 80)]).await;
    let asked = tower.told(&ada).await.remove(0);
    notices::answer(&tower.services, &ada, asked.notice.id, &Answer::GiveBack).await.unwrap();
    let ends: Vec<i64> = tower.holds(booking).await.into_iter().map(|(_, end, _)| end).collect();
    assert_eq!(ends, [31, 600]);
}

#[tokio::test]
async fn a_host_that_does_not_report_proves_nothing() {
    let mut tower = Tower::with_cards(1).await;
    let ada = tower.member("ada").await;
    rule(&tower, "training", &[0]).await;
    let booking = tower.book(&ada, &[0], 0, 600).await;
    tower.pass(20, &[]).await;
    for _ in 0..120 {
        tower.clock.advance(Duration::MINUTE);
        tower.look().await;
    }
    assert!(tower.told(&ada).await.is_empty());
    tower.pass(29, &[]).await;
    assert!(tower.told(&ada).await.is_empty(), "it begins anew");
    tower.pass(2, &[]).await;
    assert_eq!(asked(&tower.told(&ada).await), ["0"]);
    assert_eq!(tower.fate(booking).await, None);
}

#[tokio::test]
async fn on_an_instance_a_process_counts_as_use() {
    let mut tower = Tower::with_cards(2).await;
    tower.parts = true;
    let ada = tower.member("ada").await;
    tower.book(&ada, &[0, 1], 0, 600).await;
    tower.pass(40, &[(0, "ada", 0)]).await;
    assert_eq!(asked(&tower.told(&ada).await), ["1"]);
}

#[tokio::test]
async fn minutes_that_come_late_speak_for_its_owner() {
    let mut tower = Tower::with_cards(2).await;
    let ada = tower.member("ada").await;
    tower.book(&ada, &[0, 1], 0, 600).await;
    tower.pass(29, &[]).await;
    // Between two looks, at 10:20, a job ran on card 0; on card 1 somebody else's.
    tower.member("eve").await;
    for (card, os_user) in [(0, "ada"), (1, "eve")] {
        sqlx::query(
            "insert into card_minute_account (minute, card_no, host_no, present_ms, compute_ms, os_user, container)
             select $2, card_no, host_no, 60000, 30000, $3, '' from card join host using (host_id) where card_uuid = $1",
        )
        .bind(tower.cards[card].as_str())
        .bind(minute(20))
        .bind(os_user)
        .execute(&tower.pool)
        .await
        .unwrap();
    }
    tower.pass(10, &[]).await;
    assert_eq!(asked(&tower.told(&ada).await), ["1"]);
    tower.pass(43, &[]).await;
    let told = tower.told(&ada).await;
    assert_eq!(asked(&told), ["1", "0"]);
    assert!(matches!(told[1].notice.body, Body::Idle { since, .. } if since == minute(21)), "{told:?}");
}
