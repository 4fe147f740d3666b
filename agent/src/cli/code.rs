//! One-time codes, read from a terminal, a pipe or a file. Never from an argument that everybody on the host could
//! read, except where the code is worth nothing to others.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::signalfd::SignalFd;
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};

/// Longest input looked at, in bytes.
const MAX_BYTES: u64 = 4096;

/// Reads a code from standard input. On a terminal it is asked for, and not shown: it would stay there after it failed.
///
/// # Errors
/// A sentence for the person.
pub(super) fn read_code(prompt: &str) -> Result<String, String> {
    let stdin = io::stdin();
    let cannot = |cause: String| format!("The code cannot be read: {cause}.");
    if !stdin.is_terminal() {
        return first_line(stdin.lock()).map_err(cannot);
    }
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "{prompt} (it is not shown): ");
    let _ = stderr.flush();
    hidden_line(&stdin).map_err(|error| cannot(error.to_string()))?;
    let _ = writeln!(stderr);
    first_line(stdin.lock()).map_err(cannot)
}

/// Reads a code from a file that nobody else may read. A pipe is nobody else's anyway.
///
/// # Errors
/// A sentence for the person.
pub(super) fn read_code_file(path: &Path) -> Result<String, String> {
    let cannot = |cause: String| format!("The code cannot be read from {}: {cause}.", path.display());
    let file = File::open(path).map_err(|error| cannot(error.to_string()))?;
    let about = file.metadata().map_err(|error| cannot(error.to_string()))?;
    if about.is_file() && about.mode() & 0o077 != 0 {
        return Err(cannot(format!(
            "other accounts may read it (mode {:04o}). Run chmod 600 on it, or get another code if somebody may have",
            about.mode() & 0o777
        )));
    }
    first_line(io::BufReader::new(file)).map_err(cannot)
}

fn first_line(input: impl BufRead) -> Result<String, String> {
    let mut line = Vec::new();
    input.take(MAX_BYTES).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
    let code = String::from_utf8(line).map_err(|_| "it is not text".to_owned())?;
    let code = code.trim();
    if code.is_empty() { Err("there is none".to_owned()) } else { Ok(code.to_owned()) }
}

/// A terminal that does not show what is typed, until this is dropped.
struct Quiet<'a, T: AsFd> {
    terminal: &'a T,
    before: Termios,
}

impl<'a, T: AsFd> Quiet<'a, T> {
    fn begin(terminal: &'a T) -> nix::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut quiet = before.clone();
        quiet.local_flags.remove(LocalFlags::ECHO);
        tcsetattr(terminal, SetArg::TCSAFLUSH, &quiet)?;
        Ok(Self { terminal, before })
    }
}

impl<T: AsFd> Drop for Quiet<'_, T> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.terminal, SetArg::TCSADRAIN, &self.before);
    }
}

/// Waits until a line has been typed, unseen. Whoever ends or stops the program meanwhile gets a terminal back that shows
/// what is typed.
fn hidden_line(terminal: &impl AsFd) -> nix::Result<()> {
    let ends = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGTSTP]);
    // Before anything is hidden, so that there is no moment in which they would leave it so.
    ends.thread_block()?;
    let outcome = Quiet::begin(terminal).and_then(|_quiet| wait(terminal, &ends));
    ends.thread_unblock()?;
    outcome
}

fn wait(terminal: &impl AsFd, ends: &SigSet) -> nix::Result<()> {
    let signals = SignalFd::new(ends)?;
    loop {
        let mut both =
            [PollFd::new(terminal.as_fd(), PollFlags::POLLIN), PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        match poll(&mut both, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
        if both[1].any() == Some(true) {
            let Some(info) = signals.read_signal()? else { continue };
            let signal = Signal::try_from(i32::try_from(info.ssi_signo).unwrap_or(Signal::SIGTERM as i32))?;
            act_on(terminal, ends, signal)?;
        } else if both[0].any() == Some(true) {
            return Ok(());
        }
    }
}

/// Lets a signal do what it does, with the terminal as it was meanwhile.
fn act_on(terminal: &impl AsFd, ends: &SigSet, signal: Signal) -> nix::Result<()> {
    let mut quiet = tcgetattr(terminal)?;
    let mut shown = quiet.clone();
    shown.local_flags.insert(LocalFlags::ECHO);
    tcsetattr(terminal, SetArg::TCSADRAIN, &shown)?;
    let _ = writeln!(io::stderr());
    raise(signal)?;
    ends.thread_unblock()?;
    // Only after a stop does it go on here.
    ends.thread_block()?;
    quiet.local_flags.remove(LocalFlags::ECHO);
    tcsetattr(terminal, SetArg::TCSAFLUSH, &quiet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_without_its_edges() {
        assert_eq!(first_line(&b"  ABCD-1234 \r\nrest"[..]), Ok("ABCD-1234".to_owned()));
        for bad in [&b""[..], b"\n", b"  \nABCD", b"\xff\xfe\n"] {
            assert!(first_line(bad).is_err(), "{bad:?}");
        }
    }
}
