//! `POST /api/v1/agent/report`: what a host says every two seconds, and its table in return.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRef, FromRequestParts, State};
use domain::error::{ApiError, ErrorCode};
use domain::text;
use domain::wire::agent_v1::ReportReply;
use http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::auth::{AgentHost, agent};
use crate::error::Problem;
use crate::service::Services;

/// The host that reports: as [`AgentHost`], or as last known while the database is away. Pages then still see what it
/// says, although it cannot be acknowledged. The second says whether it is to renew its credential.
pub struct Reporter(AgentHost, bool);

impl<S: Send + Sync> FromRequestParts<S> for Reporter
where
    Services: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let credential = agent::credential(&parts.headers);
        let services = Services::from_ref(state);
        let known = &services.known_agents;
        match (agent::find(&parts.headers, &services).await, credential) {
            (Ok((host, rotate)), Some(credential)) => {
                known.remember(credential, &host);
                Ok(Self(host, rotate))
            }
            (Err(Problem(error)), Some(credential)) if error.code == ErrorCode::Unavailable => {
                known.recall(credential).map(|host| Self(host, false)).ok_or(Problem(error))
            }
            (Err(problem), Some(credential)) => {
                known.forget(credential);
                Err(problem)
            }
            (outcome, None) => outcome.map(|(host, rotate)| Self(host, rotate)),
        }
    }
}

/// Takes in a report. Which host it is about, the credential alone says.
pub async fn report(
    State(services): State<Services>,
    Reporter(host, rotate_credential): Reporter,
    body: Bytes,
) -> Result<Json<ReportReply>, Problem> {
    let report = read(&body, text::en().reports.unreadable)?;
    let reply = services.ingest.report(host, report).await?;
    Ok(Json(ReportReply { rotate_credential, ..reply }))
}

/// Reads what an agent says, or says to the host's administrator where it does not fit. Only the host itself sees that.
pub(super) fn read<T: DeserializeOwned>(body: &[u8], unreadable: fn(&str) -> String) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| {
        let code = match error.classify() {
            Category::Data => ErrorCode::BadInput,
            Category::Io | Category::Syntax | Category::Eof => ErrorCode::Malformed,
        };
        ApiError::new(code, unreadable(&error.to_string()))
    })
}
