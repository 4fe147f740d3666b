//! What installing a service asks of the machine: programs to run, accounts and groups to look up.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use nix::unistd::{Group, User};

use crate::clean::clean;

/// An account of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// User id.
    pub uid: u32,
    /// Group id.
    pub gid: u32,
}

/// The machine, or what stands for it in a test.
pub trait System {
    /// Runs a program to its end; what it says goes nowhere.
    ///
    /// # Errors
    /// What it said on standard error, or why it did not run, in one line.
    fn run(&self, program: &str, args: &[&OsStr]) -> Result<(), String>;

    /// A program is there.
    fn has_program(&self, program: &str) -> bool;

    /// An account, by its name.
    fn account(&self, name: &str) -> Option<Account>;

    /// A group of this name exists.
    fn has_group(&self, name: &str) -> bool;

    /// Version of systemd, where it is known.
    fn systemd_version(&self) -> Option<u32>;
}

/// The machine that we run on.
#[derive(Clone, Copy, Debug)]
pub struct ThisMachine;

impl System for ThisMachine {
    fn run(&self, program: &str, args: &[&OsStr]) -> Result<(), String> {
        let output = Command::new(program).args(args).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{program} cannot be run: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it gave no reason");
        Err(format!("{program} failed: {}", clean(said)))
    }

    fn has_program(&self, program: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    }

    fn account(&self, name: &str) -> Option<Account> {
        let user = User::from_name(name).ok().flatten()?;
        Some(Account { uid: user.uid.as_raw(), gid: user.gid.as_raw() })
    }

    fn has_group(&self, name: &str) -> bool {
        Group::from_name(name).ok().flatten().is_some()
    }

    fn systemd_version(&self) -> Option<u32> {
        let output = Command::new("systemctl").arg("--version").stdin(Stdio::null()).output().ok()?;
        version(&String::from_utf8_lossy(&output.stdout))
    }
}

/// The number in `systemd 252 (252.39-1~deb12u2)`.
fn version(said: &str) -> Option<u32> {
    said.lines().next()?.strip_prefix("systemd ")?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systemd_says_its_version() {
        assert_eq!(version("systemd 252 (252.39-1~deb12u2)\n+PAM"), Some(252));
        assert_eq!(version("systemd 239-82.el8"), Some(239));
        assert_eq!(version("OpenRC 0.45"), None);
    }

    #[test]
    fn a_program_that_fails_says_why_in_one_line() {
        let fails = ["-c".as_ref(), "echo; echo 'no\u{1b}[2J such unit' >&2; echo more >&2; exit 3".as_ref()];
        assert_eq!(ThisMachine.run("sh", &fails), Err("sh failed: no?[2J such unit".to_owned()));
        assert_eq!(ThisMachine.run("sh", &["-c".as_ref(), "exit 0".as_ref()]), Ok(()));
        assert!(ThisMachine.run("/no/such/program", &[]).is_err_and(|why| why.contains("cannot be run")));
        assert!(ThisMachine.has_program("sh") && !ThisMachine.has_program("no-such-program"));
        assert_eq!(ThisMachine.account("root"), Some(Account { uid: 0, gid: 0 }));
    }
}
