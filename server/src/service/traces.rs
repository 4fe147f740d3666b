//! What cards did so far, for the calendar.
//!
//! The same for everybody who looks at the same days, and new every minute at most: it is kept that long, and worked out
//! by one at a time.

use std::sync::Arc;

use domain::calendar::traces::{Traces, step};
use domain::error::{ApiError, ErrorCode};
use domain::text::en;
use domain::wire::calendar::{CalendarAsk, SPAN_MAX_DAYS};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::store::traces as store;

/// How long an answer is good for.
const KEPT: Duration = Duration::seconds(50);
/// Most answers that are kept: zones times zooms.
const KEPT_MAX: usize = 16;

/// When it was worked out, for which span, and what.
type Kept = (OffsetDateTime, CalendarAsk, Arc<str>);

/// Reads what cards did.
#[derive(Clone)]
pub struct TraceReader {
    pool: PgPool,
    clock: Arc<dyn Clock>,
    /// The oldest first.
    kept: Arc<Mutex<Vec<Kept>>>,
}

impl TraceReader {
    /// Over a database.
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>) -> Self {
        Self { pool, clock, kept: Arc::default() }
    }

    /// The use of all cards in a span, as far as it is over; as [`Traces::write`] writes it.
    ///
    /// # Errors
    /// `request.malformed` where the span is empty or too long, `server.unavailable`.
    pub async fn read(&self, span: CalendarAsk) -> Result<Arc<str>, ApiError> {
        if span.to <= span.from || span.to - span.from > Duration::days(SPAN_MAX_DAYS) {
            return Err(ApiError::new(ErrorCode::Malformed, en().errors.malformed));
        }
        let now = self.clock.now();
        let mut kept = self.kept.lock().await;
        kept.retain(|(at, ..)| now - *at < KEPT);
        if let Some((.., text)) = kept.iter().find(|(_, of, _)| *of == span) {
            return Ok(text.clone());
        }
        let step = step(&span);
        let mut traces = Traces::new(span.from, step);
        if span.from < now {
            for (card, steps) in store::read(&self.pool, span.from, span.to.min(now), step).await? {
                traces.add(card, steps);
            }
        }
        let text: Arc<str> = traces.write().into();
        if kept.len() >= KEPT_MAX {
            kept.remove(0);
        }
        kept.push((now, span, text.clone()));
        Ok(text)
    }
}
