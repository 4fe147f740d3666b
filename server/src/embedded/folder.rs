//! The data folder: what lies where in it, and whose it is.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use super::account::Account;
use super::{ClusterError, PORT};

/// A Unix socket's path has at most this many bytes.
const SOCKET_PATH_MAX: usize = 107;

/// A data folder.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

/// The folder is ours until this is dropped, or we die.
pub struct Lock(#[expect(dead_code, reason = "held, not read")] Flock<File>);

impl Folder {
    /// A folder that somebody else has opened.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self { root: root.canonicalize().unwrap_or_else(|_| root.to_owned()) }
    }

    /// Makes the folder if it is not there, and checks that `account` can reach what will be in it.
    pub(super) fn open(root: &Path, account: &Account) -> Result<Self, ClusterError> {
        let error = |cause: std::io::Error| ClusterError::folder(root, &cause);
        if !root.is_dir() {
            std::fs::create_dir_all(root).map_err(error)?;
            // Others may pass where Postgres runs as another account; what is inside is closed by itself.
            let mode = if account.other { 0o711 } else { 0o700 };
            std::fs::set_permissions(root, Permissions::from_mode(mode)).map_err(error)?;
        }
        let root = root.canonicalize().map_err(error)?;
        if let Some(closed) = account.stopped_at(&root) {
            return Err(ClusterError::Unreachable { account: account.name.clone(), dir: root, closed });
        }
        Ok(Self { root })
    }

    /// Takes the folder for this process.
    pub(super) fn lock(&self) -> Result<Lock, ClusterError> {
        let path = self.root.join("lock");
        let error = |cause: std::io::Error| ClusterError::folder(&self.root, &cause);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(error)?;
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(mut lock) => {
                lock.set_len(0).map_err(error)?;
                writeln!(lock, "{}", std::process::id()).map_err(error)?;
                Ok(Lock(lock))
            }
            Err((mut file, Errno::EWOULDBLOCK)) => {
                let mut pid = String::new();
                let _ = file.read_to_string(&mut pid);
                let pid = if pid.trim().is_empty() { "unknown".to_owned() } else { pid.trim().to_owned() };
                Err(ClusterError::Locked { dir: self.root.clone(), pid })
            }
            Err((_, errno)) => Err(error(errno.into())),
        }
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Postgres' own folder.
    #[must_use]
    pub fn cluster(&self) -> PathBuf {
        self.root.join("postgres")
    }

    /// What Postgres says.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.root.join("postgres.log")
    }

    /// Major version of the data; `None` before there is any.
    pub(super) fn major(&self) -> Result<Option<u32>, ClusterError> {
        let path = self.cluster().join("PG_VERSION");
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(text.trim().parse().ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ClusterError::folder(&path, &error)),
        }
    }

    /// The folder of the socket: in the data folder, or in `/tmp` where that path would be too long for a socket.
    #[must_use]
    pub fn socket_dir(&self) -> PathBuf {
        let near = self.root.join("run");
        let path = near.join(format!(".s.PGSQL.{PORT}"));
        if path.as_os_str().len() <= SOCKET_PATH_MAX {
            return near;
        }
        let mut hasher = DefaultHasher::new();
        self.root.hash(&mut hasher);
        PathBuf::from(format!("/tmp/berth-{:016x}", hasher.finish()))
    }

    /// Leaves nothing in `/tmp`, once Postgres has taken its socket away.
    pub(super) fn remove_far_socket_dir(&self) {
        let dir = self.socket_dir();
        if !dir.starts_with(&self.root) {
            let _ = std::fs::remove_dir(dir);
        }
    }

    /// Makes the folder of the socket, closed to everybody but the account: whoever can open the socket is let in.
    pub(super) fn make_socket_dir(&self, account: &Account) -> Result<(), ClusterError> {
        let dir = self.socket_dir();
        match DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => account.own(&dir),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                // In /tmp somebody else may have been there first.
                let meta = dir.symlink_metadata().map_err(|error| ClusterError::folder(&dir, &error))?;
                let ours = meta.is_dir() && meta.uid() == account.uid.as_raw() && meta.mode() & 0o077 == 0;
                if ours { Ok(()) } else { Err(ClusterError::SocketFolder { dir }) }
            }
            Err(error) => Err(ClusterError::folder(&dir, &error)),
        }
    }
}
