//! Why the private Postgres cannot run, each with what to do.

use std::path::{Path, PathBuf};

/// The private Postgres cannot run; the sentence is for the operator.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// No programs.
    #[error(
        "PostgreSQL {least} or newer is not installed{place}: install it with `apt-get install postgresql` (Debian, \
         Ubuntu), or set DATABASE_URL to a server that you run"
    )]
    NoPrograms {
        /// Oldest major version that will do.
        least: u32,
        /// Where it was looked for, where that was said.
        place: String,
    },
    /// Data of another major version.
    #[error("{0}")]
    OtherMajor(String),
    /// The folder cannot be made, read or written.
    #[error(
        "cannot use the data folder {}: {cause}. Give this account the right to write there, or choose another folder \
         with BERTH_DATA_DIR",
        dir.display()
    )]
    Folder {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// The unprivileged account cannot get there.
    #[error(
        "the account `{account}`, which runs the private Postgres because root may not, cannot reach the data folder \
         {}: {} is closed to it. Open it with `chmod o+x {}`, or choose another folder with BERTH_DATA_DIR, such as \
         /var/lib/berth",
        dir.display(), closed.display(), closed.display()
    )]
    Unreachable {
        /// The account.
        account: String,
        /// The data folder.
        dir: PathBuf,
        /// The folder on the way that is closed.
        closed: PathBuf,
    },
    /// No account to run it as.
    #[error(
        "PostgreSQL may not run as root, and this machine has neither an account `postgres` nor `nobody`: start \
         berth-server as an ordinary user"
    )]
    NoAccount,
    /// Another portal has the folder.
    #[error(
        "the data folder {} belongs to a berth-server that is running already (process {pid}): stop that one first, \
         or choose another folder with BERTH_DATA_DIR",
        dir.display()
    )]
    Locked {
        /// The folder.
        dir: PathBuf,
        /// Who has it.
        pid: String,
    },
    /// No space.
    #[error(
        "the disk that holds {} is full: free at least 100 MB there, or choose another folder with BERTH_DATA_DIR. \
         Nothing was lost",
        dir.display()
    )]
    DiskFull {
        /// The folder.
        dir: PathBuf,
    },
    /// A socket folder that is not ours.
    #[error(
        "{} exists and does not belong to us, so the private Postgres cannot keep its socket there: remove it, or \
         choose a data folder with a shorter path",
        dir.display()
    )]
    SocketFolder {
        /// The folder.
        dir: PathBuf,
    },
    /// `initdb` or `postgres` failed for another reason.
    #[error("the private Postgres does not start: {said}. Its log is {}", log.display())]
    Failed {
        /// What it said last.
        said: String,
        /// Its log.
        log: PathBuf,
    },
}

impl ClusterError {
    /// An operation on `dir` failed.
    pub(super) fn folder(dir: &Path, cause: &std::io::Error) -> Self {
        if cause.kind() == std::io::ErrorKind::StorageFull {
            return Self::DiskFull { dir: dir.to_owned() };
        }
        Self::Folder { dir: dir.to_owned(), cause: cause.to_string() }
    }

    /// `said` is what a program wrote before it ended.
    pub(super) fn failed(dir: &Path, log: &Path, said: &str) -> Self {
        if said.contains("No space left on device") {
            return Self::DiskFull { dir: dir.to_owned() };
        }
        let telling = |line: &&str| ["FATAL", "PANIC", "error:", "could not"].iter().any(|word| line.contains(word));
        let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
        let last = lines().rfind(telling).or_else(|| lines().next_back()).unwrap_or("it said nothing");
        Self::Failed { said: last.trim_end_matches('.').to_owned(), log: log.to_owned() }
    }
}
