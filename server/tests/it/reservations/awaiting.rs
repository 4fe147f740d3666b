//! Bookings that hold their cards and wait: for approval, or for their owner.

use domain::error::ErrorCode;
use domain::id::ReservationId;
use domain::reservation::NewReservation;
use domain::reservation::edit::Edit;
use domain::user::Role;
use domain::wire::page::Viewer;
use server::service::reservations::GiveBack;
use server::store::reservations::held::Left;
use time::Duration;

use super::{Portal, hours, portal, to_window, wish};
use crate::support::clock::MORNING;
use crate::support::fleet::{host, member, person};

/// Has a booking wait for approval until so many hours from [`MORNING`].
async fn awaits_approval(portal: &Portal, id: ReservationId, until: i64) {
    sqlx::query("update reservation set awaits = 'approval', awaits_until = $2 where reservation_id = $1")
        .bind(id.0)
        .bind(MORNING + Duration::hours(until))
        .execute(&portal.pool)
        .await
        .unwrap();
}

async fn group(portal: &Portal, manager: &Viewer, member: &Viewer) {
    sqlx::query(
        "with made as (insert into person_group (group_id, name, made_at) values (gen_random_uuid(), 'lab', now())
                       returning group_id)
         insert into group_member (group_id, user_id, manager)
         select group_id, $1, true from made union all select group_id, $2, false from made",
    )
    .bind(manager.id.0)
    .bind(member.id.0)
    .execute(&portal.pool)
    .await
    .unwrap();
}

#[tokio::test]
async fn managers_of_the_owners_group_and_administrators_approve() {
    let portal = portal(2).await;
    let (ada, bob, max) =
        (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await, member(&portal.pool, "max").await);
    let ruth = person(&portal.pool, "ruth", "Ruth", Role::Administrator).await;
    group(&portal, &max, &ada).await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    for (viewer, allowed) in [(&ada, false), (&bob, false), (&max, true), (&ruth, true)] {
        let id = portal.book(&ada, &cards, hours(2, 4)).await;
        awaits_approval(&portal, id, 1).await;
        let approved = portal.edit(viewer, id, Edit::Approve).await;
        assert_eq!(approved.as_ref().err().map(|error| error.code), (!allowed).then_some(ErrorCode::NotAllowed));
        if allowed {
            assert_eq!(portal.refused(viewer, id, Edit::Approve).await, ErrorCode::NotAwaiting, "once is enough");
            let told = portal.told(&ada).await;
            assert_eq!(
                (&told.last().unwrap()["kind"], &told.last().unwrap()["by"]),
                (&"approved".into(), &viewer.display_name.clone().into())
            );
        } else {
            assert_eq!(portal.refused(viewer, id, Edit::Refuse { why: String::new() }).await, ErrorCode::NotAllowed);
        }
        portal.edit(&ada, id, Edit::Cancel).await.unwrap();
    }
}

#[tokio::test]
async fn refused_it_holds_nothing_and_its_owner_reads_why() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let ruth = person(&portal.pool, "ruth", "Ruth", Role::Administrator).await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let id = portal.book(&ada, &cards, hours(2, 4)).await;
    awaits_approval(&portal, id, 1).await;
    assert_eq!(
        portal.reservations.book(&bob, &wish(&cards, hours(2, 3))).await.unwrap_err().code,
        ErrorCode::Overlap,
        "it holds its cards meanwhile"
    );
    let long = Edit::Refuse { why: "x".repeat(201) };
    assert_eq!(portal.refused(&ruth, id, long).await, ErrorCode::BadInput);
    portal.edit(&ruth, id, Edit::Refuse { why: " the lab needs it ".to_owned() }).await.unwrap();
    let told = portal.told(&ada).await;
    assert_eq!((&told[0]["kind"], &told[0]["why"]), (&"refused".into(), &"the lab needs it".into()));
    portal.book(&bob, &cards, hours(2, 3)).await;
    assert_eq!(portal.refused(&ruth, id, Edit::Approve).await, ErrorCode::AlreadyOver);
}

#[tokio::test]
async fn nobody_answers_and_it_is_let_go_of_once() {
    let portal = portal(4).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards, hours(2, 4)).await;
    awaits_approval(&portal, id, 1).await;
    assert_eq!(portal.reservations.lapse_overdue().await, Ok(0));
    portal.clock.advance(Duration::hours(1));
    let (one, two) = tokio::join!(portal.reservations.lapse_overdue(), portal.reservations.lapse_overdue());
    assert_eq!(one.unwrap() + two.unwrap(), 1, "whichever replica comes first");
    assert_eq!(portal.one::<String>("select fate from reservation").await, "lapsed");
    assert_eq!(portal.told(&ada).await.len(), 1);
    assert_eq!(portal.one::<i64>("select count(*) from audit where action = 'reservation.lapse'").await, 1);
    portal.book(&bob, &cards, hours(2, 4)).await;
}

