//! The demonstration: what it shows, and that its removal leaves nothing.

use std::collections::BTreeMap;

use domain::error::ErrorCode;
use domain::reservation::State;
use domain::upkeep::Targets;
use domain::user::Role;
use domain::wire::page::{SetUp, SignIn, Viewer};
use domain::zone::ZoneTable;
use server::service::demo::{DemoError, fill, remove};
use server::service::upkeep::By;
use server::service::{accounts, groups, setup, upkeep};

use super::{Desk, hours, plan};
use crate::support::fleet::{host, member};
use crate::support::people::account;

/// Every table with the number of its rows. The log of changes is no data: it is forgotten after an hour.
async fn rows(desk: &Desk) -> BTreeMap<String, i64> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select table_name::text from information_schema.tables
         where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'change'",
    )
    .fetch_all(&desk.pool)
    .await
    .unwrap();
    let mut counts = BTreeMap::new();
    for table in tables {
        let count = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select count(*) from \"{table}\"")));
        counts.insert(table, count.fetch_one(&desk.pool).await.unwrap());
    }
    counts
}

/// The cards, with all that administrators decide about them.
async fn cards(desk: &Desk) -> Vec<String> {
    sqlx::query_scalar("select card::text from card order by card_uuid").fetch_all(&desk.pool).await.unwrap()
}

async fn desk() -> Desk {
    let desk = Desk::new(6).await;
    for (name, cards) in [("dgx-h100", 8), ("rig-3090", 4), ("ws-mixed", 2)] {
        host(&desk.pool, name, cards).await;
    }
    desk
}

#[tokio::test]
async fn it_fills_two_weeks_and_its_removal_leaves_nothing() {
    let desk = desk().await;
    let (before, cards_before) = (rows(&desk).await, cards(&desk).await);
    let filled = fill(&desk.services, false).await.unwrap();
    assert_eq!(filled.people, 10);
    assert!(filled.bookings > 60, "{filled:?}");

    // Everybody, every group, rule and maintenance says that it is a demonstration.
    let names: Vec<String> = sqlx::query_scalar(
        r#"select display_name from "user" where name like 'demo%'
           union all select name from person_group union all select name from rule
           union all select reason from maintenance union all select not_bookable from card where not_bookable is not null"#,
    )
    .fetch_all(&desk.pool)
    .await
    .unwrap();
    assert_eq!(names.len(), 10 + 3 + 3 + 2 + 1, "{names:?}");
    assert!(names.iter().all(|name| name.ends_with("(demo)")), "{names:?}");

    // All that there is to show.
    for (what, sql) in [
        ("past", "select count(*) from reservation where upper(during) < $1 and fate is null"),
        ("running", "select count(*) from reservation where during @> $1::timestamptz and fate is null"),
        ("to come", "select count(*) from reservation where lower(during) > $1"),
        ("cancelled", "select count(*) from reservation where fate = 'cancelled' and $1::timestamptz is not null"),
        ("repeating", "select count(*) - 3 from reservation where series_id is not null and lower(during) > $1"),
        ("awaiting approval", "select count(*) from reservation where awaits = 'approval' and awaits_until > $1"),
        ("shares", "select count(*) - 1 from reservation_card where not upper_inf(slices) and upper(during) > $1"),
        ("waiting", "select count(*) - 1 from waiting where until > $1"),
        ("hit by maintenance to come", "select count(*) from maintenance where lower(during) > $1"),
        ("labels", "select count(*) from host_label where $1::timestamptz is not null"),
    ] {
        let count: i64 =
            sqlx::query_scalar(sql).bind(crate::support::clock::MORNING).fetch_one(&desk.pool).await.unwrap();
        assert!(count > 0, "{what}");
    }
    let first: time::OffsetDateTime =
        sqlx::query_scalar("select min(lower(during)) from reservation").fetch_one(&desk.pool).await.unwrap();
    assert!(first < hours(-5 * 24, 0).start(), "a week back: {first}");

    // Made anew, it is as much as before.
    let once = rows(&desk).await;
    let again = fill(&desk.services, false).await.unwrap();
    assert_eq!((again.people, again.bookings), (filled.people, filled.bookings));
    assert_eq!(rows(&desk).await, once);

    assert!(remove(&desk.services).await.unwrap());
    assert_eq!(rows(&desk).await, before);
    assert_eq!(cards(&desk).await, cards_before);
    assert!(!remove(&desk.services).await.unwrap(), "there is none any more");
    let refused = sqlx::query("delete from audit").execute(&desk.pool).await.map(|done| done.rows_affected());
    assert!(refused.is_err(), "the record is only added to, as before");
}

