//! `POST /api/v1/agent/link`: somebody on a host proves an account.

use axum::Json;
use axum::extract::State;
use domain::wire::agent_v1::{LinkReply, LinkRequest};

use crate::auth::AgentHost;
use crate::error::Problem;
use crate::rest::body::JsonBody;
use crate::service::{Services, links};

/// Links an account.
pub async fn link(
    State(services): State<Services>,
    host: AgentHost,
    JsonBody(ask): JsonBody<LinkRequest>,
) -> Result<Json<LinkReply>, Problem> {
    Ok(Json(links::link(&services, &host, ask).await?))
}
