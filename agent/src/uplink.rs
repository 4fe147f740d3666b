//! The enrolment in use: which portal, and as whom. Exchanged in flight when the host is enrolled anew.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use domain::wire::agent_v1::LinkRequest;

use crate::portal::{Address, Portal, PortalError};
use crate::secret::Credential;
use crate::state::{Enrolment, StateDir, StateError};

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
}

impl Uplink {
    /// Reads the enrolment.
    ///
    /// # Errors
    /// [`NoUplink`], whose text is meant for people.
    pub fn open(state: StateDir, overrides: Overrides) -> Result<Self, NoUplink> {
        let enrolment = state.enrolment()?.ok_or(NoUplink::NotEnrolled)?;
        let current = Mutex::new(Arc::new(connect(enrolment, &overrides)?));
        Ok(Self { state, overrides, current })
    }

    /// The connection in use.
    #[must_use]
    pub fn get(&self) -> Arc<Connection> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks whether the host has been enrolled anew meanwhile; true if so.
    pub fn refresh(&self) -> bool {
        let Ok(Some(enrolment)) = self.state.enrolment() else { return false };
        let current = self.get();
        let server = self.overrides.server.as_deref().unwrap_or(&enrolment.server);
        if enrolment.credential == current.credential && server == current.portal.address().as_str() {
            return false;
        }
        let Ok(fresh) = connect(enrolment, &self.overrides) else { return false };
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(fresh);
        true
    }

    /// Hands a link code on; the person's name, or a sentence that says why not.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn link(&self, code: &str, os_user: &str) -> Result<String, String> {
        let connection = self.get();
        let request = LinkRequest { code: code.to_owned(), os_user: os_user.to_owned() };
        match connection.portal.link(&connection.credential, &request) {
            Ok(reply) => Ok(reply.name),
            Err(error) if error.is_unknown_agent() => {
                Err("The portal does not know this host any more. The administrator must enrol it anew.".to_owned())
            }
            Err(error @ PortalError::Refused { .. }) => Err(error.to_string()),
            Err(error) => Err(format!("Not now: {error}.")),
        }
    }
}

fn connect(enrolment: Enrolment, overrides: &Overrides) -> Result<Connection, NoUplink> {
    let server = overrides.server.as_deref().unwrap_or(&enrolment.server);
    let address = Address::parse(server, overrides.insecure || enrolment.insecure)?;
    let portal = Portal::new(address, overrides.ca_file.as_deref().or(enrolment.ca_file.as_deref()))?;
    Ok(Connection { portal, credential: enrolment.credential, host_name: enrolment.host_name })
}
