//! The socket on which the agent answers: one short-lived thread for each question, bounded in number, time and size.

use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use domain::wire::guard_v1::{Answer, Ask};

use crate::guard::desk::Desk;
use crate::guard::peer;
use crate::log;

/// Longest question, in bytes.
const QUESTION_MAX_BYTES: usize = 64 * 1024;
/// A caller has this long to say its question, and again to take the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most questions at once.
const AT_ONCE_MAX: usize = 64;
/// NSS modules (LDAP, sssd) run on this stack.
const STACK_BYTES: usize = 256 * 1024;

/// Why the socket cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// It is somebody's already.
    #[error("another agent answers on {} already. Stop it first, or choose another socket with --socket", .0.display())]
    Taken(PathBuf),
    /// Something else has that name; nothing that is not a socket is ever removed.
    #[error("{} exists and is not a socket. Remove it, or choose another path with --socket", .0.display())]
    NotASocket(PathBuf),
    /// The folder or the socket cannot be made.
    #[error("cannot open the socket {}: {cause}. Run the agent as root, or choose another path with --socket", .path.display())]
    Failed {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
}

/// An open socket; the file goes with it.
#[derive(Debug)]
pub struct GuardSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl GuardSocket {
    /// Makes the folder where needed, removes a socket that nobody answers on, and listens for every account.
    ///
    /// # Errors
    /// [`SocketError`], whose text is meant for people.
    pub fn open(path: &Path) -> Result<Self, SocketError> {
        let failed = |cause| SocketError::Failed { path: path.to_path_buf(), cause };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        match fs::symlink_metadata(path) {
            Ok(there) if !there.file_type().is_socket() => return Err(SocketError::NotASocket(path.to_path_buf())),
            Ok(_) if UnixStream::connect(path).is_ok() => return Err(SocketError::Taken(path.to_path_buf())),
            Ok(_) => fs::remove_file(path).map_err(failed)?,
            Err(_) => {}
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        // Who may ask is decided by the account behind the connection, not by the file.
        fs::set_permissions(path, fs::Permissions::from_mode(0o666)).map_err(failed)?;
        Ok(Self { listener, path: path.to_path_buf() })
    }

    /// Answers on a thread of its own until the process ends.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn serve(self, desk: Arc<Desk>) -> io::Result<Counter> {
        let counter = Counter(Arc::new(AtomicUsize::new(0)));
        let busy = counter.clone();
        let accept = move || {
            for stream in self.listener.incoming() {
                match stream {
                    Ok(stream) => start(stream, &desk, &busy),
                    Err(error) => {
                        log::warn("a caller could not be let in", &[("error", &error)]);
                        // Out of descriptors: others must close first.
                        thread::sleep(Duration::from_millis(100));
                    }
                }
            }
        };
        thread::Builder::new().name("guard".to_owned()).stack_size(STACK_BYTES).spawn(accept)?;
        Ok(counter)
    }

    /// Where it listens.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Questions in progress.
#[derive(Clone, Debug)]
pub struct Counter(Arc<AtomicUsize>);

impl Counter {
    /// How many there are.
    #[must_use]
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    fn enter(&self) -> Option<Seat> {
        let seat = Seat(Arc::clone(&self.0));
        (self.0.fetch_add(1, Ordering::AcqRel) < AT_ONCE_MAX).then_some(seat)
    }
}

/// A place among the [`AT_ONCE_MAX`], given back when dropped.
struct Seat(Arc<AtomicUsize>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn start(stream: UnixStream, desk: &Arc<Desk>, busy: &Counter) {
    let Some(seat) = busy.enter() else {
        let message = "Too many programs ask this agent at once. Run it again in a moment.".to_owned();
        // It goes into the socket's empty buffer at once, so the accepting thread does not wait for the caller.
        let _ = reply(stream, &Answer::Failed { message });
        return;
    };
    let desk = Arc::clone(desk);
    let talk = move || {
        let _seat = seat;
        if let Err(error) = converse(stream, &desk) {
            log::debug("a caller went away", &[("error", &error)]);
        }
    };
    if let Err(error) = thread::Builder::new().name("ask".to_owned()).stack_size(STACK_BYTES).spawn(talk) {
        log::warn("no thread for a caller", &[("error", &error)]);
    }
}

fn converse(mut stream: UnixStream, desk: &Desk) -> io::Result<()> {
    let caller = peer::caller(&stream)?;
    let answer = match read_question(&mut stream)? {
        Some(question) => desk.answer(&caller, &question),
        None => Answer::Failed {
            message: "The agent cannot read this question. Is berth of the same version as the agent?".to_owned(),
        },
    };
    reply(stream, &answer)
}

/// One line of JSON, within the time and size allowed; `None` where it is no question.
fn read_question(stream: &mut UnixStream) -> io::Result<Option<Ask>> {
    let deadline = Instant::now() + PATIENCE;
    let mut line = Vec::new();
    let mut piece = [0u8; 4096];
    while !line.contains(&b'\n') {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut piece)?;
        line.extend_from_slice(&piece[..count]);
        if line.len() > QUESTION_MAX_BYTES {
            return Ok(None);
        }
        if count == 0 {
            break;
        }
    }
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(serde_json::from_slice(line).ok())
}

fn reply(mut stream: UnixStream, answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&line)
}
