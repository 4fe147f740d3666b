//! Editing what has not begun: what becomes of it, and what is refused.

use domain::error::{ErrorCode, Field};
use domain::id::{CardUuid, ReservationId, UserId};
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::reservation::series::{Every, NewSeries, Repeat, RepeatEnd, Take};
use domain::user::Role;
use serde_json::Value;
use time::Duration;
use uuid::Uuid;

use super::{edit, hours, portal, to_cards, to_window, wish};
use crate::support::fleet::{host, member, person};

#[tokio::test]
async fn it_is_moved_lengthened_and_gets_other_cards_in_one_step() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 4).await;
    let id = portal.book(&ada, &cards[..2], hours(2, 4)).await;
    let target = Target {
        window: Some(hours(3, 7)),
        cards: Some(vec![cards[2].clone(), cards[1].clone()]),
        purpose: Some(" evaluation ".to_owned()),
        ..Target::default()
    };
    let edited = portal.edit(&ada, id, Edit::Set(target)).await.unwrap();
    assert_eq!((edited.reservations, edited.version), (vec![id], 2));
    assert_eq!(portal.whole(id).await, [(1, 3, 7), (2, 3, 7)]);
    assert_eq!(portal.one::<String>("select purpose from reservation").await, "evaluation");
    let bob = member(&portal.pool, "bob").await;
    portal.book(&bob, &cards[..1], hours(2, 7)).await;
    portal.book(&bob, &cards[1..2], hours(2, 3)).await;
}

#[tokio::test]
async fn it_is_never_in_its_own_way_and_always_in_that_of_another() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 3).await;
    let id = portal.book(&ada, &cards, hours(2, 4)).await;
    for window in [hours(3, 5), hours(2, 4), hours(1, 6), hours(2, 3), hours(3, 4)] {
        portal.edit(&ada, id, to_window(window)).await.unwrap();
        assert_eq!(portal.one::<i64>("select count(distinct during) from reservation_card").await, 1);
    }
    let other = portal.book(&ada, &cards[1..2], hours(4, 6)).await;
    let refused = portal.edit(&ada, id, to_window(hours(3, 5))).await.unwrap_err();
    assert_eq!((refused.code, refused.clashes.len()), (ErrorCode::Overlap, 1));
    assert_eq!((refused.clashes[0].reservation, refused.clashes[0].own), (other, true));
    assert!(refused.message.starts_with("Nothing was changed. You have card 1 on rig"), "{}", refused.message);
    assert_eq!(portal.whole(id).await, [(0, 3, 4), (1, 3, 4), (2, 3, 4)], "all or nothing");
    // Without the card that is in the way it may.
    let target = Target {
        window: Some(hours(3, 5)),
        cards: Some(vec![cards[0].clone(), cards[2].clone()]),
        ..Target::default()
    };
    portal.edit(&ada, id, Edit::Set(target)).await.unwrap();
    assert_eq!(portal.whole(id).await, [(0, 3, 5), (2, 3, 5)]);
}

