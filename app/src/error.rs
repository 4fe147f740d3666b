//! A refusal on its way from a server function to the page.

use domain::error::{ApiError, ErrorCode, Field};
use domain::text::t;
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
        f.write_str(self.message())
    }
}

impl AppError {
    /// The server's code; `None` where it did not answer.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Api(error) => Some(error.code),
            Self::Transport(_) => None,
        }
    }

    /// The input that it is about.
    #[must_use]
    pub fn field(&self) -> Option<Field> {
        match self {
            Self::Api(error) => error.field,
            Self::Transport(_) => None,
        }
    }

    /// For people. Details of a failed transport help nobody who reads the page.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Api(error) => &error.message,
            Self::Transport(_) => t().frame.unreachable,
        }
    }
}

impl std::error::Error for AppError {}

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        // On the server these are about what the caller sent: the caller's fault, not a 500.
        #[cfg(feature = "ssr")]
        if matches!(
            error,
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) | ServerFnErrorErr::Deserialization(_)
        ) {
            let refusal = ApiError::new(ErrorCode::Malformed, t().errors.malformed);
            return answer::<()>(Err(refusal)).err().unwrap_or_else(|| Self::Transport(error.to_string()));
        }
        Self::Transport(error.to_string())
    }
}

/// Gives the response the status of the refusal; without this any refusal would be a 500.
///
/// A form sent without scripts is answered with a redirect to the page it came from, which shows the refusal: there the
/// status must stay that of the redirect.
#[cfg(feature = "ssr")]
pub(crate) fn answer<T>(result: Result<T, ApiError>) -> Result<T, AppError> {
    result.map_err(|error| {
        if let Some(options) = use_context::<leptos_axum::ResponseOptions>()
            && !is_plain_form()
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

/// A form's own request, without scripts.
#[cfg(feature = "ssr")]
fn is_plain_form() -> bool {
    use_context::<http::request::Parts>().is_some_and(|parts| {
        let accept = parts.headers.get(http::header::ACCEPT).and_then(|value| value.to_str().ok());
        parts.method == http::Method::POST && accept.is_some_and(|accept| accept.contains("text/html"))
    })
}

/// As [`answer`], for a form that also works without scripts: its page gets back what was typed, in its address. Never
/// name a password or a code in `typed`.
#[cfg(feature = "ssr")]
pub(crate) fn answer_form<F>(
    result: Result<F::Output, ApiError>,
    typed: &[(&str, String)],
) -> Result<F::Output, AppError>
where
    F: server_fn::ServerFn<Error = AppError>,
{
    let result = answer(result);
    if let Err(error) = &result
        && is_plain_form()
        && let Some(back) = refused_page(F::PATH, error, typed)
    {
        leptos_axum::redirect(&back);
    }
    result
}

/// Address of the page that the form stands on, with the refusal and what was typed.
#[cfg(feature = "ssr")]
fn refused_page(path: &str, error: &AppError, typed: &[(&str, String)]) -> Option<String> {
    use server_fn::error::ServerFnUrlError;
    let parts = use_context::<http::request::Parts>()?;
    let mut page = parts.headers.get(http::header::REFERER)?.to_str().ok()?.to_owned();
    ServerFnUrlError::<AppError>::strip_error_info(&mut page);
    let mut url = ServerFnUrlError::new(path, error.clone()).to_url(&page).ok()?;
    let mut pairs = url.query_pairs().into_owned().collect::<Vec<_>>();
    pairs.retain(|(name, _)| typed.iter().all(|(typed, _)| name != typed));
    url.query_pairs_mut().clear().extend_pairs(pairs).extend_pairs(typed);
    Some(url.to_string())
}
