//! From a service's failure to the refusal that the outside sees. The cause is logged here, once; outside it never goes.

use std::error::Error;

use domain::error::{ApiError, ErrorCode};
use domain::text;

use crate::store::StoreError;

/// Seconds after which a page or an agent may ask again when the database is away.
const OUTAGE_RETRY_SECONDS: u64 = 2;

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if error.is_outage() || error.is_retryable() {
            tracing::warn!(cause = %chain(&error), "database not answering");
            return Self::new(ErrorCode::Unavailable, text::en().errors.unavailable).retry_after(OUTAGE_RETRY_SECONDS);
        }
        internal(&error)
    }
}

/// Logs what went wrong and gives the sentence that says only that something did.
pub fn internal(error: &(dyn Error + 'static)) -> ApiError {
    tracing::error!(cause = %chain(error), "internal error");
    ApiError::new(ErrorCode::Internal, text::en().errors.internal)
}

/// An error with everything below it, in one line.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        line.push_str(": ");
        line.push_str(&cause.to_string());
        below = cause.source();
    }
    line
}
