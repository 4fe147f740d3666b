//! Guesses at passwords become slow, and never lock anybody out.

use domain::error::ErrorCode;
use domain::wire::page::SignIn;
use server::service::accounts;
use server::store::throttle;
use time::Duration;

use crate::support::people::{Browser, Office, PASSWORD, code};

fn ask(name: &str, password: &str) -> SignIn {
    SignIn { name: name.to_owned(), password: password.to_owned() }
}

#[tokio::test]
async fn the_wait_doubles_up_to_a_minute_and_the_right_password_works_after_it() {
    let (office, _ruth) = Office::set_up().await;
    office.member("ada").await;
    let mut browser = Browser::default();
    for _ in 0..5 {
        assert_eq!(code(office.sign_in(&mut browser, "ada", "wrong wrong").await), ErrorCode::WrongPassword);
    }
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
        let early = office.sign_in(&mut browser, "ada", PASSWORD).await.unwrap_err();
        assert_eq!((early.code, early.retry_after), (ErrorCode::TooManyAttempts, Some(seconds)));
        assert!(early.message.contains(&format!("{seconds} second")), "{}", early.message);
        office.clock.advance(Duration::seconds(i64::try_from(seconds).unwrap()));
        assert_eq!(code(office.sign_in(&mut browser, "ada", "wrong wrong").await), ErrorCode::WrongPassword);
    }
    office.clock.advance(Duration::seconds(60));
    office.sign_in(&mut browser, "ada", PASSWORD).await.unwrap();
    // Forgotten: the next mistake costs nothing.
    for _ in 0..5 {
        assert_eq!(code(office.sign_in(&mut browser, "ada", "wrong wrong").await), ErrorCode::WrongPassword);
    }
}

#[tokio::test]
async fn unknown_names_wait_alike() {
    let (office, _ruth) = Office::set_up().await;
    let mut browser = Browser::default();
    for _ in 0..5 {
        assert_eq!(code(office.sign_in(&mut browser, "nobody", PASSWORD).await), ErrorCode::WrongPassword);
    }
    assert_eq!(code(office.sign_in(&mut browser, "nobody", PASSWORD).await), ErrorCode::TooManyAttempts);
}

#[tokio::test]
async fn many_at_once_do_not_slip_through() {
    let (office, _ruth) = Office::set_up().await;
    office.member("ada").await;
    let tries = (0..24).map(|_| {
        let services = office.services.clone();
        tokio::spawn(
            async move { accounts::sign_in(&services, ask("ada", "wrong wrong"), [192, 0, 2, 7].into()).await },
        )
    });
    let outcomes = futures::future::join_all(tries).await;
    let codes: Vec<_> = outcomes.into_iter().map(|outcome| code(outcome.unwrap())).collect();
    assert_eq!(codes.iter().filter(|code| **code == ErrorCode::WrongPassword).count(), 5);
    assert_eq!(codes.iter().filter(|code| **code == ErrorCode::TooManyAttempts).count(), 19);
}

#[tokio::test]
async fn one_address_that_tries_many_names_waits_and_others_do_not() {
    let (office, _ruth) = Office::set_up().await;
    office.member("ada").await;
    // Past hashing: the count is what matters here.
    for _ in 0..50 {
        throttle::admit(&office.pool, "address:192.0.2.9", 50, server::clock::Clock::now(&office.clock)).await.unwrap();
    }
    let from = |last: u8, password: &'static str| {
        let services = office.services.clone();
        async move { accounts::sign_in(&services, ask("ada", password), [192, 0, 2, last].into()).await }
    };
    assert_eq!(code(from(9, PASSWORD).await), ErrorCode::TooManyAttempts);
    from(8, PASSWORD).await.unwrap();
    office.clock.advance(Duration::seconds(1));
    from(9, PASSWORD).await.unwrap();
}

#[tokio::test]
async fn right_passwords_cost_their_address_nothing() {
    let (office, _ruth) = Office::set_up().await;
    office.member("ada").await;
    for _ in 0..8 {
        office.sign_in(&mut Browser::default(), "ada", PASSWORD).await.unwrap();
    }
    let left: Vec<(String, i32)> = sqlx::query_as("select subject, failures from sign_in_throttle where failures > 0")
        .fetch_all(&office.pool)
        .await
        .unwrap();
    assert_eq!(left, []);
}

#[tokio::test]
async fn a_quarter_of_an_hour_of_peace_and_all_is_forgotten() {
    let (office, _ruth) = Office::set_up().await;
    let mut browser = Browser::default();
    for _ in 0..5 {
        assert_eq!(code(office.sign_in(&mut browser, "nobody", PASSWORD).await), ErrorCode::WrongPassword);
    }
    office.clock.advance(Duration::minutes(15) + Duration::seconds(1));
    for _ in 0..5 {
        assert_eq!(code(office.sign_in(&mut browser, "nobody", PASSWORD).await), ErrorCode::WrongPassword);
    }
    office.clock.advance(Duration::minutes(15) + Duration::seconds(1));
    let now = server::clock::Clock::now(&office.clock);
    assert!(throttle::delete_old(&office.pool, now).await.unwrap() >= 2);
    assert_eq!(throttle::delete_old(&office.pool, now).await.unwrap(), 0);
}
