//! Asks the agent of this host, over its Unix socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::wire::guard_v1::{Answer, Ask};

/// Longest answer read, in bytes: hundreds of bookings stay far below.
const ANSWER_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// Nobody listens.
    #[error("no agent answers on {}: {cause}", .path.display())]
    NoAgent {
        /// The socket.
        path: PathBuf,
        /// In words.
        cause: String,
    },
    /// The agent took the question and kept silent.
    #[error("the agent on {} has not answered within {} s", .path.display(), .patience.as_secs())]
    Silent {
        /// The socket.
        path: PathBuf,
        /// How long was waited.
        patience: Duration,
    },
    /// The answer cannot be read.
    #[error("the agent on {} answers something that this version of berth cannot read", .path.display())]
    Garbled {
        /// The socket.
        path: PathBuf,
    },
}

/// Sends one question and waits for its answer, at most `patience` for each step.
///
/// # Errors
/// [`NoAnswer`], whose text is meant for people.
pub fn ask(socket: &Path, question: &Ask, patience: Duration) -> Result<Answer, NoAnswer> {
    let path = || socket.to_path_buf();
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => NoAnswer::Silent { path: path(), patience },
        _ => NoAnswer::NoAgent { path: path(), cause: in_words(&error) },
    };
    let mut line = serde_json::to_vec(question).map_err(|_| NoAnswer::Garbled { path: path() })?;
    line.push(b'\n');
    let mut stream = UnixStream::connect(socket).map_err(failed)?;
    stream.set_read_timeout(Some(patience)).map_err(failed)?;
    stream.set_write_timeout(Some(patience)).map_err(failed)?;
    match stream.write_all(&line) {
        // An agent that is too busy answers without listening.
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {}
        done => done.map_err(failed)?,
    }
    let mut answer = Vec::new();
    BufReader::new(stream.take(ANSWER_MAX_BYTES)).read_until(b'\n', &mut answer).map_err(failed)?;
    serde_json::from_slice(&answer).map_err(|_| NoAnswer::Garbled { path: path() })
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such socket".to_owned(),
        io::ErrorKind::ConnectionRefused => "nobody listens there".to_owned(),
        io::ErrorKind::PermissionDenied => "this account may not open it".to_owned(),
        _ => error.to_string(),
    }
}
