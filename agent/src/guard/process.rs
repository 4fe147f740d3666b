//! A process over its life: its id and when it started, so that the next process of the same id is not taken for it.

use std::fs;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// One process, and no other that may get its id later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// When it started, in the kernel's ticks since boot; `None` where `/proc` hides it.
    pub started: Option<u64>,
}

/// Looks processes up.
#[derive(Clone, Debug)]
pub struct Processes {
    proc: PathBuf,
}

impl Default for Processes {
    fn default() -> Self {
        Self { proc: PathBuf::from("/proc") }
    }
}

impl Processes {
    /// The process that has this id now; `None` where there is none, or where it has ended and waits to be reaped.
    #[must_use]
    pub fn find(&self, pid: u32) -> Option<Process> {
        match read_stat(&self.proc, pid) {
            Some((state, started)) => (!is_over(state)).then_some(Process { pid, started: Some(started) }),
            None => exists(pid).then_some(Process { pid, started: None }),
        }
    }

    /// Whether it runs still.
    #[must_use]
    pub fn is_alive(&self, process: &Process) -> bool {
        match (read_stat(&self.proc, process.pid), process.started) {
            (Some((state, started)), Some(then)) => !is_over(state) && started == then,
            (Some((state, _)), None) => !is_over(state),
            // Hidden, or gone: signalling it tells which.
            (None, _) => exists(process.pid),
        }
    }
}

/// A zombie or worse.
fn is_over(state: char) -> bool {
    matches!(state, 'Z' | 'X' | 'x')
}

/// State and start. The name in between may hold anything, brackets and spaces among it.
fn read_stat(proc: &Path, pid: u32) -> Option<(char, u64)> {
    let text = fs::read_to_string(proc.join(pid.to_string()).join("stat")).ok()?;
    parse_stat(&text)
}

fn parse_stat(text: &str) -> Option<(char, u64)> {
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    // The third field is the state, the twenty-second the start.
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// No permission to signal it means that it is there.
fn exists(pid: u32) -> bool {
    let Ok(pid) = i32::try_from(pid) else { return false };
    pid > 0 && matches!(kill(Pid::from_raw(pid), None), Ok(()) | Err(Errno::EPERM))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_brackets_do_not_shift_the_fields() {
        let text = "4711 (a) b) (c) S 1 4711 4711 0 -1 4194560 100 0 0 0 1 2 3 4 20 0 1 0 987654 1000 200 18446744";
        assert_eq!(parse_stat(text), Some(('S', 987_654)));
        assert_eq!(parse_stat("4711 (x) S 1"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_process_is_alive_until_it_ends_and_its_id_alone_is_not_enough() {
        let processes = Processes::default();
        let own = processes.find(std::process::id()).expect("we run");
        assert!(processes.is_alive(&own));
        assert!(!processes.is_alive(&Process { started: own.started.map(|at| at + 1), ..own }), "another of that id");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        let known = processes.find(child.id()).expect("it runs");
        assert!(processes.is_alive(&known));
        child.kill().expect("alive");
        // Nobody has waited for it yet: it is a zombie at most.
        while processes.is_alive(&known) {
            std::thread::yield_now();
        }
        assert_eq!(processes.find(known.pid), None);
        child.wait().expect("ended");
        assert!(!processes.is_alive(&known));
    }

    #[test]
    fn what_is_hidden_counts_as_there() {
        let hidden = Processes { proc: PathBuf::from("/nonexistent") };
        let own = hidden.find(std::process::id()).expect("we run");
        assert_eq!(own.started, None);
        assert!(hidden.is_alive(&own));
        assert_eq!(hidden.find(0), None);
        assert_eq!(hidden.find(u32::MAX), None);
    }
}
