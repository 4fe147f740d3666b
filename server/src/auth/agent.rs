//! The host behind an agent's request, by the bearer credential that it got when it enrolled.

use axum::extract::{FromRef, FromRequestParts};
use domain::error::{ApiError, ErrorCode};
use domain::id::HostId;
use domain::text;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;

use crate::auth::secret::SecretHash;
use crate::error::Problem;
use crate::service::Services;
use crate::store::hosts::{self, Holder};

/// A host whose credential is right and not revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentHost {
    /// Identity.
    pub id: HostId,
    /// Name in the portal.
    pub name: String,
}

/// Far above our own 46 characters; longer ones are not worth hashing.
const CREDENTIAL_MAX_BYTES: usize = 256;

impl<S: Send + Sync> FromRequestParts<S> for AgentHost
where
    Services: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        find(&parts.headers, &Services::from_ref(state)).await.map(|(host, _)| host)
    }
}

/// The host behind a request, and whether an administrator wants it to renew its credential.
pub(crate) async fn find(headers: &HeaderMap, services: &Services) -> Result<(AgentHost, bool), Problem> {
    let unknown = || Problem(ApiError::new(ErrorCode::UnknownAgent, text::en().errors.unknown_agent));
    let credential = credential(headers).ok_or_else(unknown)?;
    // Found by its hash through an index: how long that takes tells nothing about the credential.
    match hosts::by_credential(&services.pool, credential).await? {
        Some(Holder::Host { host, rotate }) => Ok((host, rotate)),
        Some(Holder::Revoked) => Err(Problem(ApiError::new(ErrorCode::RevokedAgent, text::en().errors.revoked_agent))),
        Some(Holder::Retired) => Err(Problem(ApiError::new(ErrorCode::HostRetired, text::en().reports.retired))),
        None => Err(unknown()),
    }
}

/// The hash of the credential that a request brings, if it has the form of one.
pub(crate) fn credential(headers: &HeaderMap) -> Option<SecretHash> {
    headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(bearer)
        .filter(|credential| credential.starts_with("bh_") && credential.len() <= CREDENTIAL_MAX_BYTES)
        .map(SecretHash::of_code)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, credential) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| credential.trim())
}

#[cfg(test)]
mod tests {
    use super::bearer;

    #[test]
    fn bearer_credentials() {
        assert_eq!(bearer("Bearer bh_x"), Some("bh_x"));
        assert_eq!(bearer("bearer  bh_x "), Some("bh_x"));
        assert_eq!(bearer("Basic bh_x"), None);
        assert_eq!(bearer("bh_x"), None);
    }
}
