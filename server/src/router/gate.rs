//! While the database does not answer, everything that needs it is refused at once with a clear message, instead of
//! each request waiting for a connection of its own.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use domain::wire::agent_v1::REPORT_PATH;

use super::Site;
use super::plain::refuse;
use crate::database;
use crate::rest::program::{HASH_PATH, PROGRAM_PATH};

/// Lets through what can be answered now.
pub async fn layer(State(site): State<Site>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // Open pages see what hosts report even while it cannot be written.
    let needs_none = matches!(path, "/healthz" | "/favicon.svg" | REPORT_PATH | PROGRAM_PATH | HASH_PATH)
        || path.starts_with("/pkg/");
    let state = *site.database.borrow();
    if needs_none || state == database::State::Up {
        return next.run(request).await;
    }
    refuse(&request, crate::error::unavailable())
}
