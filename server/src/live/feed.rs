//! Numbers what has changed and sends it, at most [`COALESCE_MS`] after it came in.

use std::sync::Arc;
use std::time::Duration;

use domain::wire::live_v1::{COALESCE_MS, Live as LiveEvent};
use tokio_util::sync::CancellationToken;

use super::{Event, Live};

/// Reports of all hosts arrive spread over two seconds; half the allowed delay still collects most neighbours.
const COLLECT: Duration = Duration::from_millis(COALESCE_MS / 2);

impl Live {
    /// Sends what changes until `shutdown`.
    pub async fn feed(self, shutdown: CancellationToken) {
        loop {
            tokio::select! {
                () = self.inner.news.notified() => {}
                () = shutdown.cancelled() => return,
            }
            tokio::time::sleep(COLLECT).await;
            self.send_news();
        }
    }

    /// Sends what has changed since the last time.
    pub(super) fn send_news(&self) {
        let now = self.inner.clock.now();
        let mut state = self.state();
        let mut events = Vec::new();
        let mut news = None;
        if !state.dirty.is_empty() {
            state.seq += 1;
            let dirty = std::mem::take(&mut state.dirty);
            let people = state.people.clone();
            let hosts = dirty.iter().filter_map(|id| Some(state.hosts.get(id)?.news(&people, now))).collect();
            news = Some(LiveEvent { seq: state.seq, now, hosts });
        }
        if std::mem::take(&mut state.resync) {
            // Two numbers on: a page that opens its stream only now sees a gap, and fetches what it has missed.
            state.seq += 2;
            events.push(Event::Resync { seq: state.seq });
        }
        drop(state);
        // Only this function sends, so numbers cannot overtake each other; nobody listening is no error.
        for event in news.as_ref().map(event).into_iter().chain(events) {
            let _ = self.inner.sender.send(event);
        }
    }
}

/// Serialises news once for all readers.
pub(super) fn event(news: &LiveEvent) -> Event {
    match serde_json::to_string(news) {
        Ok(json) => Event::Hosts { seq: news.seq, json: Arc::from(json) },
        Err(error) => {
            // Cannot happen with checked reports; if it does, pages fetch the fleet instead of missing news.
            tracing::error!(cause = %error, "news cannot be written as JSON");
            Event::Resync { seq: news.seq }
        }
    }
}
