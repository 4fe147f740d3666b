//! One id per request: in the log, in the `x-request-id` header, and in what a user is told when something broke.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue};
use tracing::Instrument;
use uuid::Uuid;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request that this task answers; `None` outside requests and in tasks spawned by them.
#[must_use]
pub fn current() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Gives the request an id, and logs one line when it is answered: never headers, bodies or queries.
pub async fn layer(request: Request, next: Next) -> Response {
    let id = Uuid::now_v7().simple().to_string();
    let started = tokio::time::Instant::now();
    let span = tracing::info_span!("request", id, method = %request.method(), path = request.uri().path());
    let mut response = CURRENT.scope(id.clone(), next.run(request).instrument(span.clone())).await;
    span.in_scope(|| {
        let elapsed_ms = started.elapsed().as_secs_f64() * 1000.0;
        let status = response.status().as_u16();
        if status >= 500 {
            tracing::warn!(status, elapsed_ms, "answered")
        } else {
            tracing::debug!(status, elapsed_ms, "answered")
        }
    });
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}
