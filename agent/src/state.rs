//! What survives a restart, in the agent's state folder: the credential and the last table. Written whole or not at
//! all: a file beside it, flushed to disk, then renamed.
//!
//! The folder belongs to the account that the agent runs as. What root writes there is given to that account, or the
//! agent could not read it; names that are links are not followed, or that account could have root read and write
//! elsewhere. For the same reason the agent does not run as root on a folder of another account.

mod error;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use domain::id::HostId;
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{Uid, User, geteuid};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub use self::error::StateError;
use crate::clean::clean;
use crate::guard::leases::Kept;
use crate::secret::Credential;
use crate::table::KnownTable;

const CREDENTIAL_FILE: &str = "credential.json";
const TABLE_FILE: &str = "table.json";
const LEASES_FILE: &str = "leases.json";
const LOCK_FILE: &str = "agent.lock";
/// Held while the credential is exchanged, so that nobody overwrites what somebody else has just got.
const CREDENTIAL_LOCK_FILE: &str = "credential.lock";
/// Copy of the authority that the portal's certificate is checked against.
const CA_FILE: &str = "ca.pem";
/// Larger files than this are not ours, in bytes.
const FILE_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The folder.
#[derive(Clone, Debug)]
pub struct StateDir {
    path: PathBuf,
}

/// How this host speaks to its portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enrolment {
    /// Address of the portal.
    pub server: String,
    /// The host as the portal knows it.
    pub host: HostId,
    /// Its name there.
    pub host_name: String,
    /// Its credential.
    pub credential: Credential,
    /// The one before, for the case that the portal has forgotten this one, as after a restored backup.
    pub previous: Option<Credential>,
    /// When it got its credential, by the host's clock; `None` for one from before this was written down.
    pub since: Option<OffsetDateTime>,
    /// Somebody has said that plain HTTP to this portal is all right.
    pub insecure: bool,
    /// An authority to trust besides the system's.
    pub ca_file: Option<PathBuf>,
}

/// The enrolment as it lies on disk.
#[derive(Serialize, Deserialize)]
struct EnrolmentFile {
    server: String,
    host: HostId,
    host_name: String,
    credential: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    #[serde(default, with = "time::serde::rfc3339::option")]
    since: Option<OffsetDateTime>,
    #[serde(default)]
    insecure: bool,
    #[serde(default)]
    ca_file: Option<PathBuf>,
}

/// Tells one state of the credential's file from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CredentialMark(u64, Option<SystemTime>);

impl StateDir {
    /// Makes the folder where needed, for its owner alone, and checks that it can be written to.
    ///
    /// # Errors
    /// [`StateError::Io`].
    pub fn open(path: &Path) -> Result<Self, StateError> {
        let failed = |cause| StateError::Io { path: path.to_path_buf(), verb: "made", cause };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        let dir = Self { path: path.to_path_buf() };
        dir.write(".probe", b"").and_then(|()| dir.remove(".probe"))?;
        Ok(dir)
    }

    /// The same, for the agent, which works in the folder for as long as it runs: root must own what root works in.
    ///
    /// # Errors
    /// [`StateError::NotRoots`], [`StateError::Io`].
    pub fn open_for_agent(path: &Path) -> Result<Self, StateError> {
        if let Some(owner) = fs::metadata(path).ok().map(|folder| Uid::from_raw(folder.uid()))
            && is_foreign(geteuid(), owner)
        {
            let name = User::from_uid(owner).ok().flatten().map(|user| clean(&user.name));
            let account = name.unwrap_or_else(|| format!("#{owner}"));
            return Err(StateError::NotRoots { path: path.to_path_buf(), account });
        }
        Self::open(path)
    }

