//! Who is at the other end of the socket, by the kernel and NSS: nothing that the caller says.

use std::os::unix::net::UnixStream;

use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::PeerCredentials;
use nix::unistd::{Uid, User};

/// Account name of the process that connected; `uid:1005` where NSS knows no name.
///
/// # Errors
/// Where the kernel does not say who connected.
pub fn account(stream: &UnixStream) -> nix::Result<String> {
    let uid = getsockopt(stream, PeerCredentials)?.uid();
    Ok(name_of(uid))
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
        assert_eq!(account(&near), Ok(name_of(nix::unistd::getuid().as_raw())));
    }

    #[test]
    fn names_by_nss() {
        assert_eq!(name_of(0), "root");
        assert_eq!(name_of(3_999_999_999), "uid:3999999999");
    }
}
