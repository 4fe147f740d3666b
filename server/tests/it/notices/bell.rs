//! The bell and its page, as a browser without scripts has them.

use reqwest::Method;

use super::{changed, tell};
use crate::support::TestApp;
use crate::support::actor::Actor;

async fn id_of(app: &TestApp, name: &str) -> domain::id::UserId {
    let id = sqlx::query_scalar(r#"select user_id from "user" where name = $1"#).bind(name).fetch_one(&app.pool).await;
    domain::id::UserId(id.unwrap())
}

async fn page(actor: &Actor, path: &str) -> String {
    let answer = actor.get(path).await;
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

/// Sends a form as a browser without scripts does.
async fn press(actor: &Actor, app: &TestApp, function: &str, id: i64) {
    let answer = actor
        .request(Method::POST, &format!("/api/page/{function}"))
        .header("origin", &app.url)
        .header("sec-fetch-site", "same-origin")
        .header("accept", "text/html")
        .header("referer", format!("{}/notices", app.url))
        .form(&[("id", id)])
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 302);
    let back = answer.headers()["location"].to_str().unwrap().trim_end_matches('?').to_owned();
    assert_eq!(back, format!("{}/notices", app.url));
}

#[tokio::test]
async fn it_counts_on_every_page_and_one_press_reads() {
    let app = TestApp::spawn().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    let who = id_of(&app, "ada").await;
    assert!(page(&ada, "/notices").await.contains("Nothing has been said to you"));
    tell(&app.pool, &[changed(who, "Ruth Keller", None, None), changed(who, "<b>Bob</b>", None, None)]).await;
    for path in ["/", "/bookings", "/account", "/notices"] {
        let html = page(&ada, path).await;
        assert!(html.contains("aria-label=\"Notices, 2 unread\""), "{path}");
        assert!(html.contains("href=\"/notices\""), "{path}");
    }
    assert!(page(&bob, "/").await.contains("aria-label=\"Notices\""));
    let html = page(&ada, "/notices").await;
    let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(at("&lt;b&gt;Bob&lt;/b&gt; cancelled") < at("Ruth Keller cancelled"), "newest first, and never markup");

    let ids: Vec<i64> =
        sqlx::query_scalar("select notice_id from notice order by 1").fetch_all(&app.pool).await.unwrap();
    press(&bob, &app, "mark_read", ids[0]).await;
    assert!(page(&ada, "/").await.contains("Notices, 2 unread"), "others do not read for her");
    press(&ada, &app, "mark_read", ids[0]).await;
    assert!(page(&ada, "/").await.contains("Notices, 1 unread"));
    press(&ada, &app, "mark_all_read", ids[1]).await;
    let html = page(&ada, "/notices").await;
    assert!(html.contains("aria-label=\"Notices\"") && html.contains("Ruth Keller cancelled"));
    assert!(!html.contains("Mark all as read"));
}

#[tokio::test]
async fn a_count_is_for_those_who_are_signed_in() {
    let app = TestApp::spawn().await;
    let ada = app.member("ada").await;
    assert_eq!(ada.submit("unread", &[]).await.text().await.unwrap(), "0");
    assert_eq!(app.anonymous().submit("unread", &[]).await.status(), 401);
    assert_eq!(app.anonymous().submit("notices", &[]).await.status(), 401);
}

#[tokio::test]
async fn what_somebody_waits_for_stands_there_and_one_press_ends_it() {
    let app = TestApp::spawn().await;
    let ada = app.member("ada").await;
    let ask = serde_json::json!({ "ask": {
        "want": { "count": 2, "model": "H100 80GB HBM3", "link": "nv_link", "hosts": ["dgx"],
                  "when": { "earliest": { "minutes": 240, "from": "2026-11-30T10:00:00Z", "until": "2026-12-01T18:00:00Z" } } },
        "purpose": "tune", "mode": "book", "until": "2026-12-01T12:00:00Z" } });
    let answer = ada.call("wait", &ask).await;
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    let id: String = answer.json().await.unwrap();
    let html = page(&ada, "/notices").await;
    // In Berlin.
    let said = "2 × H100 80GB HBM3, linked by NVLink, on dgx, 4 h, as early as possible, by Tue 19:00";
    assert!(html.contains(said), "{html}");
    assert!(html.contains("You are next. They are booked for you when they are free, given up at Tue 13:00."));
    assert_eq!(ada.submit("stop_waiting", &[("id", &id)]).await.status(), 200);
    assert!(!page(&ada, "/notices").await.contains("You wait for"));
}
