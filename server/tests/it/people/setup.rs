//! The first administrator.

use app::port::Portal;
use domain::error::ErrorCode;
use domain::user::Role;
use domain::wire::page::SetUp;
use server::service::setup;

use crate::support::people::{Browser, Office, account, address, code};
use crate::support::until;

#[tokio::test]
async fn the_code_makes_one_administrator_who_is_signed_in() {
    let office = Office::new().await;
    let mut browser = Browser::default();
    let before = office.act(&mut browser, async |portal| portal.frame().await).await.unwrap();
    assert!(before.needs_setup && before.viewer.is_none());
    assert_eq!(before.zone.name(), "UTC");

    let set_up_code = setup::ensure_code(&office.services).await.unwrap().unwrap();
    // As somebody types it who reads it from another screen.
    let typed = set_up_code.to_lowercase().replace('-', " ");
    let ask = SetUp { code: typed, account: account("ruth") };
    office.act(&mut browser, async |portal| portal.set_up(ask).await).await.unwrap();

    let after = office.act(&mut browser, async |portal| portal.frame().await).await.unwrap();
    assert!(!after.needs_setup);
    assert_eq!(after.zone.name(), "Europe/Berlin");
    let viewer = after.viewer.unwrap();
    assert_eq!((viewer.name.as_str(), viewer.role), ("ruth", Role::Administrator));

    let again = SetUp { code: set_up_code, account: account("eve") };
    let mut eve = Browser::default();
    let refused = office.act(&mut eve, async |portal| portal.set_up(again).await).await;
    assert_eq!(code(refused), ErrorCode::AlreadySetUp);
    assert_eq!(setup::ensure_code(&office.services).await.unwrap(), None);
    assert_eq!(office.administrators().await, 1);
}

#[tokio::test]
async fn each_start_has_its_own_code() {
    let office = Office::new().await;
    let old = setup::ensure_code(&office.services).await.unwrap().unwrap();
    let new = setup::ensure_code(&office.services).await.unwrap().unwrap();
    let with = |code: &str| SetUp { code: code.to_owned(), account: account("ruth") };
    assert_eq!(code(setup::set_up(&office.services, with(&old), address()).await), ErrorCode::WrongSetupCode);
    assert_eq!(code(setup::set_up(&office.services, with(""), address()).await), ErrorCode::WrongSetupCode);
    setup::set_up(&office.services, with(&new), address()).await.unwrap();
}

#[tokio::test]
async fn a_form_that_does_not_fit_does_not_use_the_code_up() {
    let office = Office::new().await;
    let set_up_code = setup::ensure_code(&office.services).await.unwrap().unwrap();
    let mut bad = SetUp { code: set_up_code.clone(), account: account("ruth") };
    bad.account.password = "short".to_owned();
    assert_eq!(code(setup::set_up(&office.services, bad, address()).await), ErrorCode::BadInput);
    let good = SetUp { code: set_up_code, account: account("ruth") };
    setup::set_up(&office.services, good, address()).await.unwrap();
}

#[tokio::test]
async fn of_sixteen_at_once_one_becomes_administrator() {
    let office = Office::new().await;
    let set_up_code = setup::ensure_code(&office.services).await.unwrap().unwrap();
    // Nobody can be inserted while this is held, so that all who get that far meet there. Hashing alone would let
    // them come one by one.
    let mut watcher = office.pool.acquire().await.unwrap();
    let mut hold = office.pool.begin().await.unwrap();
    sqlx::query(r#"lock table "user" in exclusive mode"#).execute(&mut *hold).await.unwrap();
    let tries: Vec<_> = (0..16)
        .map(|n| {
            let services = office.services.clone();
            let ask = SetUp { code: set_up_code.clone(), account: account(&format!("ruth{n}")) };
            tokio::spawn(async move { setup::set_up(&services, ask, [192, 0, 2, n].into()).await })
        })
        .collect();
    until("several wait for each other", async || {
        let waiting: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
        .fetch_one(&mut *watcher)
        .await
        .unwrap();
        waiting >= 5
    })
    .await;
    hold.rollback().await.unwrap();
    drop(watcher);
    let outcomes: Vec<_> = futures::future::join_all(tries).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for refused in outcomes.into_iter().filter(Result::is_err) {
        assert_eq!(code(refused), ErrorCode::AlreadySetUp);
    }
    assert_eq!(office.administrators().await, 1);
    let people: i64 = sqlx::query_scalar(r#"select count(*) from "user""#).fetch_one(&office.pool).await.unwrap();
    assert_eq!(people, 1);
}

#[tokio::test]
async fn nobody_signs_up_before_there_is_an_administrator() {
    let office = Office::new().await;
    let mut browser = Browser::default();
    let refused = office.act(&mut browser, async |portal| portal.sign_up(account("eve")).await).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotAllowed);
    assert!(refused.message.contains("set-up link"), "{}", refused.message);
}

#[tokio::test]
async fn guesses_at_the_code_are_slowed_down() {
    let office = Office::new().await;
    let set_up_code = setup::ensure_code(&office.services).await.unwrap().unwrap();
    let with = |code: &str| SetUp { code: code.to_owned(), account: account("ruth") };
    for _ in 0..20 {
        let refused = setup::set_up(&office.services, with("AAAAA"), address()).await;
        assert_eq!(code(refused), ErrorCode::WrongSetupCode);
    }
    let wait = setup::set_up(&office.services, with(&set_up_code), address()).await;
    assert_eq!(code(wait), ErrorCode::TooManyAttempts);
    office.clock.advance(time::Duration::seconds(1));
    setup::set_up(&office.services, with(&set_up_code), address()).await.unwrap();
}
