//! What is refused, with which words, and what stays on record.

use domain::error::{ErrorCode, Field};
use domain::id::{CardUuid, ReservationId};
use domain::user::Role;
use domain::window::Window;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{booked, hours, portal, wish};
use crate::support::clock::MORNING;
use crate::support::fleet::{host, member, person};

#[tokio::test]
async fn a_booking_over_two_hosts_is_one_booking() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, rig) = host(&portal.pool, "rig", 2).await;
    let (_, dgx) = host(&portal.pool, "dgx", 2).await;
    let cards = [rig[0].clone(), dgx[1].clone(), rig[0].clone()];
    let id = portal.reservations.book(&ada, &wish(&cards, hours(1, 2))).await.unwrap();
    assert_eq!(booked(&portal.pool).await, [(id.0, 2)]);
}

#[tokio::test]
async fn back_to_back_is_no_conflict() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let bob = member(&portal.pool, "bob").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    portal.reservations.book(&ada, &wish(&cards, hours(2, 3))).await.unwrap();
    portal.reservations.book(&bob, &wish(&cards, hours(1, 2))).await.unwrap();
    portal.reservations.book(&bob, &wish(&cards, hours(3, 4))).await.unwrap();
}

#[tokio::test]
async fn a_conflict_names_card_holder_and_end_and_takes_nothing() {
    let portal = portal(2).await;
    let aiko = person(&portal.pool, "aiko", "Aiko Tanaka", Role::Member).await;
    let bob = member(&portal.pool, "bob").await;
    let (_, cards) = host(&portal.pool, "dgx-h100", 8).await;
    let first = portal.reservations.book(&aiko, &wish(&cards[5..6], hours(0, 6))).await.unwrap();
    let refused = portal.reservations.book(&bob, &wish(&cards, hours(1, 2))).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Overlap);
    assert_eq!(refused.field, Some(Field::Cards));
    assert_eq!(
        refused.message,
        "Not booked. Aiko Tanaka has card 5 on dgx-h100 until 16:00. Choose another card or time."
    );
    let [clash] = refused.clashes.as_slice() else { panic!("{:?}", refused.clashes) };
    assert_eq!((clash.reservation, &clash.card, clash.number.index, clash.own), (first, &cards[5], 5, false));
    assert_eq!(booked(&portal.pool).await, [(first.0, 1)], "all or nothing");
    let refused = portal.reservations.book(&aiko, &wish(&cards, hours(1, 2))).await.unwrap_err();
    assert!(refused.clashes[0].own && refused.message.contains("You have card 5"), "{}", refused.message);
}

#[tokio::test]
async fn the_past_cannot_be_booked_and_a_moment_ago_means_now() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    for (window, field) in [(hours(-1, 1), Field::Start), (hours(-3, -2), Field::End)] {
        let refused = portal.reservations.book(&ada, &wish(&cards, window)).await.unwrap_err();
        assert_eq!((refused.code, refused.field), (ErrorCode::BadInput, Some(field)), "{refused:?}");
    }
    let window = Window::new(MORNING - Duration::minutes(2), MORNING + Duration::hours(1)).unwrap();
    let id = portal.reservations.book(&ada, &wish(&cards, window)).await.unwrap();
    let start: OffsetDateTime = sqlx::query_scalar("select lower(during) from reservation where reservation_id = $1")
        .bind(id.0)
        .fetch_one(&portal.pool)
        .await
        .unwrap();
    assert_eq!(start, MORNING);
}

#[tokio::test]
async fn cards_that_are_unknown_gone_or_sick_are_refused() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 3).await;
    let stranger = CardUuid::parse("GPU-not-here").unwrap();
    let refused = portal.reservations.book(&ada, &wish(&[cards[0].clone(), stranger], hours(1, 2))).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::UnknownCard);
    assert!(refused.message.contains("GPU-not-here"));

    for (change, code) in [
        ("update card set present = false where card_index = 1", ErrorCode::UnknownCard),
        ("update card set present = true, health = 'lost' where card_index = 1", ErrorCode::CardNotBookable),
        ("update card set health = 'from_a_newer_server' where card_index = 1", ErrorCode::CardNotBookable),
    ] {
        sqlx::query(change).execute(&portal.pool).await.unwrap();
        let refused = portal.reservations.book(&ada, &wish(&cards, hours(1, 2))).await.unwrap_err();
        assert_eq!(refused.code, code, "{change}");
        assert!(refused.message.contains("Card 1 on rig"), "{}", refused.message);
    }
    assert!(booked(&portal.pool).await.is_empty());
}

