//! Whose a process is, and what it was started as.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;

use super::accounts::Accounts;
use super::command;

/// Longest piece of a command line that is looked at, in bytes.
const COMMAND_MAX: u64 = 4096;

/// Who a process belongs to; empty where it is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) os_user: Option<String>,
    pub(super) command: Option<String>,
}

/// Looks processes up, each once a round: one that uses eight cards is on eight lists.
pub(super) struct Attribution {
    accounts: Accounts,
    seen: HashMap<u32, Owner>,
}

impl Attribution {
    pub(super) fn new() -> Self {
        Self { accounts: Accounts::default(), seen: HashMap::new() }
    }

    /// Forgets the processes of the round before; their ids may be others' now.
    pub(super) fn begin_round(&mut self) {
        self.seen.clear();
    }

    /// Owner and command of a process.
    pub(super) fn of(&mut self, pid: u32) -> Owner {
        let accounts = &mut self.accounts;
        self.seen.entry(pid).or_insert_with(|| look_up(pid, accounts)).clone()
    }
}

fn look_up(pid: u32, accounts: &mut Accounts) -> Owner {
    // NVML may still list a process that has ended since.
    let Ok(folder) = fs::metadata(format!("/proc/{pid}")) else { return Owner::default() };
    Owner { os_user: Some(accounts.name(folder.uid())), command: command_of(pid) }
}

fn command_of(pid: u32) -> Option<String> {
    let mut raw = Vec::new();
    let file = File::open(format!("/proc/{pid}/cmdline")).ok()?;
    file.take(COMMAND_MAX).read_to_end(&mut raw).ok()?;
    if !raw.is_empty() {
        return command::line(&raw, raw.len() as u64 == COMMAND_MAX);
    }
    // Kernel threads and processes that have ended but are still listed have only a name.
    let name = fs::read(format!("/proc/{pid}/comm")).ok()?;
    command::line(name.trim_ascii_end(), false).map(|name| format!("[{name}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_somebodys() {
        let mut attribution = Attribution::new();
        let owner = attribution.of(std::process::id());
        let own = nix::unistd::Uid::effective();
        let name = nix::unistd::User::from_uid(own).ok().flatten().map_or(format!("uid:{own}"), |user| user.name);
        assert_eq!(owner.os_user, Some(name));
        assert!(owner.command.is_some_and(|command| command.contains("agent")));
    }

    #[test]
    fn a_process_that_is_gone_is_nobodys() {
        // Above every kernel's limit, so it never is anybody's.
        assert_eq!(Attribution::new().of(u32::MAX - 1), Owner::default());
    }
}
