//! The enrolment in use: which portal, and as whom. Exchanged in flight when the host is enrolled anew, and renewed
//! every 30 days. A credential is never given up: one that the portal refuses stays on disk and is tried again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use domain::error::ErrorCode;
use domain::wire::agent_v1::LinkRequest;
use domain::wire::host_v1::{HostBooked, HostBooking, HostChange, HostChanged};
use time::OffsetDateTime;

use crate::guard::walk_in::{Bookings, NotDone};
use crate::log;
use crate::portal::{Address, Portal, PortalError};
use crate::secret::Credential;
use crate::state::{CredentialMark, Enrolment, StateDir, StateError};

/// A credential of this age is renewed.
const RENEW_EVERY: time::Duration = time::Duration::days(30);
/// After a renewal that failed; the credential in use goes on working.
const RENEW_RETRY: Duration = Duration::from_secs(3600);
/// The same where an administrator waits for it.
const RENEW_RETRY_ASKED: Duration = Duration::from_secs(60);

/// What the command line says about the portal, over what was stored at the enrolment.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Another address.
    pub server: Option<String>,
    /// Plain HTTP is all right.
    pub insecure: bool,
    /// An authority to trust besides the system's.
    pub ca_file: Option<PathBuf>,
}

/// A portal and this host's credential for it.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The way there.
    pub portal: Portal,
    /// What proves this host.
    pub credential: Credential,
    /// Name of the host in the portal.
    pub host_name: String,
    /// The one before.
    previous: Option<Credential>,
    /// When the host got it.
    since: Option<OffsetDateTime>,
}

