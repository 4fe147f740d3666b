//! What survives a restart, in the agent's state folder: the credential and the last table. Written whole or not at
//! all: a file beside it, flushed to disk, then renamed.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use domain::id::HostId;
use serde::{Deserialize, Serialize};

use crate::secret::Credential;
use crate::table::KnownTable;

const CREDENTIAL_FILE: &str = "credential.json";
const TABLE_FILE: &str = "table.json";
const LOCK_FILE: &str = "agent.lock";
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
    #[serde(default)]
    insecure: bool,
    #[serde(default)]
    ca_file: Option<PathBuf>,
}

/// The folder or a file in it cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Reading or writing failed.
    #[error("{} cannot be {verb}: {cause}", .path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// `read`, `written` or the like.
        verb: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// The file holds something else.
    #[error("{} is damaged: {cause}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// An agent works with this folder.
    #[error("another agent uses {} already", .path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
}

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

    /// Claims the folder for one agent, until the returned file is dropped.
    ///
    /// # Errors
    /// [`StateError::InUse`], or [`StateError::Io`].
    pub fn claim(&self) -> Result<File, StateError> {
        let path = self.path.join(LOCK_FILE);
        let failed = |cause| StateError::Io { path: path.clone(), verb: "opened", cause };
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(StateError::InUse { path: self.path.clone() }),
            Err(fs::TryLockError::Error(cause)) => Err(failed(cause)),
        }
    }

    /// The enrolment; `None` on a host that was never enrolled.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn enrolment(&self) -> Result<Option<Enrolment>, StateError> {
        let Some(bytes) = self.read(CREDENTIAL_FILE)? else { return Ok(None) };
        let file: EnrolmentFile = serde_json::from_slice(&bytes).map_err(|e| self.damaged(CREDENTIAL_FILE, &e))?;
        let EnrolmentFile { server, host, host_name, credential, insecure, ca_file } = file;
        let credential = Credential::parse(&credential).map_err(|e| self.damaged(CREDENTIAL_FILE, &e))?;
        Ok(Some(Enrolment { server, host, host_name, credential, insecure, ca_file }))
    }

    /// Keeps the enrolment, readable for the owner alone.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn keep_enrolment(&self, enrolment: &Enrolment) -> Result<(), StateError> {
        let Enrolment { server, host, host_name, credential, insecure, ca_file } = enrolment.clone();
        let credential = credential.expose().to_owned();
        self.keep(CREDENTIAL_FILE, &EnrolmentFile { server, host, host_name, credential, insecure, ca_file })
    }

    /// The last table; `None` where there is none yet.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn table(&self) -> Result<Option<KnownTable>, StateError> {
        let Some(bytes) = self.read(TABLE_FILE)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|e| self.damaged(TABLE_FILE, &e))
    }

    /// Keeps the table.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn keep_table(&self, table: &KnownTable) -> Result<(), StateError> {
        self.keep(TABLE_FILE, table)
    }

    fn keep(&self, name: &str, value: &impl Serialize) -> Result<(), StateError> {
        let bytes = serde_json::to_vec(value).map_err(|e| self.damaged(name, &e))?;
        self.write(name, &bytes)
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StateError> {
        let path = self.path.join(name);
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(FILE_MAX_BYTES).read_to_end(&mut bytes));
        match read {
            Ok(_) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(StateError::Io { path, verb: "read", cause }),
        }
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn enrolment() -> Enrolment {
        Enrolment {
            server: "https://berth.example.org".to_owned(),
            host: HostId(uuid::Uuid::from_u128(1)),
            host_name: "dgx".to_owned(),
            credential: Credential::parse("bh_secret").expect("valid"),
            insecure: false,
            ca_file: Some("/etc/lab-ca.pem".into()),
        }
    }

    #[test]
    fn the_credential_is_for_the_owner_alone() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("a/b");
        let dir = StateDir::open(&path).expect("opened");
        assert_eq!(dir.enrolment().expect("read"), None);
        dir.keep_enrolment(&enrolment()).expect("written");
        assert_eq!(dir.enrolment().expect("read"), Some(enrolment()));
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&path.join(CREDENTIAL_FILE))), (0o700, 0o600));
        let left: Vec<_> = fs::read_dir(&path).expect("listed").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, [CREDENTIAL_FILE]);
    }

    #[test]
    fn leftovers_of_a_crash_are_no_obstacle() {
        let folder = tempfile::tempdir().expect("folder");
        fs::write(folder.path().join(".credential.json.new"), "half").expect("written");
        let dir = StateDir::open(folder.path()).expect("opened");
        dir.keep_enrolment(&enrolment()).expect("written");
        assert_eq!(dir.enrolment().expect("read"), Some(enrolment()));
    }

    #[test]
    fn damage_is_told_with_the_file() {
        let folder = tempfile::tempdir().expect("folder");
        let dir = StateDir::open(folder.path()).expect("opened");
        fs::write(folder.path().join(TABLE_FILE), "{\"table\":").expect("written");
        let error = dir.table().expect_err("damaged").to_string();
        assert!(error.contains("table.json is damaged"), "{error}");
    }

    #[test]
    fn one_agent_for_a_folder() {
        let folder = tempfile::tempdir().expect("folder");
        let dir = StateDir::open(folder.path()).expect("opened");
        let first = dir.claim().expect("free");
        assert!(matches!(dir.claim(), Err(StateError::InUse { .. })));
        drop(first);
        dir.claim().expect("free again");
    }
}
