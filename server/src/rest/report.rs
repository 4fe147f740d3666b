//! `POST /api/v1/agent/report`: what a host says every two seconds, and its table in return.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use domain::error::{ApiError, ErrorCode};
use domain::text;
use domain::wire::agent_v1::{REPORT_MAX_BYTES, Report, ReportReply};
use serde_json::error::Category;

use crate::auth::AgentHost;
use crate::error::Problem;
use crate::service::Services;

/// Takes in a report. Which host it is about, the credential alone says.
pub async fn report(
    State(services): State<Services>,
    host: AgentHost,
    body: Bytes,
) -> Result<Json<ReportReply>, Problem> {
    let report = read(&body)?;
    let table = services.ingest.report(host, report).await?;
    Ok(Json(ReportReply { table }))
}

fn read(body: &[u8]) -> Result<Report, ApiError> {
    let words = &text::en().reports;
    if body.len() > REPORT_MAX_BYTES {
        return Err(ApiError::new(ErrorCode::TooLarge, (words.too_large)(REPORT_MAX_BYTES)));
    }
    serde_json::from_slice(body).map_err(|error| {
        let code = match error.classify() {
            Category::Data => ErrorCode::BadInput,
            Category::Io | Category::Syntax | Category::Eof => ErrorCode::Malformed,
        };
        ApiError::new(code, (words.unreadable)(&error.to_string()))
    })
}
