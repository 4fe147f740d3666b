//! A refusal on its way from a server function to the page.

use domain::error::ApiError;
use leptos::prelude::*;
use leptos::server_fn::codec::JsonEncoding;
use serde::{Deserialize, Serialize};

/// Either the server refused, or it could not be reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AppError {
    /// The server's answer.
    Api(ApiError),
    /// No answer, or one that cannot be read.
    Transport(String),
}

impl std::fmt::Display for AppError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Api(error) => f.write_str(&error.message),
            Self::Transport(detail) => f.write_str(detail),
        }
    }
}

impl std::error::Error for AppError {}

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        Self::Transport(error.to_string())
    }
}

/// Gives the response the status of the refusal; without this any refusal would be a 500.
#[cfg(feature = "ssr")]
pub(crate) fn answer<T>(result: Result<T, ApiError>) -> Result<T, AppError> {
    result.map_err(|error| {
        if let Some(options) = use_context::<leptos_axum::ResponseOptions>()
            && let Ok(status) = http::StatusCode::from_u16(error.code.status())
        {
            options.set_status(status);
            if let Some(seconds) = error.retry_after {
                options.insert_header(http::header::RETRY_AFTER, seconds.into());
            }
        }
        AppError::Api(error)
    })
}
