//! Who is at the other end of the socket, by the kernel and NSS: nothing that the caller says.

use std::os::unix::net::UnixStream;

use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::PeerCredentials;
use nix::unistd::{Uid, User, geteuid};

/// The process that connected, and its account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its number.
    pub uid: u32,
    /// The process, by its id on this host.
    pub pid: u32,
    /// Its name; `uid:1005` where NSS knows none.
    pub os_user: String,
}

impl Caller {
    /// May do to the agent what concerns the whole host: root, and whoever runs the agent.
    #[must_use]
    pub fn is_administrator(&self) -> bool {
        self.uid == 0 || self.uid == geteuid().as_raw()
    }
}

/// The account of the process that connected.
///
/// # Errors
/// Where the kernel does not say who connected.
pub fn caller(stream: &UnixStream) -> nix::Result<Caller> {
    let peer = getsockopt(stream, PeerCredentials)?;
    let pid = u32::try_from(peer.pid()).unwrap_or(0);
    Ok(Caller { uid: peer.uid(), pid, os_user: name_of(peer.uid()) })
}

/// Name of an account; `uid:1005` where NSS knows none.
#[must_use]
pub fn name_of(uid: u32) -> String {
    match User::from_uid(Uid::from_raw(uid)) {
        Ok(Some(user)) => user.name,
        Ok(None) | Err(_) => format!("uid:{uid}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_knows_who_we_are() {
        let (near, _far) = UnixStream::pair().expect("pair");
        let uid = nix::unistd::getuid().as_raw();
        assert_eq!(caller(&near), Ok(Caller { uid, pid: std::process::id(), os_user: name_of(uid) }));
    }

    #[test]
    fn names_by_nss() {
        assert_eq!(name_of(0), "root");
        assert_eq!(name_of(3_999_999_999), "uid:3999999999");
    }
}