    /// The folder as it is, for reading: it is neither made nor tried.
    #[must_use]
    pub fn existing(path: &Path) -> Self {
        Self { path: path.to_path_buf() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder within it, made where needed, for its owner alone.
    ///
    /// # Errors
    /// [`StateError::Io`].
    pub fn folder(&self, name: &str) -> Result<PathBuf, StateError> {
        let path = self.path.join(name);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        let open =
            || OpenOptions::new().read(true).custom_flags((OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY).bits()).open(&path);
        match made.and_then(|()| open()).and_then(|folder| self.give_to_owner(&folder)) {
            Ok(()) => Ok(path),
            Err(cause) => Err(StateError::Io { path, verb: "made", cause }),
        }
    }

    /// Claims the folder for one agent, until the returned file is dropped.
    ///
    /// # Errors
    /// [`StateError::InUse`], or [`StateError::Io`].
    pub fn claim(&self) -> Result<File, StateError> {
        let file = self.lock_file(LOCK_FILE)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(StateError::InUse { path: self.path.clone() }),
            Err(fs::TryLockError::Error(cause)) => {
                Err(StateError::Io { path: self.path.join(LOCK_FILE), verb: "locked", cause })
            }
        }
    }

    /// The enrolment; `None` on a host that was never enrolled.
    ///
    /// # Errors
    /// [`StateError`]; a credential that others may read is refused.
    pub fn enrolment(&self) -> Result<Option<Enrolment>, StateError> {
        let Some(bytes) = self.read(CREDENTIAL_FILE, true)? else { return Ok(None) };
        let file: EnrolmentFile = serde_json::from_slice(&bytes).map_err(|e| self.damaged(CREDENTIAL_FILE, &e))?;
        let EnrolmentFile { server, host, host_name, credential, previous, since, insecure, ca_file } = file;
        let parse = |text: String| Credential::parse(&text).map_err(|e| self.damaged(CREDENTIAL_FILE, &e));
        let (credential, previous) = (parse(credential)?, previous.map(parse).transpose()?);
        // Whoever reads the authority's certificate later follows links, as for any other file.
        if let Some(path) = ca_file.as_ref().filter(|path| path.starts_with(&self.path))
            && fs::symlink_metadata(path).is_ok_and(|file| file.is_symlink())
        {
            return Err(StateError::Io { path: path.clone(), verb: "read", cause: is_a_link() });
        }
        Ok(Some(Enrolment { server, host, host_name, credential, previous, since, insecure, ca_file }))
    }

    /// Keeps the enrolment, readable for the owner alone.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn keep_enrolment(&self, enrolment: &Enrolment) -> Result<(), StateError> {
        let _lock = self.lock_credential()?;
        self.write_enrolment(enrolment)
    }

