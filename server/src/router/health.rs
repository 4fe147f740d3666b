//! `/healthz`: for load balancers and monitoring.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde::Serialize;

use super::Site;
use crate::database;

/// What monitoring reads.
#[derive(Serialize)]
pub struct Health {
    status: &'static str,
    database: &'static str,
    version: &'static str,
}

/// 200 where the database answers and its tables are ready, 503 otherwise.
pub async fn check(State(site): State<Site>) -> (StatusCode, Json<Health>) {
    let state = *site.database.borrow();
    let (status, word, database) = match state {
        database::State::Up => (StatusCode::OK, "ok", "answers"),
        database::State::Starting => (StatusCode::SERVICE_UNAVAILABLE, "starting", "does not answer yet"),
        database::State::Down => (StatusCode::SERVICE_UNAVAILABLE, "degraded", "does not answer"),
    };
    (status, Json(Health { status: word, database, version: env!("CARGO_PKG_VERSION") }))
}
