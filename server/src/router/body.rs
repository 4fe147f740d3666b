//! No body is larger than allowed or slower than patience: it is read here, whole, before anything looks at it.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use domain::error::{ApiError, ErrorCode};
use domain::text;
use domain::wire::agent_v1::{REPORT_MAX_BYTES, REPORT_PATH};
use http::Method;

use super::plain::refuse;

/// Largest body but for reports, in bytes: a form with hundreds of cards stays far below.
const MAX_BYTES: usize = 64 * 1024;
/// Longest time for a body to arrive.
const PATIENCE: Duration = Duration::from_secs(15);

/// Reads the body.
pub async fn layer(request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let limit = if request.uri().path() == REPORT_PATH { REPORT_MAX_BYTES } else { MAX_BYTES };
    let too_large = || ApiError::new(ErrorCode::TooLarge, text::en().errors.too_large);
    if request.body().size_hint().lower() > limit as u64 {
        return refuse(&request, too_large());
    }
    let (parts, body) = request.into_parts();
    let read = tokio::time::timeout(PATIENCE, axum::body::to_bytes(body, limit)).await;
    let rebuilt = |body: Body| Request::from_parts(parts, body);
    match read {
        Ok(Ok(bytes)) => next.run(rebuilt(Body::from(bytes))).await,
        Ok(Err(error)) if crate::error::chain(&error).contains("length limit") => {
            refuse(&rebuilt(Body::empty()), too_large())
        }
        Ok(Err(_)) | Err(_) => {
            refuse(&rebuilt(Body::empty()), ApiError::new(ErrorCode::Malformed, text::en().errors.malformed))
        }
    }
}
