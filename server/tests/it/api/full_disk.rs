//! The disk of the database is full: people are told so, nothing is half done, and it goes on by itself.

use domain::wire::agent_v1::REPORT_PATH;
use reqwest::Method;
use serde_json::Value;

use super::bookings::app_with_cards;
use super::wish;
use crate::support::report::{report, uuid};

/// What Postgres answers when a file cannot grow, from the statement that would have made it grow.
const FULL: &str = "create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file \"base/1/2\": No space left on device' using errcode = '53100'; end $$";

#[tokio::test]
async fn nothing_is_half_done_and_it_goes_on_once_there_is_space() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let agent = app.agent("late").await;
    sqlx::query(FULL).execute(&app.pool).await.unwrap();
    // The last of what a booking writes, and the first of what a report does.
    for (table, when) in [("audit", "insert"), ("host", "update")] {
        let trigger =
            format!("create trigger full_disk before {when} on {table} for each row execute function full_disk()");
        sqlx::query(sqlx::AssertSqlSafe(trigger)).execute(&app.pool).await.unwrap();
    }

    let asked = wish(&[uuid("rig", 0), uuid("rig", 1)], 1, 3);
    let answer = ada.call("book", &asked).await;
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["Api"]["code"], "server.unavailable");
    let said = body["Api"]["message"].as_str().unwrap();
    assert!(said.contains("disk is full") && said.contains("nothing was saved"), "{said}");
    for table in ["reservation", "reservation_card", "request_key"] {
        let count = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select count(*) from {table}")));
        let rows: i64 = count.fetch_one(&app.pool).await.unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    let reported = agent.request(Method::POST, REPORT_PATH).json(&report("late", 1, &[0], 10)).send().await.unwrap();
    assert_eq!(reported.status(), 503);
    let problem: Value = reported.json().await.unwrap();
    assert!(problem["detail"].as_str().unwrap().contains("disk is full"), "{problem}");
    assert_eq!(ada.get("/bookings").await.status(), 200, "what is only read is shown");

    sqlx::query("drop function full_disk cascade").execute(&app.pool).await.unwrap();
    let answer = ada.call("book", &asked).await;
    assert_eq!(answer.status(), 200, "the same request, with the same key");
    let reported = agent.request(Method::POST, REPORT_PATH).json(&report("late", 2, &[0], 10)).send().await.unwrap();
    assert_eq!(reported.status(), 200);
}
