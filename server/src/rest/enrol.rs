//! `POST /api/v1/agent/enrol`: a one-time code for a host's credential.

use axum::Json;
use axum::extract::State;
use domain::wire::agent_v1::{EnrolReply, EnrolRequest};

use crate::auth::ClientAddress;
use crate::error::Problem;
use crate::rest::body::JsonBody;
use crate::service::{Services, hosts};

/// Enrols a host.
pub async fn enrol(
    State(services): State<Services>,
    ClientAddress(from): ClientAddress,
    JsonBody(ask): JsonBody<EnrolRequest>,
) -> Result<Json<EnrolReply>, Problem> {
    Ok(Json(hosts::enrol(&services, ask, from).await?))
}
