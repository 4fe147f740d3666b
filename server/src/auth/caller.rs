//! The person (or nobody yet) behind a request.

use std::net::IpAddr;

use domain::error::{ApiError, ErrorCode};
use domain::text;
use domain::user::Act;
use domain::wire::page::Viewer;
use tower_sessions::Session;

use crate::auth::session::hash_of;
use crate::service::Services;
use crate::store::sessions;

/// The caller of one request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who is signed in; where that could not be found out, the refusal to answer with.
    pub who: Result<Option<Viewer>, ApiError>,
    /// The viewer's zone.
    pub zone: Option<String>,
    /// The request's session.
    pub session: Session,
    /// Where the request came from.
    pub address: IpAddr,
}

impl Caller {
    /// Finds out who is behind a session: one query where there is a cookie, none where there is not.
    ///
    /// A database that is away does not sign anybody out: the refusal waits here for whoever asks.
    pub async fn find(services: &Services, session: Session, address: IpAddr) -> Self {
        let found = match session.id() {
            None => Ok(None),
            Some(id) => sessions::signed_in(&services.pool, hash_of(id), services.clock.now()).await,
        };
        let (who, zone) = match found {
            Ok(Some(sessions::SignedIn { viewer, zone })) => (Ok(Some(viewer)), Some(zone)),
            Ok(None) => (Ok(None), None),
            Err(error) => (Err(error.into()), None),
        };
        Self { who, zone, session, address }
    }

    /// Whoever is signed in, if anybody.
    ///
    /// # Errors
    /// `server.unavailable` where the database did not say.
    pub fn viewer(&self) -> Result<Option<&Viewer>, ApiError> {
        self.who.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// The person who is signed in.
    ///
    /// # Errors
    /// `auth.sign_in_needed`; `server.unavailable` where the database did not say.
    pub fn person(&self) -> Result<&Viewer, ApiError> {
        self.viewer()?.ok_or_else(|| ApiError::new(ErrorCode::SignInNeeded, text::en().errors.sign_in_needed))
    }

    /// The person who is signed in, if their role allows the act.
    ///
    /// # Errors
    /// As [`Self::person`]; `auth.not_allowed` where the role is not enough.
    pub fn may(&self, act: Act) -> Result<&Viewer, ApiError> {
        let person = self.person()?;
        if person.role.may(act) { Ok(person) } else { Err(not_allowed()) }
    }
}

/// The role is not enough.
#[must_use]
pub fn not_allowed() -> ApiError {
    ApiError::new(ErrorCode::NotAllowed, text::en().errors.not_allowed)
}
