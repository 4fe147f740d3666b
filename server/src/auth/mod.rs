//! Who is calling: passwords, sessions, the caller of a request, where a request came from.

use std::net::IpAddr;

use domain::wire::page::Viewer;
use tower_sessions::Session;

/// The person (or nobody yet) behind a request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who is signed in.
    pub viewer: Option<Viewer>,
    /// The request's session.
    pub session: Session,
    /// Where the request came from.
    pub address: IpAddr,
}
