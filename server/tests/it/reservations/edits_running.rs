//! Editing what runs: the time that has been used stays as it was.

use domain::error::{ErrorCode, Field};
use domain::reservation::edit::{Edit, Target};
use domain::window::Window;
use serde_json::Value;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{hours, portal, to_cards, to_window, wish};
use crate::support::clock::MORNING;
use crate::support::fleet::{host, member};

#[tokio::test]
async fn it_is_extended_and_shortened_and_its_start_stays() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards, hours(0, 4)).await;
    portal.clock.advance(Duration::hours(1));
    portal.edit(&ada, id, to_window(hours(0, 6))).await.unwrap();
    assert_eq!(portal.whole(id).await, [(0, 0, 6), (1, 0, 6)]);
    portal.edit(&ada, id, to_window(hours(0, 2))).await.unwrap();
    assert_eq!(portal.whole(id).await, [(0, 0, 2), (1, 0, 2)]);
    portal.book(&bob, &cards[..1], hours(2, 3)).await;
    let follower = portal.edit(&ada, id, to_window(hours(0, 3))).await.unwrap_err();
    assert_eq!((follower.code, follower.clashes.len()), (ErrorCode::Overlap, 1));
    // A field holds minutes: a start that differs by seconds is the same one.
    let almost = Window::new(MORNING - Duration::seconds(40), MORNING + Duration::minutes(100)).unwrap();
    portal.edit(&ada, id, to_window(almost)).await.unwrap();
    assert_eq!(portal.holds(id).await[0].2, [0, 100]);
    for (window, field) in [(hours(1, 2), Field::Start), (hours(-1, 2), Field::Start), (hours(0, 1), Field::End)] {
        let refused = portal.edit(&ada, id, to_window(window)).await.unwrap_err();
        assert_eq!((refused.code, refused.field), (ErrorCode::PastIsFixed, Some(field)), "{refused:?}");
    }
    assert_eq!(portal.refused(&ada, id, Edit::Cancel).await, ErrorCode::AlreadyBegun);
    // Shorter than the shortest booking is still a time to stop at.
    let soon = Window::new(MORNING, MORNING + Duration::minutes(61)).unwrap();
    portal.edit(&ada, id, to_window(soon)).await.unwrap();
}

#[tokio::test]
async fn cards_come_and_go_and_what_was_used_stays_on_record() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 3).await;
    let id = portal.book(&ada, &cards[..2], hours(0, 4)).await;
    portal.clock.advance(Duration::hours(1));
    portal.edit(&ada, id, to_cards(&[cards[1].clone(), cards[2].clone()])).await.unwrap();
    let whole = |card: i32, from: i64, to: i64, left: Option<&str>| {
        (card, "[0,)".to_owned(), [from * 60, to * 60], left.map(str::to_owned))
    };
    let expected = [whole(0, 0, 1, Some("edited")), whole(1, 0, 4, None), whole(2, 1, 4, None)];
    assert_eq!(portal.holds(id).await, expected);
    let bobs = portal.book(&bob, &cards[..1], hours(1, 3)).await;
    assert_eq!(portal.refused(&ada, id, to_cards(&cards)).await, ErrorCode::Overlap, "it is gone");
    portal.edit(&bob, bobs, Edit::EndNow).await.unwrap();
    portal.clock.advance(Duration::hours(1));
    // It comes back, with all others and more time.
    let all = Target { window: Some(hours(0, 5)), cards: Some(cards.clone()), ..Target::default() };
    portal.edit(&ada, id, Edit::Set(all)).await.unwrap();
    let expected = [whole(0, 0, 1, Some("edited")), whole(0, 2, 5, None), whole(1, 0, 5, None), whole(2, 1, 5, None)];
    assert_eq!(portal.holds(id).await, expected);
    portal.clock.advance(Duration::hours(1));
    portal.edit(&ada, id, Edit::EndNow).await.unwrap();
    let expected = [whole(0, 0, 1, Some("edited")), whole(0, 2, 3, None), whole(1, 0, 3, None), whole(2, 1, 3, None)];
    assert_eq!(portal.holds(id).await, expected, "what left before is not made longer");
}

#[tokio::test]
async fn what_came_and_went_in_one_instant_leaves_nothing_behind() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards[..1], hours(0, 4)).await;
    portal.clock.advance(Duration::hours(1));
    portal.edit(&ada, id, to_cards(&cards)).await.unwrap();
    portal.edit(&ada, id, to_cards(&cards[..1])).await.unwrap();
    assert_eq!(portal.holds(id).await.len(), 1);
    portal.edit(&ada, id, to_cards(&cards)).await.unwrap();
    portal.edit(&ada, id, Edit::EndNow).await.unwrap();
    assert_eq!(portal.whole(id).await, [(0, 0, 1)]);
}

#[tokio::test]
async fn the_rest_of_a_running_booking_is_given_away_and_the_used_time_is_not() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards, hours(0, 4)).await;
    portal.clock.advance(Duration::hours(1));
    let given = portal.edit(&ada, id, Edit::Transfer { to: bob.id }).await.unwrap();
    let [new, old] = given.reservations.as_slice() else { panic!("{given:?}") };
    assert_eq!((*old, given.version), (id, 1));
    assert_eq!(portal.whole(id).await, [(0, 0, 1), (1, 0, 1)]);
    assert_eq!(portal.whole(*new).await, [(0, 1, 4), (1, 1, 4)]);
    let owner: Uuid = sqlx::query_scalar("select user_id from reservation where reservation_id = $1")
        .bind(new.0)
        .fetch_one(&portal.pool)
        .await
        .unwrap();
    assert_eq!(owner, bob.id.0);
    assert_eq!(portal.refused(&ada, id, Edit::EndNow).await, ErrorCode::AlreadyOver);
    portal.edit(&bob, *new, to_window(hours(1, 5))).await.unwrap();
    let told = portal.told(&bob).await;
    assert_eq!((told.len(), &told[0]["what"]), (1, &Value::from("transferred")));
}

#[tokio::test]
async fn a_card_that_only_ones_own_processes_are_on_can_be_booked() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (host, cards) = host(&portal.pool, "rig", 1).await;
    // What runs on a card is shown, and decides nothing: it may well be the booker's own.
    sqlx::query(
        r#"update host set last_report_at = $2,
               last_report = '{"cards": [{"processes": [{"pid": 4711, "os_user": "ada"}]}]}' where host_id = $1"#,
    )
    .bind(host.0)
    .bind(MORNING)
    .execute(&portal.pool)
    .await
    .unwrap();
    portal.book(&ada, &cards, hours(0, 4)).await;
}

#[tokio::test]
async fn still_using_is_noted_for_every_card_that_was_asked_about() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let mut ask = wish(&cards, hours(0, 4));
    ask.co_users = vec![bob.id];
    let id = portal.reservations.book(&ada, &ask).await.unwrap();
    portal.run("insert into card_watch (hold_id, asked_at) select hold_id, now() from reservation_card").await;
    portal.clock.advance(Duration::hours(1));
    portal.edit(&bob, id, Edit::StillUsing).await.unwrap();
    let answered: Vec<Option<OffsetDateTime>> =
        sqlx::query_scalar("select answered_at from card_watch").fetch_all(&portal.pool).await.unwrap();
    assert_eq!(answered, [Some(MORNING + Duration::hours(1)); 2]);
    assert_eq!(portal.one::<i32>("select version from reservation").await, 1, "nothing was changed");
}
