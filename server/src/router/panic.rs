//! A handler that panics costs its own request and nothing else.

use std::any::Any;

use axum::response::Response;
use domain::error::{ApiError, ErrorCode};
use domain::text;
use tower_http::catch_panic::CatchPanicLayer;

use super::plain::Asker;
/// Turns a panic into a refusal without details; the log has them.
pub fn layer() -> CatchPanicLayer<fn(Box<dyn Any + Send>) -> Response> {
    CatchPanicLayer::custom(answer as fn(Box<dyn Any + Send>) -> Response)
}

fn answer(panic: Box<dyn Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(panic = text, request_id = super::request_id::current(), "handler panicked");
    // The request is gone, so the form is the one that every asker can read.
    Asker::Program.refuse(ApiError::new(ErrorCode::Internal, text::en().errors.internal))
}
