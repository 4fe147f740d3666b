//! `POST /api/v1/agent/book` and `/change`: a host books, extends and ends in the name of its people.

use axum::Json;
use axum::extract::State;
use domain::wire::host_v1::{HostBooked, HostBooking, HostChange, HostChanged};

use crate::auth::AgentHost;
use crate::error::Problem;
use crate::rest::body::JsonBody;
use crate::service::{Services, host_bookings};

/// Books cards of the host that asks.
pub async fn book(
    State(services): State<Services>,
    host: AgentHost,
    JsonBody(ask): JsonBody<HostBooking>,
) -> Result<Json<HostBooked>, Problem> {
    Ok(Json(host_bookings::book(&services, &host, &ask).await?))
}

/// Changes a booking that lies wholly on the host that asks.
pub async fn change(
    State(services): State<Services>,
    host: AgentHost,
    JsonBody(ask): JsonBody<HostChange>,
) -> Result<Json<HostChanged>, Problem> {
    Ok(Json(host_bookings::change(&services, &host, &ask).await?))
}
