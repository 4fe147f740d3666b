//! The account that runs Postgres: our own, or an unprivileged one where we are root, because Postgres refuses root.

use std::path::{Path, PathBuf};

use nix::unistd::{Gid, Uid, User, chown, getegid, geteuid};
use std::os::unix::fs::MetadataExt;

use super::ClusterError;

/// An account of the operating system.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its name; empty for our own.
    pub name: String,
    /// User id.
    pub uid: Uid,
    /// Group id.
    pub gid: Gid,
    /// We must change to it.
    pub other: bool,
}

impl Account {
    /// Our own account, or for root `postgres`, else `nobody`.
    pub fn choose() -> Result<Self, ClusterError> {
        if !geteuid().is_root() {
            return Ok(Self { name: String::new(), uid: geteuid(), gid: getegid(), other: false });
        }
        let found = ["postgres", "nobody"].iter().find_map(|name| User::from_name(name).ok().flatten());
        let user = found.filter(|user| !user.uid.is_root()).ok_or(ClusterError::NoAccount)?;
        Ok(Self { name: user.name, uid: user.uid, gid: user.gid, other: true })
    }

    /// Gives it a folder.
    pub fn own(&self, dir: &Path) -> Result<(), ClusterError> {
        if self.other {
            chown(dir, Some(self.uid), Some(self.gid)).map_err(|error| ClusterError::folder(dir, &error.into()))?;
        }
        Ok(())
    }

    /// Lets the program run as this account.
    pub fn apply(&self, command: &mut tokio::process::Command) {
        if self.other {
            // The standard library drops root's other groups together with the user id.
            command.uid(self.uid.as_raw()).gid(self.gid.as_raw());
        }
    }

    /// The first folder on the way to `dir`, itself included, that the account may not pass.
    pub fn stopped_at(&self, dir: &Path) -> Option<PathBuf> {
        if !self.other {
            return None;
        }
        let mut way: Vec<&Path> = dir.ancestors().collect();
        way.reverse();
        let closed = |part: &&Path| {
            part.metadata().is_ok_and(|meta| {
                let bit = if meta.uid() == self.uid.as_raw() {
                    0o100
                } else if meta.gid() == self.gid.as_raw() {
                    0o010
                } else {
                    0o001
                };
                meta.mode() & bit == 0
            })
        };
        way.into_iter().find(closed).map(Path::to_owned)
    }
}
