//! Sessions: `tower-sessions` over our own table. Whoever reads the table finds hashes of session ids, not the ids.
//!
//! A row is written only when somebody signs in, and never comes back once deleted. Rows end after [`IDLE`] without use
//! and after [`LIFETIME`] in any case; the cookie lives as long as a session can.

use std::sync::Arc;

use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::UserId;
use sqlx::PgPool;
use time::Duration;
use tower_sessions::cookie::SameSite;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error as SessionError, Result as SessionResult};
use tower_sessions::{Expiry, Session, SessionManagerLayer, SessionStore};

use crate::auth::secret::SecretHash;
use crate::clock::Clock;
use crate::error::{chain, internal};
use crate::store::{StoreError, sessions};

/// A session ends after this long without a request.
pub const IDLE: Duration = Duration::hours(12);
/// A session ends after this long, however much it is used.
pub const LIFETIME: Duration = Duration::days(7);

/// Key of the person's id in a session's data.
const USER: &str = "user";

/// Name and reach of the session's cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookieRules {
    /// `__Host-berth` binds it to this origin; needs `secure`.
    pub name: &'static str,
    /// Sent over TLS alone.
    pub secure: bool,
}

impl CookieRules {
    /// Over TLS.
    pub const SECURE: Self = Self { name: "__Host-berth", secure: true };
    /// Plain HTTP, on loopback or where the operator asked for it. Another name, so that neither is taken for the other.
    pub const PLAIN: Self = Self { name: "berth", secure: false };
}

/// The layer that gives each request its [`Session`].
#[must_use]
pub fn layer(pool: PgPool, clock: Arc<dyn Clock>, cookie: CookieRules) -> SessionManagerLayer<Sessions> {
    SessionManagerLayer::new(Sessions::new(pool, clock))
        .with_name(cookie.name)
        .with_secure(cookie.secure)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(LIFETIME))
}

/// What stands in the table for a session id.
#[must_use]
pub fn hash_of(id: Id) -> SecretHash {
    SecretHash::of_bytes(&id.0.to_le_bytes())
}

/// Signs somebody in: the session gets a new id, and the old one is dead.
///
/// # Errors
/// `server.unavailable` where the database does not answer.
pub async fn begin(session: &Session, user: UserId) -> Result<(), ApiError> {
    session.cycle_id().await.map_err(|error| failed(&error))?;
    session.insert(USER, user.0).await.map_err(|error| failed(&error))?;
    // Now, not after the response's head: a failure must reach the person who signs in.
    session.save().await.map_err(|error| failed(&error))
}

/// Signs out: the row is deleted, and the answer takes the cookie away.
///
/// # Errors
/// `server.unavailable` where the database does not answer.
pub async fn end(session: &Session) -> Result<(), ApiError> {
    session.flush().await.map_err(|error| failed(&error))
}

/// `tower-sessions` passes on text alone, so the kind of a store's failure is written into it.
const OUTAGE: &str = "outage";

fn failed(error: &tower_sessions::session::Error) -> ApiError {
    if let tower_sessions::session::Error::Store(SessionError::Backend(kind)) = error
        && kind == OUTAGE
    {
        return crate::error::unavailable();
    }
    internal(error)
}

fn backend(error: StoreError) -> SessionError {
    if error.is_outage() {
        tracing::warn!(cause = %chain(&error), "session not stored: database not answering");
        return SessionError::Backend(OUTAGE.to_owned());
    }
    tracing::error!(cause = %chain(&error), "session not stored");
    SessionError::Backend("statement failed".to_owned())
}

/// Sessions in Postgres.
#[derive(Clone)]
pub struct Sessions {
    pool: PgPool,
    clock: Arc<dyn Clock>,
}

impl Sessions {
    /// The sessions of one database.
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>) -> Self {
        Self { pool, clock }
    }
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sessions")
    }
}

fn user_of(record: &Record) -> Option<UserId> {
    record.data.get(USER).and_then(|value| value.as_str()).and_then(|text| text.parse().ok())
}

fn encode(record: &Record) -> SessionResult<serde_json::Value> {
    serde_json::to_value(&record.data).map_err(|error| SessionError::Encode(error.to_string()))
}

#[async_trait]
impl SessionStore for Sessions {
    async fn create(&self, record: &mut Record) -> SessionResult<()> {
        let data = encode(record)?;
        let now = self.clock.now();
        loop {
            let row = sessions::NewSession {
                hash: hash_of(record.id),
                user: user_of(record),
                data: &data,
                created_at: now,
                expires_at: now + IDLE,
            };
            if sessions::insert(&self.pool, row).await.map_err(backend)? {
                return Ok(());
            }
            record.id = Id::default();
        }
    }

    async fn save(&self, record: &Record) -> SessionResult<()> {
        // An update alone: a session that was ended meanwhile, elsewhere, stays ended.
        let data = encode(record)?;
        sessions::update(&self.pool, hash_of(record.id), user_of(record), &data).await.map_err(backend)
    }

    async fn load(&self, id: &Id) -> SessionResult<Option<Record>> {
        let row = sessions::load(&self.pool, hash_of(*id), self.clock.now()).await.map_err(backend)?;
        row.map(|(data, expiry_date)| {
            let data = serde_json::from_value(data).map_err(|error| SessionError::Decode(error.to_string()))?;
            Ok(Record { id: *id, data, expiry_date })
        })
        .transpose()
    }

    async fn delete(&self, id: &Id) -> SessionResult<()> {
        sessions::delete(&self.pool, hash_of(*id)).await.map_err(backend)
    }
}
