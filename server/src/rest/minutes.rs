//! `POST /api/v1/agent/minutes`: what a host's cards did, minute by minute, once it is certain to be kept.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use domain::text;
use domain::wire::minutes_v1::{Minutes, MinutesReply};

use super::report::read;
use crate::auth::AgentHost;
use crate::error::Problem;
use crate::service::{Services, minutes};

/// Takes minutes in. Which host they are of, the credential alone says.
pub async fn minutes(
    State(services): State<Services>,
    host: AgentHost,
    body: Bytes,
) -> Result<Json<MinutesReply>, Problem> {
    let asked: Minutes = read(&body, text::en().reports.minutes_unreadable)?;
    Ok(Json(minutes::take(&services, &host, asked).await?))
}