#[tokio::test]
async fn the_same_key_is_the_same_booking_even_when_its_start_has_passed() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let ask = wish(&cards[..1], hours(1, 2));
    let id = portal.reservations.book(&ada, &ask).await.unwrap();
    portal.clock.advance(Duration::hours(5));
    assert_eq!(portal.reservations.book(&ada, &ask).await, Ok(id));

    let mut other = ask.clone();
    other.cards = cards.clone();
    assert_eq!(portal.reservations.book(&ada, &other).await.unwrap_err().code, ErrorCode::KeyReused);
    let bob = member(&portal.pool, "bob").await;
    let mut bobs = wish(&cards, hours(7, 8));
    bobs.idempotency_key = ask.idempotency_key;
    portal.reservations.book(&bob, &bobs).await.expect("a key belongs to one person");
}

#[tokio::test]
async fn cancelled_before_the_start_it_holds_nothing_and_stays_on_record() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.reservations.book(&ada, &wish(&cards, hours(1, 3))).await.unwrap();
    assert_eq!(portal.reservations.end_now(&ada, id).await.unwrap_err().code, ErrorCode::NotBegun);
    portal.reservations.cancel(&ada, id).await.unwrap();
    assert_eq!(portal.reservations.cancel(&ada, id).await.unwrap_err().code, ErrorCode::AlreadyOver);
    portal.reservations.book(&ada, &wish(&cards, hours(1, 3))).await.unwrap();
    assert_eq!(booked(&portal.pool).await.len(), 2);
}

#[tokio::test]
async fn ended_early_the_rest_is_free_and_the_used_time_stays() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let bob = member(&portal.pool, "bob").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.reservations.book(&ada, &wish(&cards, hours(0, 3))).await.unwrap();
    portal.clock.advance(Duration::minutes(30));
    assert_eq!(portal.reservations.cancel(&ada, id).await.unwrap_err().code, ErrorCode::AlreadyBegun);
    portal.reservations.end_now(&ada, id).await.unwrap();
    assert_eq!(portal.reservations.end_now(&ada, id).await.unwrap_err().code, ErrorCode::AlreadyOver);
    let now = Window::new(MORNING + Duration::minutes(30), MORNING + Duration::hours(1)).unwrap();
    portal.reservations.book(&bob, &wish(&cards, now)).await.expect("free from the instant of the end");
    let (start, end): (OffsetDateTime, OffsetDateTime) = sqlx::query_as(
        "select lower(during), upper(during) from reservation_card where reservation_id = $1 and card_uuid = $2",
    )
    .bind(id.0)
    .bind(cards[0].as_str())
    .fetch_one(&portal.pool)
    .await
    .unwrap();
    assert_eq!((start, end), (MORNING, MORNING + Duration::minutes(30)));
}

#[tokio::test]
async fn ended_in_the_instant_of_its_start_it_is_no_empty_range() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let id = portal.reservations.book(&ada, &wish(&cards, hours(0, 3))).await.unwrap();
    portal.reservations.end_now(&ada, id).await.unwrap();
    portal.clock.advance(Duration::MICROSECOND);
    portal.reservations.book(&ada, &wish(&cards, hours(0, 3))).await.unwrap();
}

#[tokio::test]
async fn over_is_over() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let id = portal.reservations.book(&ada, &wish(&cards, hours(0, 1))).await.unwrap();
    portal.clock.advance(Duration::hours(1));
    assert_eq!(portal.reservations.cancel(&ada, id).await.unwrap_err().code, ErrorCode::AlreadyOver);
    assert_eq!(portal.reservations.end_now(&ada, id).await.unwrap_err().code, ErrorCode::AlreadyOver);
}

#[tokio::test]
async fn who_may_cancel_and_end() {
    let portal = portal(2).await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let owner = member(&portal.pool, "owner").await;
    let other = member(&portal.pool, "other").await;
    let admin = person(&portal.pool, "root", "Root", Role::Administrator).await;
    for (viewer, allowed) in [(&owner, true), (&other, false), (&admin, true)] {
        let later = portal.reservations.book(&owner, &wish(&cards, hours(20, 21))).await.unwrap();
        let running = portal.reservations.book(&owner, &wish(&cards, hours(0, 10))).await.unwrap();
        let cancelled = portal.reservations.cancel(viewer, later).await;
        let ended = portal.reservations.end_now(viewer, running).await;
        if allowed {
            assert_eq!((cancelled, ended), (Ok(()), Ok(())), "{}", viewer.name);
        } else {
            assert_eq!(cancelled.unwrap_err().code, ErrorCode::NotAllowed);
            assert_eq!(ended.unwrap_err().code, ErrorCode::NotAllowed);
            portal.reservations.cancel(&owner, later).await.unwrap();
            portal.reservations.end_now(&owner, running).await.unwrap();
        }
        portal.clock.advance(Duration::SECOND);
    }
    let unknown = ReservationId(Uuid::now_v7());
    assert_eq!(portal.reservations.cancel(&owner, unknown).await.unwrap_err().code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_disabled_person_books_nothing() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    sqlx::query(r#"update "user" set disabled_at = $1"#).bind(MORNING).execute(&portal.pool).await.unwrap();
    let refused = portal.reservations.book(&ada, &wish(&cards, hours(1, 2))).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::SignInNeeded);
}
