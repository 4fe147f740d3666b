//! Signing up and in.

use app::port::Portal;
use domain::error::{ErrorCode, Field};
use domain::wire::page::NewAccount;

use crate::support::people::{Browser, Office, PASSWORD, account, code};

#[tokio::test]
async fn a_member_signs_up_out_and_in() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    assert_eq!(office.viewer(&mut ada).await.unwrap().display_name, "Person ada");
    office.act(&mut ada, async |portal| portal.sign_out().await).await.unwrap();
    assert_eq!(office.viewer(&mut ada).await, None);
    office.sign_in(&mut ada, " ADA ", PASSWORD).await.unwrap();
    assert_eq!(office.viewer(&mut ada).await.unwrap().name, "ada");
}

#[tokio::test]
async fn unknown_name_wrong_password_and_disabled_account_get_one_answer() {
    let (office, _ruth) = Office::set_up().await;
    office.member("ada").await;
    office.member("gone").await;
    sqlx::query(r#"update "user" set disabled_at = created_at where name = 'gone'"#)
        .execute(&office.pool)
        .await
        .unwrap();
    let mut answers = Vec::new();
    for (name, password) in [
        ("ada", "quiet orange ladder "),
        ("ada", ""),
        ("nobody", PASSWORD),
        ("not a name;", PASSWORD),
        ("gone", PASSWORD),
        ("ada", &"x".repeat(5000)),
    ] {
        let mut browser = Browser::default();
        answers.push(office.sign_in(&mut browser, name, password).await.unwrap_err());
        assert_eq!(browser.id, None, "{name}");
    }
    assert_eq!(answers[0].code, ErrorCode::WrongPassword);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[tokio::test]
async fn a_new_password_from_the_operator_replaces_the_old_and_ends_all_sessions() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let replace =
        |name, password: &str| server::service::accounts::replace_password(&office.services, name, password.to_owned());
    assert!(replace("ada", "short").await.is_err());
    assert!(replace("nobody", "another quiet ladder").await.is_err());
    assert!(office.viewer(&mut ada).await.is_some());

    replace("ada", "another quiet ladder").await.unwrap();
    assert_eq!(office.viewer(&mut ada).await, None);
    assert_eq!(office.sign_in(&mut ada, "ada", PASSWORD).await.unwrap_err().code, ErrorCode::WrongPassword);
    office.sign_in(&mut ada, "ada", "another quiet ladder").await.unwrap();
}

#[tokio::test]
async fn names_are_unique_by_the_database() {
    let (office, _ruth) = Office::set_up().await;
    office.member("ada").await;
    let mut browser = Browser::default();
    let refused = office.act(&mut browser, async |portal| portal.sign_up(account("Ada")).await).await.unwrap_err();
    assert_eq!((refused.code, refused.field), (ErrorCode::NameTaken, Some(Field::Name)));
    assert!(refused.message.contains("ada"), "{}", refused.message);

    // All at once: past the look that comes first, so the constraint has to say it.
    let tries = (0..6).map(|_| {
        let services = office.services.clone();
        tokio::spawn(async move { server::service::accounts::sign_up(&services, account("grace")).await })
    });
    let outcomes: Vec<_> = futures::future::join_all(tries).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for refused in outcomes.into_iter().filter(Result::is_err) {
        assert_eq!(code(refused), ErrorCode::NameTaken);
    }
}

#[tokio::test]
async fn what_does_not_fit_is_tied_to_its_field() {
    let (office, _ruth) = Office::set_up().await;
    let bad = |change: fn(&mut NewAccount)| {
        let mut account = account("ada");
        change(&mut account);
        account
    };
    for (account, field) in [
        (bad(|a| a.name = "a b".to_owned()), Field::Name),
        (bad(|a| a.display_name = "\u{202e}".to_owned()), Field::DisplayName),
        (bad(|a| a.password = "1234567".to_owned()), Field::Password),
        (bad(|a| a.password = "Password123!".to_owned()), Field::Password),
        (bad(|a| a.password = "ada12345".repeat(200)), Field::Password),
    ] {
        let mut browser = Browser::default();
        let refused = office.act(&mut browser, async |portal| portal.sign_up(account).await).await.unwrap_err();
        assert_eq!((refused.code, refused.field), (ErrorCode::BadInput, Some(field)));
        assert_eq!(browser.id, None);
    }
}

#[tokio::test]
async fn a_weak_old_hash_is_replaced_at_the_next_sign_in() {
    use argon2::password_hash::{PasswordHasher, SaltString};
    let (office, _ruth) = Office::set_up().await;
    office.member("ada").await;
    let params = argon2::Params::new(8 * 1024, 1, 1, None).unwrap();
    let weak = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params)
        .hash_password(PASSWORD.as_bytes(), &SaltString::encode_b64(&[7; 16]).unwrap())
        .unwrap()
        .to_string();
    sqlx::query(r#"update "user" set password_hash = $1 where name = 'ada'"#)
        .bind(&weak)
        .execute(&office.pool)
        .await
        .unwrap();
    office.sign_in(&mut Browser::default(), "ada", PASSWORD).await.unwrap();
    let stored: String = sqlx::query_scalar(r#"select password_hash from "user" where name = 'ada'"#)
        .fetch_one(&office.pool)
        .await
        .unwrap();
    assert!(stored.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"), "{stored}");
    office.sign_in(&mut Browser::default(), "ada", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn new_people_get_the_least_used_hue() {
    let (office, _ruth) = Office::set_up().await;
    for n in 0..12 {
        office.member(&format!("ada{n}")).await;
    }
    let hues: Vec<(i16, i64)> =
        sqlx::query_as(r#"select hue, count(*) from "user" group by hue"#).fetch_all(&office.pool).await.unwrap();
    assert_eq!(hues.len(), 12);
    assert_eq!(hues.iter().filter(|(_, n)| *n == 2).count(), 1);
}

#[tokio::test]
async fn when_the_database_is_away_nobody_is_signed_out() {
    let (office, mut ruth) = Office::set_up().await;
    office.pool.close().await;
    let id = ruth.id;
    let refused = office.act(&mut ruth, async |portal| portal.frame().await).await.unwrap_err();
    assert_eq!((refused.code, refused.retry_after), (ErrorCode::Unavailable, Some(2)));
    assert_eq!(ruth.id, id);
    let refused = office.sign_in(&mut Browser::default(), "ruth", PASSWORD).await;
    assert_eq!(code(refused), ErrorCode::Unavailable);
}
