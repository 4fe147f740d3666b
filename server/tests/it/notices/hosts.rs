//! What hosts carry to `berth status` and logins.

use std::sync::Arc;

use domain::id::HostId;
use domain::wire::agent_v1::HostNotice;
use domain::wire::page::Viewer;
use server::auth::AgentHost;
use server::service::{Services, SiteFacts};
use sqlx::PgPool;
use uuid::Uuid;

use super::{changed, tell};
use crate::support::clock::{MORNING, TestClock};
use crate::support::cluster::database;
use crate::support::fleet::{host, member};
use crate::support::report::report;

async fn map(pool: &PgPool, host: Option<HostId>, os_user: &str, person: &Viewer) {
    sqlx::query(
        "insert into host_account (host_account_id, host_id, os_user, user_id, proven, made_at)
         values ($1, $2, $3, $4, false, $5)",
    )
    .bind(Uuid::now_v7())
    .bind(host.map(|host| host.0))
    .bind(os_user)
    .bind(person.id.0)
    .bind(MORNING)
    .execute(pool)
    .await
    .unwrap();
}

#[tokio::test]
async fn a_host_carries_what_the_people_of_its_accounts_have_not_read() {
    let (pool, clock) = (database(6).await, TestClock::at_morning());
    let services = Services::new(pool.clone(), Arc::new(clock.clone()), SiteFacts::at("https://berth.example.org"));
    services.started().await;
    let (rig, _) = host(&pool, "rig", 0).await;
    let (dgx, _) = host(&pool, "dgx", 0).await;
    let (ada, bob, cy) = (member(&pool, "ada").await, member(&pool, "bob").await, member(&pool, "cy").await);
    map(&pool, Some(rig), "ada", &ada).await;
    map(&pool, None, "bob", &bob).await;
    map(&pool, Some(dgx), "cy", &cy).await;
    sqlx::query(r#"update "user" set zone = 'Asia/Kathmandu' where name = 'ada'"#).execute(&pool).await.unwrap();
    for person in [&ada, &bob, &cy] {
        tell(&pool, &[changed(person.id, "Ruth Keller", None, None)]).await;
    }
    let mut seq = 0;
    let mut carried = async |id: HostId, name: &str| {
        seq += 1;
        let host = AgentHost { id, name: name.to_owned() };
        services.ingest.report(host, report(name, seq, &[], 0)).await.unwrap().table.notices
    };
    let on_rig = carried(rig, "rig").await;
    let of = |notices: &[HostNotice], person: &Viewer| {
        notices
            .iter()
            .filter(|notice| notice.person == person.id)
            .map(|notice| notice.sentence.clone())
            .collect::<Vec<_>>()
    };
    // 11:00 UTC, by each one's own clocks.
    assert_eq!(of(&on_rig, &ada), ["Ruth Keller cancelled your booking of cards, 16:45 – 17:45."]);
    assert_eq!(of(&on_rig, &bob), ["Ruth Keller cancelled your booking of cards, 11:00 – 12:00."]);
    assert!(of(&on_rig, &cy).is_empty(), "nobody here is Cy");
    assert_eq!(on_rig[0].page, "https://berth.example.org/notices");
    assert_eq!(carried(dgx, "dgx").await.len(), 2);

    sqlx::query("update notice set read_at = $1 where user_id = $2")
        .bind(MORNING)
        .bind(bob.id.0)
        .execute(&pool)
        .await
        .unwrap();
    assert!(of(&carried(rig, "rig").await, &bob).is_empty(), "read is read everywhere");

    for n in 0..30 {
        tell(&pool, &[changed(ada.id, &format!("Nr {n}"), None, None)]).await;
    }
    let many = of(&carried(rig, "rig").await, &ada);
    assert_eq!(many.len(), 10, "a login is not flooded");
    assert!(many[0].starts_with("Nr 29 "), "{many:?}");
}