#[tokio::test]
async fn one_can_sign_in_and_nobody_administers_a_portal_that_has_an_administrator() {
    let desk = desk().await;
    let filled = fill(&desk.services, false).await.unwrap();
    let from = std::net::IpAddr::from([192, 0, 2, 1]);
    let ask = |name: &str, password: &str| SignIn { name: name.to_owned(), password: password.to_owned() };
    accounts::sign_in(&desk.services, ask(&filled.name, &filled.password), from).await.unwrap();
    let wrong = accounts::sign_in(&desk.services, ask("demo-priya", &filled.password), from).await;
    assert!(wrong.is_err(), "the password is one person's");
    let roles: Vec<String> =
        sqlx::query_scalar(r#"select role from "user" where name like 'demo%'"#).fetch_all(&desk.pool).await.unwrap();
    assert!(roles.iter().all(|role| role == Role::Member.as_str()), "{roles:?}");
    let again = fill(&desk.services, false).await.unwrap();
    assert_ne!(again.password, filled.password, "made up each time");
}

#[tokio::test]
async fn where_nobody_administers_the_portal_the_one_who_signs_in_does_until_the_removal() {
    let desk = desk().await;
    sqlx::query(r#"delete from "user" where user_id = $1"#).bind(desk.ruth.id.0).execute(&desk.pool).await.unwrap();
    let printed = setup::ensure_code(&desk.services).await.unwrap().unwrap();
    let before = rows(&desk).await;

    let filled = fill(&desk.services, false).await.unwrap();
    assert_eq!(filled.role, Role::Administrator);
    let from = std::net::IpAddr::from([192, 0, 2, 1]);
    let ask = SignIn { name: filled.name.clone(), password: filled.password.clone() };
    let id = accounts::sign_in(&desk.services, ask, from).await.unwrap();
    let administrators: Vec<String> =
        sqlx::query_scalar(r#"select display_name from "user" where role = 'administrator'"#)
            .fetch_all(&desk.pool)
            .await
            .unwrap();
    assert_eq!(administrators.len(), 1);
    assert!(administrators[0].ends_with("(demo)"), "{administrators:?}");
    assert!(!setup::is_needed(&desk.services).await.unwrap());
    let early = SetUp { code: printed.clone(), account: account("ruth") };
    assert!(setup::set_up(&desk.services, early, from).await.is_err(), "there is an administrator");

    // What is done with that account is part of the demonstration.
    let viewer = Viewer { id, name: filled.name, display_name: administrators[0].clone(), role: Role::Administrator };
    let by = By { viewer: &viewer, zone: ZoneTable::utc(), address: Some(from) };
    let targets = Targets { cards: vec![page(&desk).await], ..Targets::default() };
    upkeep::plan(&desk.services, &by, &plan(hours(400, 410), targets)).await.unwrap();
    let group = groups::make(&desk.services, &by, "Made by hand").await.unwrap();

    assert!(remove(&desk.services).await.unwrap());
    let mut after = rows(&desk).await;
    let groups = after.get_mut("person_group").unwrap();
    assert_eq!(*groups, before["person_group"] + 1, "{group:?} says nowhere that it is a demonstration");
    *groups -= 1;
    // How often somebody has signed in from an address says nothing about who.
    after.insert("sign_in_throttle".to_owned(), before["sign_in_throttle"]);
    assert_eq!(after, before);

    // The same portal, still running, can be set up.
    assert!(setup::is_needed(&desk.services).await.unwrap());
    let late = SetUp { code: printed, account: account("ruth") };
    setup::set_up(&desk.services, late, from).await.unwrap();
    assert_eq!(fill(&desk.services, false).await.unwrap().role, Role::Member);
}

#[tokio::test]
async fn what_real_people_have_is_left_alone() {
    let desk = desk().await;
    let ada = member(&desk.pool, "ada").await;
    let card = page(&desk).await;
    let real = desk.book(&ada, std::slice::from_ref(&card), hours(1, 30)).await;
    assert!(matches!(fill(&desk.services, false).await, Err(DemoError::InUse(1))));
    let before = rows(&desk).await;
    fill(&desk.services, true).await.unwrap();

    // Ruth calls a demonstration booking off; Ada is given one, and shares a card.
    let id: uuid::Uuid = sqlx::query_scalar(
        "select reservation_id from reservation where lower(during) > $1 and fate is null and awaits is null
         and user_id <> $2 and series_id is null order by lower(during) desc limit 1",
    )
    .bind(crate::support::clock::MORNING)
    .bind(ada.id.0)
    .fetch_one(&desk.pool)
    .await
    .unwrap();
    desk.services.reservations.cancel(&desk.ruth, domain::id::ReservationId(id)).await.unwrap();
    remove(&desk.services).await.unwrap();

    let list = desk.services.booking_list.one(&ada, real).await.unwrap();
    assert_eq!(list.booking.state, State::Scheduled);
    let mut after = rows(&desk).await;
    let deeds = after.get_mut("audit").unwrap();
    assert_eq!(*deeds, before["audit"] + 1, "what Ruth did stays on record");
    *deeds -= 1;
    // What was asked for by a key is kept for a day.
    after.insert("request_key".to_owned(), before["request_key"]);
    assert_eq!(after, before);
}

/// The first card of the largest host.
async fn page(desk: &Desk) -> domain::id::CardUuid {
    upkeep::cards::page(&desk.services).await.unwrap().hosts[0].cards[0].uuid.clone()
}

#[tokio::test]
async fn without_cards_nothing_is_made() {
    let desk = Desk::new(4).await;
    let before = rows(&desk).await;
    assert!(matches!(fill(&desk.services, true).await, Err(DemoError::NoCards)));
    assert_eq!(rows(&desk).await, before);
    let unknown = desk.services.booking_list.one(&desk.ruth, domain::id::ReservationId(uuid::Uuid::nil())).await;
    assert_eq!(unknown.unwrap_err().code, ErrorCode::NotFound);
}
