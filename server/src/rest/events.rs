//! `GET /events`: the live stream of an open page.
//!
//! The first event brings the page up to date. Whoever falls behind is told to fetch the fleet anew; nobody is waited
//! for. A stream ends after a while, so that the browser comes back and its session is looked at again.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::user::Act;
use domain::wire::live_v1::{HOSTS_EVENT, RESYNC_EVENT};
use futures::stream::{self, Stream, StreamExt};
use http::HeaderValue;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::auth::Caller;
use crate::error::Problem;
use crate::live::Event;
use crate::service::Services;

/// The browser waits this long before it comes back.
const COME_BACK: Duration = Duration::from_secs(2);
/// Sent when there is no news, so that proxies keep the connection and a dead one is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Longest life of one stream, in seconds; up to a minute more, so that browsers do not all come back at once.
const LIFE_SECONDS: u64 = 15 * 60;

/// Streams what changes.
pub async fn events(
    State(services): State<Services>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    caller.may(Act::ViewFleet)?;
    let (first, events) = services.live.subscribe();
    let spread = u64::from(uuid::Uuid::new_v4().as_bytes()[0]) * 60 / 255;
    let shutdown = services.shutdown.clone();
    let end = async move {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = tokio::time::sleep(Duration::from_secs(LIFE_SECONDS + spread)) => {}
        }
    };
    let hello = stream::once(async move { Ok(written(first).retry(COME_BACK)) });
    let stream = hello.chain(news(events)).take_until(end);
    let mut response = Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response();
    let headers = response.headers_mut();
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    headers.insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn news(events: broadcast::Receiver<Event>) -> impl Stream<Item = Result<SseEvent, Infallible>> {
    stream::unfold(events, |mut events| async move {
        let event = match events.recv().await {
            Ok(event) => written(event),
            // What was missed is not known any more; the fleet has all of it.
            Err(RecvError::Lagged(_)) => SseEvent::default().event(RESYNC_EVENT).data("{}"),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), events))
    })
}

fn written(event: Event) -> SseEvent {
    match event {
        Event::Hosts { seq, json } => SseEvent::default().id(seq.to_string()).event(HOSTS_EVENT).data(&*json),
        Event::Resync { seq } => SseEvent::default().id(seq.to_string()).event(RESYNC_EVENT).data("{}"),
    }
}
