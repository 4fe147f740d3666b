//! Pages and answers go out compressed to whoever takes it.

use std::io::Read;

use domain::wire::calendar::{Calendar, CalendarAsk};
use domain::wire::live_v1::EVENTS_PATH;
use flate2::read::GzDecoder;
use reqwest::{Method, Response};
use serde_json::json;
use time::Duration;

use super::bookings::app_with_cards;
use super::wish;
use crate::support::actor::Actor;
use crate::support::clock::MORNING;
use crate::support::report::uuid;

async fn get(actor: &Actor, path: &str, takes: &str) -> Response {
    let ask = actor.request(Method::GET, path).header("accept", "text/html").header("accept-encoding", takes);
    ask.send().await.unwrap()
}

fn encoding(answer: &Response) -> Option<&str> {
    answer.headers().get("content-encoding").map(|value| value.to_str().unwrap())
}

async fn unpacked(answer: Response) -> (usize, String) {
    let body = answer.bytes().await.unwrap();
    let mut text = String::new();
    GzDecoder::new(body.as_ref()).read_to_string(&mut text).unwrap();
    (body.len(), text)
}

#[tokio::test]
async fn pages_and_answers_are_compressed_for_who_takes_it() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let packed = get(&ada, "/calendar", "br, gzip").await;
    assert_eq!(encoding(&packed), Some("gzip"));
    assert!(packed.headers()["vary"].to_str().unwrap().contains("accept-encoding"));
    let (sent, page) = unpacked(packed).await;
    // Whole: what was cut off would not unpack.
    assert!(page.contains("dgx"));
    assert!(sent * 2 < page.len(), "{sent} of {}", page.len());
    let plain = get(&ada, "/calendar", "identity").await;
    assert_eq!(encoding(&plain), None);
    assert!(plain.text().await.unwrap().contains("dgx"));

    for hour in 0..8 {
        assert_eq!(ada.call("book", &wish(&[uuid("rig", 0)], hour, hour + 1)).await.status(), 200);
    }
    let span = CalendarAsk { from: MORNING, to: MORNING + Duration::days(1) };
    let ask = ada.request(Method::POST, "/api/page/calendar").header("origin", &app.url);
    let ask = ask.header("accept", "application/json").header("accept-encoding", "gzip");
    let answer = ask.json(&json!({ "span": span })).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), encoding(&answer)), (200, Some("gzip")));
    let calendar: Calendar = serde_json::from_str(&unpacked(answer).await.1).unwrap();
    assert_eq!(calendar.bookings.len(), 8);
}

#[tokio::test]
async fn the_live_stream_and_small_answers_are_not() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let stream = get(&ada, EVENTS_PATH, "gzip").await;
    assert_eq!((stream.status().as_u16(), encoding(&stream)), (200, None));
    assert_eq!(encoding(&get(&app.anonymous(), "/api/none", "gzip").await), None);
}