#[tokio::test]
async fn what_is_asked_for_must_make_sense() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let id = portal.book(&ada, &cards, hours(2, 4)).await;
    let purpose = |text: &str| Edit::Set(Target { purpose: Some(text.to_owned()), ..Target::default() });
    let stranger = CardUuid::parse("GPU-not-here").unwrap();
    let nobody = Target { co_users: Some(vec![UserId(Uuid::new_v4())]), ..Target::default() };
    for (what, code, field) in [
        (to_window(hours(-2, 4)), ErrorCode::BadInput, Some(Field::Start)),
        (to_window(hours(2, 2 + 32 * 24)), ErrorCode::BadInput, Some(Field::End)),
        (to_window(hours(367 * 24, 367 * 24 + 1)), ErrorCode::BadInput, Some(Field::Start)),
        (to_cards(&[]), ErrorCode::BadInput, Some(Field::Cards)),
        (to_cards(&[stranger]), ErrorCode::UnknownCard, Some(Field::Cards)),
        (purpose(&"x".repeat(201)), ErrorCode::BadInput, Some(Field::Purpose)),
        (Edit::Set(nobody), ErrorCode::UnknownPerson, None),
        (Edit::EndNow, ErrorCode::NotBegun, None),
        (Edit::Approve, ErrorCode::NotAllowed, None),
        (Edit::Accept, ErrorCode::NotAwaiting, None),
        (Edit::StillUsing, ErrorCode::NotBegun, None),
        (Edit::Transfer { to: UserId(Uuid::new_v4()) }, ErrorCode::UnknownPerson, None),
        (Edit::Transfer { to: ada.id }, ErrorCode::BadInput, None),
    ] {
        let refused = portal.edit(&ada, id, what.clone()).await.unwrap_err();
        assert_eq!((refused.code, refused.field), (code, field), "{what:?}: {refused:?}");
        assert!(refused.message.starts_with("No") && !refused.message.starts_with("Not booked"), "{}", refused.message);
    }
    assert_eq!(portal.one::<i32>("select version from reservation").await, 1);
    portal.edit(&ada, id, Edit::Cancel).await.unwrap();
    for what in [to_window(hours(3, 4)), Edit::Cancel, Edit::EndNow, Edit::Transfer { to: ada.id }, Edit::StillUsing] {
        assert_eq!(portal.refused(&ada, id, what.clone()).await, ErrorCode::AlreadyOver, "{what:?}");
    }
    let unknown = ReservationId(Uuid::now_v7());
    assert_eq!(portal.refused(&ada, unknown, Edit::Cancel).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn cards_that_come_are_looked_at_and_those_that_stay_are_not() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 3).await;
    let id = portal.book(&ada, &cards[..2], hours(2, 6)).await;
    portal.run("update card set health = 'lost' where card_index = 0; update card set not_bookable = 'for the lab day' where card_index = 2").await;
    // Giving back is always possible; what is taken on top is looked at.
    portal.edit(&ada, id, to_window(hours(3, 5))).await.unwrap();
    assert_eq!(portal.refused(&ada, id, to_window(hours(3, 6))).await, ErrorCode::CardNotBookable);
    let kept_back = portal.edit(&ada, id, to_cards(&cards)).await.unwrap_err();
    assert_eq!(kept_back.code, ErrorCode::CardNotBookable);
    assert!(kept_back.message.contains("for the lab day"), "{}", kept_back.message);
    portal.edit(&ada, id, to_cards(&cards[1..2])).await.unwrap();
    portal.edit(&ada, id, to_window(hours(3, 6))).await.unwrap();
}

#[tokio::test]
async fn maintenance_is_in_the_way_of_what_is_taken_on_top() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards[..1], hours(2, 6)).await;
    portal
        .run(
            r#"insert into maintenance (maintenance_id, reason, during, everywhere, made_by, made_at)
               select gen_random_uuid(), 'new fans', '[2026-11-30 15:00Z, 2026-11-30 18:00Z)', true, user_id, now() from "user""#,
        )
        .await;
    let refused = portal.reservations.book(&ada, &wish(&cards[1..], hours(4, 6))).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Maintenance);
    assert!(refused.message.contains("new fans") && refused.message.contains("18:00"), "{}", refused.message);
    // It was planned over a booking that there was: that one stays, but takes no more of it.
    assert_eq!(portal.refused(&ada, id, to_window(hours(2, 7))).await, ErrorCode::Maintenance);
    assert_eq!(portal.refused(&ada, id, to_cards(&cards)).await, ErrorCode::Maintenance);
    portal.edit(&ada, id, to_window(hours(1, 6))).await.unwrap();
    portal.edit(&ada, id, to_window(hours(8, 9))).await.unwrap();
}

#[tokio::test]
async fn an_edit_of_what_somebody_has_not_seen_is_refused() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let id = portal.book(&ada, &cards, hours(2, 4)).await;
    let seen = |version, window| EditAsk { version: Some(version), ..edit(id, to_window(window)) };
    assert_eq!(portal.reservations.edit(&ada, &seen(1, hours(2, 5))).await.unwrap().version, 2);
    let stale = portal.reservations.edit(&ada, &seen(1, hours(2, 6))).await.unwrap_err();
    assert_eq!(stale.code, ErrorCode::Changed);
    assert_eq!(portal.reservations.edit(&ada, &seen(2, hours(2, 6))).await.unwrap().version, 3);
    // Nothing is different: nothing is written.
    assert_eq!(portal.reservations.edit(&ada, &seen(3, hours(2, 6))).await.unwrap().version, 3);
}

