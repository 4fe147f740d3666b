//! The `berth` program that the portal hands to hosts: which file it is and what its hash is. The hash is found out in
//! the background, once, and again only after the file has been replaced.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::error::{ApiError, ErrorCode};
use domain::text;
use domain::wire::page;
use sha2::{Digest, Sha256};

/// Read at once while hashing, in bytes.
const CHUNK_BYTES: usize = 256 * 1024;
/// Hashing takes about this long, in seconds.
const RETRY_SECONDS: u64 = 2;

/// The program, as far as it is known.
#[derive(Clone, Default)]
pub struct AgentProgram(Option<Arc<Shared>>);

struct Shared {
    path: PathBuf,
    known: Mutex<Known>,
}

enum Known {
    /// Nobody has looked yet, or somebody is looking.
    Nothing { looking: bool },
    /// There is none.
    Missing,
    /// There it is.
    Ready(Arc<Ready>),
}

/// A program that can be handed out.
#[derive(Debug)]
pub struct Ready {
    /// The file, open: what was hashed is what is sent, even where its name has got another one meanwhile.
    pub file: File,
    /// In bytes.
    pub size: u64,
    /// SHA-256 of its content, in hex.
    pub sha256: String,
    mark: Mark,
}

/// Tells a file from the one that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark(u64, u64, u64, i64, i64);

impl From<&Metadata> for Mark {
    fn from(file: &Metadata) -> Self {
        Self(file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec())
    }
}

/// Why there is nothing to hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProgram {
    /// No such file.
    Missing,
    /// Its hash is not known yet.
    NotReady,
}

impl From<NoProgram> for ApiError {
    fn from(why: NoProgram) -> Self {
        let words = &text::en().errors;
        match why {
            NoProgram::Missing => Self::new(ErrorCode::NotFound, words.no_program),
            NoProgram::NotReady => {
                Self::new(ErrorCode::Unavailable, words.program_not_ready).retry_after(RETRY_SECONDS)
            }
        }
    }
}

impl AgentProgram {
    /// The file of this name; nothing is read yet.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self(Some(Arc::new(Shared { path, known: Mutex::new(Known::Nothing { looking: false }) })))
    }

    /// The program as it is now. Where that is not known, somebody begins to look.
    ///
    /// # Errors
    /// [`NoProgram`].
    pub fn get(&self) -> Result<Arc<Ready>, NoProgram> {
        let shared = self.0.as_ref().ok_or(NoProgram::Missing)?;
        let now = std::fs::metadata(&shared.path).ok().filter(Metadata::is_file).map(|file| Mark::from(&file));
        let mut known = shared.lock();
        match (&*known, now) {
            (Known::Ready(ready), Some(now)) if ready.mark == now => return Ok(ready.clone()),
            (Known::Nothing { looking: true }, _) => return Err(NoProgram::NotReady),
            (_, None) => {
                *known = Known::Missing;
                return Err(NoProgram::Missing);
            }
            _ => *known = Known::Nothing { looking: true },
        }
        drop(known);
        let shared = shared.clone();
        tokio::task::spawn_blocking(move || shared.look());
        Err(NoProgram::NotReady)
    }

    /// The same for the administrators' page.
    #[must_use]
    pub fn for_page(&self) -> page::AgentProgram {
        match self.get() {
            Ok(ready) => page::AgentProgram::Ready { sha256: ready.sha256.clone() },
            Err(NoProgram::NotReady) => page::AgentProgram::NotReady,
            Err(NoProgram::Missing) => page::AgentProgram::Missing,
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self) {
        let found = match read(&self.path) {
            Ok(ready) => Known::Ready(Arc::new(ready)),
            Err(error) => {
                tracing::warn!(path = %self.path.display(), cause = %error, "the berth program cannot be read");
                Known::Missing
            }
        };
        *self.lock() = found;
    }
}

fn read(path: &Path) -> io::Result<Ready> {
    let mut file = File::open(path)?;
    let mark = Mark::from(&file.metadata()?);
    let (mut hash, mut chunk) = (Sha256::new(), vec![0; CHUNK_BYTES]);
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            read => hash.update(&chunk[..read]),
        }
    }
    let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Ready { file, size: mark.2, sha256, mark })
}
