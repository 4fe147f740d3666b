//! Sessions: rotation, ends, and what is stored.

use app::port::Portal;
use server::auth::session::{IDLE, LIFETIME, hash_of};
use server::job::prune_people;
use time::Duration;

use crate::support::people::{Browser, Office, PASSWORD};

#[tokio::test]
async fn the_id_changes_at_sign_in_and_the_old_one_is_dead() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let old = ada.id;
    office.sign_in(&mut ada, "ada", PASSWORD).await.unwrap();
    assert!(old.is_some() && ada.id != old);
    assert_eq!(office.viewer(&mut Browser { id: old }).await, None);
    assert_eq!(office.viewer(&mut ada).await.unwrap().name, "ada");
}

#[tokio::test]
async fn an_id_that_somebody_else_chose_is_not_taken_over() {
    let (office, _ruth) = Office::set_up().await;
    office.member("ada").await;
    let planted = Some(tower_sessions::session::Id(42));
    let mut ada = Browser { id: planted };
    office.sign_in(&mut ada, "ada", PASSWORD).await.unwrap();
    assert_ne!(ada.id, planted);
    assert_eq!(office.viewer(&mut Browser { id: planted }).await, None);
}

#[tokio::test]
async fn signing_out_kills_the_session_and_a_late_save_does_not_revive_it() {
    use tower_sessions::SessionStore;
    use tower_sessions::session::Record;
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let id = ada.id.unwrap();
    office.act(&mut ada, async |portal| portal.sign_out().await).await.unwrap();
    assert_eq!(ada.id, None);
    let store = server::auth::session::Sessions::new(office.pool.clone(), std::sync::Arc::new(office.clock.clone()));
    let record =
        Record { id, data: [("user".to_owned(), "x".into())].into(), expiry_date: time::OffsetDateTime::now_utc() };
    store.save(&record).await.unwrap();
    assert_eq!(office.viewer(&mut Browser { id: Some(id) }).await, None);
    assert_eq!(store.load(&id).await.unwrap(), None);
}

#[tokio::test]
async fn unused_sessions_end_after_half_a_day() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    office.clock.advance(IDLE - Duration::seconds(1));
    assert!(office.viewer(&mut ada).await.is_some());
    office.clock.advance(IDLE - Duration::seconds(1));
    assert!(office.viewer(&mut ada).await.is_some(), "use moves the end on");
    office.clock.advance(IDLE);
    assert!(office.viewer(&mut ada).await.is_none());
}

#[tokio::test]
async fn used_sessions_end_after_a_week() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    for _ in 0..(LIFETIME.whole_hours() / 6 - 1) {
        office.clock.advance(Duration::hours(6));
        assert!(office.viewer(&mut ada).await.is_some());
    }
    office.clock.advance(Duration::hours(6));
    assert!(office.viewer(&mut ada).await.is_none());
}

#[tokio::test]
async fn disabled_people_are_out_at_once() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    sqlx::query(r#"update "user" set disabled_at = created_at where name = 'ada'"#)
        .execute(&office.pool)
        .await
        .unwrap();
    assert_eq!(office.viewer(&mut ada).await, None);
}

#[tokio::test]
async fn the_table_holds_hashes_and_whose_session_it_is() {
    let (office, mut ruth) = Office::set_up().await;
    let viewer = office.viewer(&mut ruth).await.unwrap();
    let rows: Vec<(Vec<u8>, uuid::Uuid, String)> =
        sqlx::query_as("select session_hash, user_id, data::text from session").fetch_all(&office.pool).await.unwrap();
    let id = ruth.id.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].0, hash_of(id).as_slice());
    assert_eq!(rows[0].1, viewer.id.0);
    assert!(!rows[0].2.contains(&id.to_string()));
}

#[tokio::test]
async fn the_job_deletes_what_has_ended_and_keeps_what_lives() {
    let (office, mut ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    office.act(&mut ada, async |portal| portal.link_code().await).await.unwrap();
    assert!(office.sign_in(&mut Browser::default(), "ada", "wrong wrong").await.is_err());
    office.clock.advance(IDLE - Duration::minutes(1));
    assert!(office.viewer(&mut ruth).await.is_some());
    office.clock.advance(Duration::minutes(1));
    prune_people::once(&office.services).await.unwrap();
    for (table, left) in [("session", 1), ("link_code", 0), ("sign_in_throttle", 0)] {
        let count = format!("select count(*) from {table}");
        let rows: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(count)).fetch_one(&office.pool).await.unwrap();
        assert_eq!(rows, left, "{table}");
    }
    assert_eq!(prune_people::once(&office.services).await.unwrap(), 0);
    assert!(office.viewer(&mut ruth).await.is_some());
}