#[tokio::test]
async fn what_changes_nothing_leaves_no_trace() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let ruth = person(&portal.pool, "ruth", "Ruth", Role::Administrator).await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let daily = NewSeries {
        first: wish(&cards[..1], hours(2, 4)),
        repeat: Repeat { every: Every::Day, end: RepeatEnd::Times(3) },
        take: Take::AllOrNothing,
        doubled: None,
    };
    let days = portal.reservations.book_series(&ada, &daily).await.unwrap().booked;
    let traces =
        "select (select count(*) from audit) + (select count(*) from change) + (select sum(version) from reservation)
                         + (select count(*) from notice)";
    // All of them stay where they are.
    let all = |edit_: Edit| EditAsk { scope: Scope::Following, ..edit(days[0], edit_) };
    let before: i64 = portal.one(traces).await;
    let same = all(to_window(hours(2, 4)));
    let answer = portal.reservations.edit(&ruth, &same).await.unwrap();
    assert_eq!((answer.reservations.len(), answer.version), (0, 1));
    assert_eq!(portal.reservations.edit(&ruth, &same).await.unwrap(), answer);
    assert_eq!(portal.reservations.edit(&ruth, &all(to_cards(&cards[..1]))).await.unwrap().version, 1);
    assert_eq!(portal.one::<i64>(traces).await, before);
    assert_eq!(portal.one::<i64>("select count(*) from reservation_card where released").await, 0, "nor is one parked");
    // One of them has moved already, the others follow: it stays as it is.
    portal.edit(&ada, days[1], to_cards(&cards)).await.unwrap();
    let moved = portal.reservations.edit(&ruth, &all(to_cards(&cards))).await.unwrap();
    assert_eq!(moved.reservations, [days[0], days[2]]);
    assert_eq!(portal.one::<i64>("select sum(version) from reservation").await, 6);
    assert_eq!(portal.one::<i64>("select count(*) from reservation_card where not released").await, 6);

    // Ended in the instant of its start, and once more in the same instant.
    let now = portal.book(&ada, &cards, hours(0, 1)).await;
    portal.reservations.end_now(&ada, now).await.unwrap();
    let before: i64 = portal.one(traces).await;
    portal.reservations.end_now(&ada, now).await.unwrap();
    assert_eq!(portal.one::<i64>(traces).await, before);
}

#[tokio::test]
async fn the_same_edit_sent_again_is_the_same_and_its_key_serves_nothing_else() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let booking = wish(&cards[..1], hours(2, 4));
    let id = portal.reservations.book(&ada, &booking).await.unwrap();
    let ask = edit(id, to_window(hours(2, 5)));
    let first = portal.reservations.edit(&ada, &ask).await.unwrap();
    portal.edit(&ada, id, to_window(hours(2, 8))).await.unwrap();
    assert_eq!(portal.reservations.edit(&ada, &ask).await.unwrap(), first, "answered, not done again");
    assert_eq!(portal.whole(id).await, [(0, 2, 8)]);
    portal.edit(&ada, id, Edit::Cancel).await.unwrap();
    assert_eq!(portal.reservations.edit(&ada, &ask).await.unwrap(), first, "even when it is over");

    let other = EditAsk { edit: to_window(hours(2, 6)), ..ask.clone() };
    assert_eq!(portal.reservations.edit(&ada, &other).await.unwrap_err().code, ErrorCode::KeyReused);
    let used = EditAsk { idempotency_key: booking.idempotency_key, ..ask.clone() };
    assert_eq!(portal.reservations.edit(&ada, &used).await.unwrap_err().code, ErrorCode::KeyReused);
    let mut again = wish(&cards[1..], hours(2, 4));
    again.idempotency_key = ask.idempotency_key;
    assert_eq!(portal.reservations.book(&ada, &again).await.unwrap_err().code, ErrorCode::KeyReused);
}

#[tokio::test]
async fn somebody_elses_is_left_alone_and_an_administrator_says_so_to_its_owner() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let ruth = person(&portal.pool, "ruth", "Ruth", Role::Administrator).await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards, hours(2, 4)).await;
    for what in [to_window(hours(3, 4)), Edit::Cancel, Edit::EndNow, Edit::Transfer { to: bob.id }, Edit::Approve] {
        assert_eq!(portal.refused(&bob, id, what.clone()).await, ErrorCode::NotAllowed, "{what:?}");
    }
    portal.edit(&ada, id, to_window(hours(3, 5))).await.unwrap();
    assert!(portal.told(&ada).await.is_empty(), "nobody is told of what they did themselves");
    portal.edit(&ruth, id, to_window(hours(3, 4))).await.unwrap();
    portal.edit(&ruth, id, Edit::Cancel).await.unwrap();
    let told = portal.told(&ada).await;
    let said: Vec<(&Value, &Value, &Value)> =
        told.iter().map(|body| (&body["kind"], &body["what"], &body["by"])).collect();
    let (changed, ruth) = (&Value::from("changed"), &Value::from("Ruth"));
    assert_eq!(said, [(changed, &Value::from("edited"), ruth), (changed, &Value::from("cancelled"), ruth)]);
}

