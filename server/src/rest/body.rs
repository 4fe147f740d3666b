//! A JSON body, or the refusal that says it cannot be read. What was in it is neither echoed nor logged: it may hold
//! a code.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use domain::error::{ApiError, ErrorCode};
use domain::text;
use serde::de::DeserializeOwned;

use crate::error::Problem;

/// The body of a request to the API.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let malformed = || Problem(ApiError::new(ErrorCode::Malformed, text::en().errors.malformed));
        let bytes = Bytes::from_request(request, state).await.map_err(|_| malformed())?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| {
            tracing::debug!(kind = ?error.classify(), line = error.line(), column = error.column(), "malformed body");
            malformed()
        })
    }
}