/// No connection can be made up from what is stored.
#[derive(Debug, thiserror::Error)]
pub enum NoUplink {
    /// There is no credential.
    #[error(
        "this host is not enrolled. Get a code in the portal under Admin, Add a host, then run: sudo berth enrol URL"
    )]
    NotEnrolled,
    /// The state folder cannot be read.
    #[error(transparent)]
    State(#[from] StateError),
    /// The address is no good.
    #[error(transparent)]
    Address(#[from] crate::portal::BadAddress),
    /// The certificate file is no good.
    #[error(transparent)]
    CaFile(#[from] crate::portal::client::BadCaFile),
}

/// The connection in use.
#[derive(Debug)]
pub struct Uplink {
    state: StateDir,
    overrides: Overrides,
    current: Mutex<Arc<Connection>>,
    /// The credential's file as it was read last.
    seen: Mutex<Option<CredentialMark>>,
    /// No renewal is tried before.
    renew_not_before: Mutex<Option<Instant>>,
}

/// Why a credential was not renewed.
#[derive(Debug, thiserror::Error)]
pub enum NotRenewed {
    /// The portal did not give one.
    #[error(transparent)]
    Portal(#[from] PortalError),
    /// What it gave is none.
    #[error("what the portal sent cannot be used: {0}")]
    Bad(#[from] crate::secret::BadCredential),
    /// It cannot be kept. The one in use goes on working.
    #[error(transparent)]
    State(#[from] StateError),
    /// The host has been enrolled anew meanwhile.
    #[error("the host has got another credential meanwhile")]
    Overtaken,
}

impl Uplink {
    /// Reads the enrolment.
    ///
    /// # Errors
    /// [`NoUplink`], whose text is meant for people.
    pub fn open(state: StateDir, overrides: Overrides) -> Result<Self, NoUplink> {
        let seen = Mutex::new(state.credential_mark());
        let enrolment = state.enrolment()?.ok_or(NoUplink::NotEnrolled)?;
        let current = Mutex::new(Arc::new(connect(enrolment, &overrides)?));
        Ok(Self { state, overrides, current, seen, renew_not_before: Mutex::new(None) })
    }

    /// The connection in use.
    #[must_use]
    pub fn get(&self) -> Arc<Connection> {
        Arc::clone(&lock(&self.current))
    }

    /// Looks whether the host has been enrolled anew, or its credential renewed by hand; true if so. Costs next to
    /// nothing while the file stays as it is.
    pub fn refresh(&self) -> bool {
        let mark = self.state.credential_mark();
        let mut seen = lock(&self.seen);
        if mark.is_none() || *seen == mark {
            return false;
        }
        *seen = mark;
        let fresh = match self.state.enrolment().map(|enrolment| enrolment.map(|e| connect(e, &self.overrides))) {
            Ok(Some(Ok(fresh))) => fresh,
            Ok(None) => return false,
            Ok(Some(Err(error))) => return unusable(&error),
            Err(error) => return unusable(&error),
        };
        let current = self.get();
        if fresh.credential == current.credential && fresh.portal.address() == current.portal.address() {
            return false;
        }
        *lock(&self.current) = Arc::new(fresh);
        true
    }

    /// The portal does not know the credential in use: the one before is tried next, and after that this one again. It
    /// may have been restored to a day on which the other one was in use.
    pub fn after_refusal(&self, error: &PortalError) {
        let current = self.get();
        let unknown = matches!(error, PortalError::Refused { code: Some(ErrorCode::UnknownAgent), .. });
        let Some(previous) = current.previous.clone().filter(|_| unknown) else { return };
        let other =
            Connection { credential: previous, previous: Some(current.credential.clone()), ..(*current).clone() };
        *lock(&self.current) = Arc::new(other);
    }

    /// Renews the credential where it is old or where an administrator has asked for it. Called after the portal has
    /// taken a report, so that it is there.
    pub fn renew_if_due(&self, asked: bool) {
        let current = self.get();
        let old = current.since.is_none_or(|since| OffsetDateTime::now_utc() - since >= RENEW_EVERY);
        let not_before = *lock(&self.renew_not_before);
        if !(asked || old) || not_before.is_some_and(|at| Instant::now() < at) {
            return;
        }
        match renew(&self.state, &current.portal, &current.credential) {
            Ok(enrolment) => {
                let fresh = Connection {
                    credential: enrolment.credential,
                    previous: enrolment.previous,
                    since: enrolment.since,
                    ..(*current).clone()
                };
                *lock(&self.seen) = self.state.credential_mark();
                *lock(&self.current) = Arc::new(fresh);
                // However often it is asked for.
                *lock(&self.renew_not_before) = Some(Instant::now() + RENEW_RETRY_ASKED);
                log::info("the host has renewed its credential", &[]);
            }
            Err(error) => {
                let wait = if asked { RENEW_RETRY_ASKED } else { RENEW_RETRY };
                *lock(&self.renew_not_before) = Some(Instant::now() + wait);
                log::warn(
                    "the credential cannot be renewed; the one in use goes on working",
                    &[("error", &error), ("again_in_s", &wait.as_secs())],
                );
            }
        }
    }

    /// Hands a link code on; the person's name, or a sentence that says why not.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn link(&self, code: &str, os_user: &str) -> Result<String, String> {
        let connection = self.get();
        let request = LinkRequest { code: code.to_owned(), os_user: os_user.to_owned() };
        let mut answer = connection.portal.link(&connection.credential, &request);
        let now = self.get();
        if matches!(&answer, Err(error) if error.is_unknown_agent()) && now.credential != connection.credential {
            // Renewed while the question was on its way.
            answer = now.portal.link(&now.credential, &request);
        }
        match answer {
            Ok(reply) => Ok(reply.name),
            Err(error) if error.is_unknown_agent() => {
                Err("The portal does not know this host any more. The administrator must enrol it anew.".to_owned())
            }
            Err(error @ PortalError::Refused { .. }) => Err(error.to_string()),
            Err(error) => Err(format!("Not now: {error}.")),
        }
    }
}

impl Bookings for Arc<Uplink> {
    fn book(&self, ask: &HostBooking) -> Result<HostBooked, NotDone> {
        let connection = self.get();
        connection.portal.book(&connection.credential, ask).map_err(not_done)
    }

    fn change(&self, ask: &HostChange) -> Result<HostChanged, NotDone> {
        let connection = self.get();
        connection.portal.change(&connection.credential, ask).map_err(not_done)
    }
}

/// A portal that is busy, or does not know this host for a moment, has not said no.
fn not_done(error: PortalError) -> NotDone {
    match &error {
        PortalError::Refused { status, .. } if *status < 500 && !error.is_unknown_agent() => {
            NotDone::Refused(error.to_string())
        }
        _ => NotDone::Away(error.to_string()),
    }
}

fn connect(enrolment: Enrolment, overrides: &Overrides) -> Result<Connection, NoUplink> {
    let server = overrides.server.as_deref().unwrap_or(&enrolment.server);
    let address = Address::parse(server, overrides.insecure || enrolment.insecure)?;
    let portal = Portal::new(address, overrides.ca_file.as_deref().or(enrolment.ca_file.as_deref()))?;
    let Enrolment { host_name, credential, previous, since, .. } = enrolment;
    Ok(Connection { portal, credential, host_name, previous, since })
}

/// Gets a new credential and keeps it. Until it is used the old one works on, so nothing is lost wherever this ends.
///
/// # Errors
/// [`NotRenewed`].
pub fn renew(state: &StateDir, portal: &Portal, old: &Credential) -> Result<Enrolment, NotRenewed> {
    let reply = portal.rotate(old)?;
    let new = Credential::parse(&reply.credential)?;
    state.renew_credential(old, new, OffsetDateTime::now_utc())?.ok_or(NotRenewed::Overtaken)
}

fn unusable(error: &dyn std::fmt::Display) -> bool {
    log::warn("the credential's file has changed, but cannot be used; the one from before is", &[("error", error)]);
    false
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use domain::id::HostId;

    use super::*;

    fn credential(text: &str) -> Credential {
        Credential::parse(text).expect("valid")
    }

    fn refusal(code: ErrorCode) -> PortalError {
        PortalError::Refused { status: 401, code: Some(code), message: String::new(), retry_after_s: 0 }
    }

    #[test]
    fn what_the_portal_does_not_know_is_tried_in_turn_with_the_one_before() {
        let folder = tempfile::tempdir().expect("folder");
        let state = StateDir::open(folder.path()).expect("opened");
        let enrolment = Enrolment {
            server: "http://127.0.0.1:1".to_owned(),
            host: HostId(uuid::Uuid::nil()),
            host_name: "dgx".to_owned(),
            credential: credential("bh_first"),
            previous: None,
            since: None,
            insecure: false,
            ca_file: None,
        };
        state.keep_enrolment(&enrolment).expect("kept");
        let uplink = Uplink::open(state.clone(), Overrides::default()).expect("enrolled");
        uplink.after_refusal(&refusal(ErrorCode::UnknownAgent));
        assert_eq!(uplink.get().credential, credential("bh_first"), "there is no other");

        let now = OffsetDateTime::now_utc();
        state.renew_credential(&credential("bh_first"), credential("bh_second"), now).expect("kept").expect("ours");
        assert!(uplink.refresh() && !uplink.refresh());
        for revoked in [ErrorCode::RevokedAgent, ErrorCode::Unavailable] {
            uplink.after_refusal(&refusal(revoked));
            assert_eq!(uplink.get().credential, credential("bh_second"), "that says nothing of the other");
        }
        for expected in ["bh_first", "bh_second", "bh_first"] {
            uplink.after_refusal(&refusal(ErrorCode::UnknownAgent));
            assert_eq!(uplink.get().credential, credential(expected));
        }
        assert!(!uplink.refresh());
        assert_eq!(state.enrolment().expect("read").expect("there").credential, credential("bh_second"));
    }
}
