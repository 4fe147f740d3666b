//! From a service's failure to the refusal that the outside sees. The cause is logged here, once, with the id of the
//! request that the user is shown; outside it never goes. [`Problem`] is the last step for REST.

use std::error::Error;

use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::error::{ApiError, ErrorCode};
use domain::text;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use crate::router::request_id;
use crate::store::StoreError;

/// Seconds after which a page or an agent may ask again when the database is away.
const OUTAGE_RETRY_SECONDS: u64 = 2;
/// Likewise where somebody has to make room first.
const FULL_RETRY_SECONDS: u64 = 15;

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if error.is_disk_full() {
            tracing::error!(cause = %chain(&error), "the disk of the database is full: free some space, nothing else is needed");
            return ApiError::new(ErrorCode::Unavailable, text::en().errors.disk_full).retry_after(FULL_RETRY_SECONDS);
        }
        if error.is_outage() || error.is_retryable() {
            tracing::warn!(cause = %chain(&error), "database not answering");
            return unavailable();
        }
        internal(&error)
    }
}

/// The database does not answer.
#[must_use]
pub fn unavailable() -> ApiError {
    ApiError::new(ErrorCode::Unavailable, text::en().errors.unavailable).retry_after(OUTAGE_RETRY_SECONDS)
}

/// Logs what went wrong and gives the sentence that says only that something did.
pub fn internal(error: &(dyn Error + 'static)) -> ApiError {
    tracing::error!(cause = %chain(error), "internal error");
    ApiError { request: request_id::current(), ..ApiError::new(ErrorCode::Internal, text::en().errors.internal) }
}

/// An error with everything below it, in one line.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        line.push_str(": ");
        line.push_str(&cause.to_string());
        below = cause.source();
    }
    line
}

/// The status that goes with a code.
#[must_use]
pub fn status(code: ErrorCode) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A refusal as an HTTP answer: problem JSON (RFC 9457) that also reads as an [`ApiError`].
#[derive(Debug)]
pub struct Problem(pub ApiError);

#[derive(Serialize)]
struct ProblemBody<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
    #[serde(flatten)]
    refusal: &'a ApiError,
}

impl<E: Into<ApiError>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(mut refusal) = self;
        refusal.request = refusal.request.or_else(request_id::current);
        let status = status(refusal.code);
        let body = ProblemBody {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: &refusal.message,
            refusal: &refusal,
        };
        let mut response = (status, Json(&body)).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = refusal.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}