#[tokio::test]
async fn administrators_book_for_others_and_nobody_else_does() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let ruth = person(&portal.pool, "ruth", "Ruth", Role::Administrator).await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let mut ask = wish(&cards, hours(2, 4));
    ask.owner = Some(ada.id);
    assert_eq!(portal.reservations.book(&bob, &ask).await.unwrap_err().code, ErrorCode::NotAllowed);
    let id = portal.reservations.book(&ruth, &ask).await.unwrap();
    assert_eq!(portal.one::<Uuid>("select user_id from reservation").await, ada.id.0);
    assert_eq!(portal.one::<Uuid>("select booked_by from reservation").await, ruth.id.0);
    let told = portal.told(&ada).await;
    assert_eq!((&told[0]["what"], &told[0]["by"]), (&Value::from("booked"), &Value::from("Ruth")));
    portal.edit(&ada, id, Edit::Cancel).await.expect("it is hers");
    ask.owner = Some(UserId(Uuid::new_v4()));
    ask.idempotency_key = Uuid::new_v4();
    assert_eq!(portal.reservations.book(&ruth, &ask).await.unwrap_err().code, ErrorCode::UnknownPerson);
}

#[tokio::test]
async fn colleagues_are_added_told_and_taken_out() {
    let portal = portal(2).await;
    let (ada, bob, cleo) =
        (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await, member(&portal.pool, "cleo").await);
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let mut ask = wish(&cards, hours(2, 4));
    ask.co_users = vec![bob.id, ada.id, bob.id];
    let id = portal.reservations.book(&ada, &ask).await.unwrap();
    let people = "select coalesce(string_agg(name, ' ' order by name), '') from reservation_person join \"user\" using (user_id)";
    assert_eq!(portal.one::<String>(people).await, "bob", "its owner needs no leave");
    let set = |people: Vec<UserId>| Edit::Set(Target { co_users: Some(people), ..Target::default() });
    portal.edit(&ada, id, set(vec![bob.id, cleo.id])).await.unwrap();
    assert_eq!(portal.one::<String>(people).await, "bob cleo");
    portal.edit(&ada, id, to_window(hours(2, 5))).await.unwrap();
    assert_eq!(portal.one::<String>(people).await, "bob cleo", "another edit leaves them");
    portal.edit(&ada, id, set(Vec::new())).await.unwrap();
    assert_eq!(portal.one::<String>(people).await, "");
    for viewer in [&bob, &cleo] {
        let told = portal.told(viewer).await;
        assert_eq!((told.len(), &told[0]["what"]), (1, &Value::from("co_user")), "{}", viewer.name);
    }
    assert_eq!(portal.refused(&bob, id, Edit::Cancel).await, ErrorCode::NotAllowed, "to launch is not to change");
}

#[tokio::test]
async fn a_booking_to_come_is_given_to_a_colleague() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let mut ask = wish(&cards, hours(2, 4));
    ask.co_users = vec![bob.id];
    let id = portal.reservations.book(&ada, &ask).await.unwrap();
    let given = portal.edit(&ada, id, Edit::Transfer { to: bob.id }).await.unwrap();
    assert_eq!((given.reservations, given.version), (vec![id], 2));
    assert_eq!(portal.one::<Uuid>("select user_id from reservation").await, bob.id.0);
    assert_eq!(portal.one::<i64>("select count(*) from reservation_person").await, 0, "it is his now");
    assert_eq!(portal.refused(&ada, id, Edit::Cancel).await, ErrorCode::NotAllowed);
    assert_eq!(portal.told(&bob).await.last().unwrap()["what"], "transferred");
    portal.edit(&bob, id, Edit::Cancel).await.unwrap();
}

#[tokio::test]
async fn the_record_has_every_deed_with_before_and_after() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let id = portal.book(&ada, &cards[..1], hours(2, 4)).await;
    portal.edit(&ada, id, to_cards(&cards)).await.unwrap();
    assert!(portal.edit(&ada, id, to_window(hours(-4, 4))).await.is_err());
    portal.edit(&ada, id, Edit::Cancel).await.unwrap();
    let rows: Vec<(String, Option<Value>, Value)> = sqlx::query_as(
        "select action, before, after from audit where reservation_id = $1 and actor = $2 order by audit_id",
    )
    .bind(id.0)
    .bind(ada.id.0)
    .fetch_all(&portal.pool)
    .await
    .unwrap();
    let actions: Vec<&str> = rows.iter().map(|(action, _, _)| action.as_str()).collect();
    assert_eq!(actions, ["reservation.create", "reservation.edit", "reservation.cancel"], "a refusal is no deed");
    assert_eq!(rows[0].1, None);
    assert_eq!(rows[1].1.as_ref().unwrap(), &rows[0].2, "each begins where the one before ended");
    assert_eq!(rows[1].2["cards"].as_object().unwrap().len(), 2);
    assert_eq!((&rows[2].2["fate"], &rows[2].2["version"]), (&Value::from("cancelled"), &Value::from(3)));
    portal.clock.advance(Duration::hours(1));
    let changed = sqlx::query("update audit set action = 'x'").execute(&portal.pool).await;
    assert!(changed.is_err(), "the record is only added to");
}