#[tokio::test]
async fn who_wants_the_cards_does_not_wait_for_that() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let ruth = person(&portal.pool, "ruth", "Ruth", Role::Administrator).await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let id = portal.book(&ada, &cards, hours(2, 4)).await;
    awaits_approval(&portal, id, 1).await;
    portal.clock.advance(Duration::hours(1));
    assert_eq!(portal.refused(&ruth, id, Edit::Approve).await, ErrorCode::AlreadyOver, "too late");
    portal.book(&bob, &cards, hours(3, 5)).await;
    assert_eq!(portal.one::<i64>("select count(*) from reservation where fate = 'lapsed'").await, 1);
}

#[tokio::test]
async fn cards_that_were_waited_for_are_held_until_they_are_taken() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let ask = NewReservation { owner: Some(ada.id), ..wish(&cards, hours(1, 4)) };
    let offer = async |ask: &NewReservation| portal.reservations.book_waited(ask, Some(MORNING + Duration::HOUR)).await;
    let id = offer(&ask).await.unwrap();
    assert_eq!(offer(&ask).await, Ok(id), "the same key, the same offer");
    assert_eq!(portal.one::<String>("select awaits from reservation").await, "answer");
    assert_eq!(portal.refused(&bob, id, Edit::Accept).await, ErrorCode::NotAllowed);
    assert_eq!(portal.refused(&ada, id, Edit::EndNow).await, ErrorCode::NotBegun);
    portal.edit(&ada, id, Edit::Accept).await.unwrap();
    assert_eq!(portal.one::<i64>("select count(*) from reservation where awaits is null").await, 1);
    assert_eq!(portal.refused(&ada, id, Edit::Accept).await, ErrorCode::NotAwaiting);

    let second = offer(&NewReservation { owner: Some(bob.id), ..wish(&cards, hours(4, 6)) }).await.unwrap();
    portal.edit(&bob, second, Edit::Cancel).await.expect("no, thanks");
    let third = offer(&NewReservation { owner: Some(bob.id), ..wish(&cards, hours(4, 6)) }).await.unwrap();
    portal.clock.advance(Duration::HOUR);
    assert_eq!(portal.refused(&bob, third, Edit::Accept).await, ErrorCode::AlreadyOver);
    assert_eq!(portal.reservations.lapse_overdue().await, Ok(1));
}

#[tokio::test]
async fn one_that_waits_past_its_start_is_neither_running_nor_called_off() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let ruth = person(&portal.pool, "ruth", "Ruth", Role::Administrator).await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let id = portal.book(&ada, &cards, hours(1, 4)).await;
    awaits_approval(&portal, id, 4).await;
    portal.clock.advance(Duration::hours(2));
    assert_eq!(portal.refused(&ada, id, Edit::EndNow).await, ErrorCode::NotBegun);
    portal.edit(&ada, id, to_window(hours(1, 3))).await.unwrap();
    let until = portal.one::<time::OffsetDateTime>("select awaits_until from reservation").await;
    assert_eq!(until, MORNING + Duration::hours(3), "it does not wait beyond its end");
    portal.edit(&ruth, id, Edit::Approve).await.unwrap();
    portal.edit(&ada, id, Edit::EndNow).await.expect("it runs now");
}

#[tokio::test]
async fn a_rule_gives_back_card_by_card() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards, hours(0, 4)).await;
    let idle = |card: usize| GiveBack {
        reservation: id,
        cards: vec![cards[card].clone()],
        why: Left::Idle,
        notices: Vec::new(),
    };
    portal.clock.advance(Duration::hours(1));
    assert_eq!(portal.reservations.give_back(&idle(0)).await, Ok(true));
    assert_eq!(portal.reservations.give_back(&idle(0)).await, Ok(false), "once");
    portal.book(&bob, &cards[..1], hours(1, 4)).await;
    assert_eq!(portal.whole(id).await, [(1, 0, 4)]);
    portal.clock.advance(Duration::hours(1));
    assert_eq!(portal.reservations.give_back(&idle(1)).await, Ok(true));
    assert_eq!(portal.one::<String>("select fate from reservation where fate is not null").await, "released");
    assert_eq!(portal.refused(&ada, id, Edit::EndNow).await, ErrorCode::AlreadyOver);
    assert_eq!(portal.holds(id).await[1].2, [0, 120], "the time that it had them stays on record");
}
