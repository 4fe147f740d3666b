//! The live stream of an open page.

use domain::wire::agent_v1::REPORT_PATH;
use domain::wire::live_v1::{EVENTS_PATH, Fleet, Live};
use reqwest::{Method, Response};

use super::wish;
use crate::support::actor::{Actor, Agent};
use crate::support::report::{report, uuid};
use crate::support::{PATIENCE, TestApp};

/// A stream as a browser reads it.
pub struct Stream {
    answer: Response,
    text: String,
}

#[derive(Debug)]
pub struct Event {
    pub kind: String,
    pub id: Option<u64>,
    data: String,
}

impl Stream {
    /// Opens it for somebody.
    pub async fn open(actor: &Actor) -> Self {
        let answer = actor.request(Method::GET, EVENTS_PATH).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["x-accel-buffering"], "no");
        Self { answer, text: String::new() }
    }

    /// The next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let found = event.lines().find_map(|line| line.strip_prefix(name));
                    found.map(|value| value.trim_start().to_owned())
                };
                let found = field("event:").map(|kind| Event {
                    kind,
                    id: field("id:").map(|id| id.parse().unwrap()),
                    data: field("data:").unwrap_or_default(),
                });
                self.text = rest.to_owned();
                if found.is_some() {
                    return found;
                }
                continue;
            }
            let chunk = tokio::time::timeout(PATIENCE, self.answer.chunk()).await.expect("an event").ok()??;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// News that hold `what`.
    async fn until(&mut self, what: &str) -> Live {
        loop {
            let event = self.next().await.expect("the stream goes on");
            if event.kind == "hosts" && event.data.contains(what) {
                return serde_json::from_str(&event.data).unwrap();
            }
        }
    }
}

/// Reports a host with two cards.
pub async fn tell(agent: &Agent, seq: u64, percent: u32) {
    let body = report("rig", seq, &[0, 1], percent);
    let answer = agent.request(Method::POST, REPORT_PATH).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

/// What the pages fetch.
pub async fn fleet(actor: &Actor) -> Fleet {
    actor.submit("fleet", &[]).await.json().await.unwrap()
}

#[tokio::test]
async fn nobody_sees_the_stream_without_signing_in() {
    let app = TestApp::spawn().await;
    let answer = app.anonymous().request(Method::GET, EVENTS_PATH).send().await.unwrap();
    assert_eq!(answer.status(), 401);
    let agent = app.agent("rig").await;
    assert_eq!(agent.request(Method::GET, EVENTS_PATH).send().await.unwrap().status(), 401);
    assert_eq!(app.anonymous().submit("fleet", &[]).await.status(), 401);
}

#[tokio::test]
async fn a_report_reaches_an_open_page_and_a_host_comes_back_by_itself() {
    let app = TestApp::spawn().await;
    let (agent, ada) = (app.agent("rig").await, app.member("ada").await);
    tell(&agent, 1, 11).await;
    let begun = fleet(&ada).await;
    assert_eq!(begun.hosts[0].cards.len(), 2);
    let mut page = Stream::open(&ada).await;
    let first = page.next().await.unwrap();
    assert_eq!(first.kind, "hosts");
    assert!(first.id.unwrap() >= begun.seq);

    tell(&agent, 2, 22).await;
    let news = page.until(r#""utilisation_percent":22"#).await;
    assert_eq!(news.hosts.len(), 1);
    // Silence, as the server's clock has it, and then a report.
    app.clock.advance(time::Duration::minutes(5));
    let silent = fleet(&ada).await;
    let age = silent.now - silent.hosts[0].pulse.last_report.unwrap();
    assert_eq!(age, time::Duration::minutes(5));
    tell(&agent, 3, 33).await;
    let news = page.until(r#""utilisation_percent":33"#).await;
    assert_eq!(news.hosts[0].pulse.last_report, Some(silent.now));
}

#[tokio::test]
async fn a_booking_tells_open_pages_to_fetch_anew() {
    let app = TestApp::spawn().await;
    let (agent, ada, bob) = (app.agent("rig").await, app.member("ada").await, app.member("bob").await);
    tell(&agent, 1, 11).await;
    let mut page = Stream::open(&bob).await;
    let first = page.next().await.unwrap();
    assert_eq!(ada.call("book", &wish(&[uuid("rig", 1)], 0, 1)).await.status(), 200);
    let event = loop {
        let event = page.next().await.unwrap();
        if event.kind == "resync" && !fleet(&bob).await.hosts[0].cards[1].bookings.is_empty() {
            break event;
        }
    };
    assert!(event.id.unwrap() >= first.id.unwrap() + 2, "the numbers have a gap");
    let seen = fleet(&bob).await;
    assert!(seen.seq >= event.id.unwrap());
    assert_eq!(seen.hosts[0].cards[1].bookings[0].holder, "ada");
}

#[tokio::test]
async fn the_stream_ends_when_the_portal_stops() {
    let app = TestApp::spawn().await;
    let ada = app.member("ada").await;
    let mut page = Stream::open(&ada).await;
    page.next().await.unwrap();
    let stopped = tokio::time::Instant::now();
    app.stop().await;
    assert!(stopped.elapsed() < PATIENCE);
    while page.next().await.is_some() {}
}