    /// Puts a renewed credential in the place of `old`. `None` where the host has another one meanwhile, as after it was
    /// enrolled anew: nothing is changed then.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn renew_credential(
        &self,
        old: &Credential,
        new: Credential,
        now: OffsetDateTime,
    ) -> Result<Option<Enrolment>, StateError> {
        let _lock = self.lock_credential()?;
        let Some(mut enrolment) = self.enrolment()? else { return Ok(None) };
        if enrolment.credential != *old && enrolment.previous.as_ref() != Some(old) {
            return Ok(None);
        }
        enrolment.previous = Some(old.clone());
        enrolment.credential = new;
        enrolment.since = Some(now);
        self.write_enrolment(&enrolment)?;
        Ok(Some(enrolment))
    }

    /// Changes whenever the credential's file does; `None` where there is none. Costs one look at the folder.
    #[must_use]
    pub fn credential_mark(&self) -> Option<CredentialMark> {
        let file = fs::symlink_metadata(self.path.join(CREDENTIAL_FILE)).ok()?;
        Some(CredentialMark(file.ino(), file.modified().ok()))
    }

    /// Keeps a copy of an authority's certificate, where the agent can read it wherever the original lies.
    ///
    /// # Errors
    /// [`StateError::Io`].
    pub fn keep_ca(&self, pem: &[u8]) -> Result<PathBuf, StateError> {
        self.write(CA_FILE, pem)?;
        Ok(self.path.join(CA_FILE))
    }

    fn write_enrolment(&self, enrolment: &Enrolment) -> Result<(), StateError> {
        let Enrolment { server, host, host_name, credential, previous, since, insecure, ca_file } = enrolment.clone();
        let (credential, previous) = (credential.expose().to_owned(), previous.map(|one| one.expose().to_owned()));
        let file = EnrolmentFile { server, host, host_name, credential, previous, since, insecure, ca_file };
        self.keep(CREDENTIAL_FILE, &file)
    }

    fn lock_credential(&self) -> Result<File, StateError> {
        let file = self.lock_file(CREDENTIAL_LOCK_FILE)?;
        let path = || self.path.join(CREDENTIAL_LOCK_FILE);
        file.lock().map_err(|cause| StateError::Io { path: path(), verb: "locked", cause })?;
        Ok(file)
    }

    fn lock_file(&self, name: &str) -> Result<File, StateError> {
        let path = self.path.join(name);
        let open = |create: bool| {
            let mut options = OpenOptions::new();
            options.write(true).create_new(create).mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits()).open(&path)
        };
        let file = match open(true) {
            Ok(file) => self.give_to_owner(&file).map(|()| file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open(false),
            Err(error) => Err(error),
        };
        file.map_err(|cause| StateError::Io { path, verb: "opened", cause })
    }

    fn give_to_owner(&self, file: &File) -> io::Result<()> {
        give_to_owner_of(&self.path, file)
    }

    /// The last table; `None` where there is none yet.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn table(&self) -> Result<Option<KnownTable>, StateError> {
        let Some(bytes) = self.read(TABLE_FILE, false)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|e| self.damaged(TABLE_FILE, &e))
    }

    /// Keeps the table.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn keep_table(&self, table: &KnownTable) -> Result<(), StateError> {
        self.keep(TABLE_FILE, table)
    }

    /// Bookings that were made for jobs; none where there is no file.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn leases(&self) -> Result<Kept, StateError> {
        let Some(bytes) = self.read(LEASES_FILE, false)? else { return Ok(Kept::default()) };
        serde_json::from_slice(&bytes).map_err(|e| self.damaged(LEASES_FILE, &e))
    }

    /// Keeps bookings that were made for jobs.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn keep_leases(&self, leases: &Kept) -> Result<(), StateError> {
        self.keep(LEASES_FILE, leases)
    }

    fn keep(&self, name: &str, value: &impl Serialize) -> Result<(), StateError> {
        let bytes = serde_json::to_vec(value).map_err(|e| self.damaged(name, &e))?;
        self.write(name, &bytes)
    }

    fn read(&self, name: &str, secret: bool) -> Result<Option<Vec<u8>>, StateError> {
        let path = self.path.join(name);
        let failed = |cause| StateError::Io { path: path.clone(), verb: "read", cause };
        let file = match open_plain(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(failed(cause)),
        };
        let mode = file.metadata().map_err(failed)?.mode() & 0o777;
        if secret && mode & 0o077 != 0 {
            return Err(StateError::TooOpen { path, mode });
        }
        let mut bytes = Vec::new();
        file.take(FILE_MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(bytes))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StateError> {
        let path = self.path.join(name);
        let beside = self.path.join(format!(".{name}.new"));
        let written = || -> io::Result<()> {
            // Whatever an earlier crash has left must not lend its permissions.
            match fs::remove_file(&beside) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&beside)?;
            self.give_to_owner(&file)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&beside, &path)?;
            File::open(&self.path)?.sync_all()
        };
        written().map_err(|cause| StateError::Io { path, verb: "written", cause })
    }

    fn remove(&self, name: &str) -> Result<(), StateError> {
        let path = self.path.join(name);
        fs::remove_file(&path).map_err(|cause| StateError::Io { path, verb: "removed", cause })
    }

    fn damaged(&self, name: &str, cause: &impl ToString) -> StateError {
        StateError::Damaged { path: self.path.join(name), cause: cause.to_string() }
    }
}

/// Opens a file of the agent's account for reading: a plain one, and no link to another.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    // One that is no plain file may keep whoever opens it waiting.
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits())
        .open(path)
        .map_err(|error| if error.raw_os_error() == Some(Errno::ELOOP as i32) { is_a_link() } else { error })?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a plain file"))
}

fn is_a_link() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is a link, and links in this folder are not followed")
}

/// Whether an account that is root would work in somebody else's folder.
fn is_foreign(account: Uid, owner: Uid) -> bool {
    account.is_root() && !owner.is_root()
}

/// Root may write in a folder of the agent's account; what it makes there is that account's.
pub(crate) fn give_to_owner_of(folder: &Path, file: &File) -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let folder = fs::metadata(folder)?;
    if folder.uid() == 0 { Ok(()) } else { fchown(file, Some(folder.uid()), Some(folder.gid())) }
}

#[cfg(test)]
mod tests;
