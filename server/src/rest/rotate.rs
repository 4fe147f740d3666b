//! `GET /api/v1/agent/self` and `POST /api/v1/agent/rotate`: a host asks who it is, and renews its credential.

use axum::Json;
use axum::extract::State;
use domain::wire::agent_v1::{RotateReply, SelfReply};

use crate::auth::AgentHost;
use crate::error::Problem;
use crate::service::{Services, hosts};

/// Who the portal takes the host for. Changes nothing.
pub async fn whoami(host: AgentHost) -> Json<SelfReply> {
    Json(SelfReply { host: host.id, host_name: host.name })
}

/// Renews the credential.
pub async fn rotate(State(services): State<Services>, host: AgentHost) -> Result<Json<RotateReply>, Problem> {
    Ok(Json(hosts::rotate(&services, &host).await?))
}
