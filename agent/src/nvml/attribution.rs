//! Whose a process is, what it was started as and when, and what it runs in.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use domain::card::{Container, ProcessState};
use time::OffsetDateTime;

use super::accounts::Accounts;
use super::{cgroup, command};

/// Longest piece of a command line that is looked at, in bytes.
const COMMAND_MAX: u64 = 4096;
/// Longest piece of any other file, in bytes.
const FILE_MAX: u64 = 16 * 1024;
/// What is known of a process is looked up again after so many rounds: it may have become another program.
const AGAIN_ROUNDS: u32 = 10;
/// Clock ticks a second, in what the kernel tells programs.
const TICKS: u64 = 100;

/// What could be found out about a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) state: ProcessState,
    pub(super) os_user: Option<String>,
    pub(super) command: Option<String>,
    pub(super) started_at: Option<OffsetDateTime>,
    pub(super) container: Option<Container>,
}

/// Looks processes up, each once a round: one that uses eight cards is on eight lists.
pub(super) struct Attribution {
    proc: PathBuf,
    /// Whether ids of processes are those of `proc`. Another namespace's number may be anybody's here.
    sees: bool,
    accounts: Accounts,
    entries: HashMap<u32, Entry>,
    round: u32,
    booted_at: Option<i64>,
}

struct Entry {
    /// Tells one process from the next of the same id; `None` where it is gone.
    started: Option<u64>,
    owner: Owner,
    looked_up: u32,
    /// Last round in which it was on a list.
    listed: u32,
}

impl Attribution {
    pub(super) fn new(proc: &Path, sees: bool) -> Self {
        Self {
            proc: proc.to_path_buf(),
            sees,
            accounts: Accounts::default(),
            entries: HashMap::new(),
            round: 0,
            booted_at: None,
        }
    }

    /// Forgets the processes that no list had in the round before.
    pub(super) fn begin_round(&mut self) {
        let before = self.round;
        self.entries.retain(|_, entry| entry.listed == before);
        self.round = self.round.wrapping_add(1);
    }

    /// Owner and command of a process.
    pub(super) fn of(&mut self, pid: u32) -> Owner {
        if !self.sees {
            return Owner { state: ProcessState::Unseen, ..Owner::default() };
        }
        let round = self.round;
        if let Some(entry) = self.entries.get(&pid).filter(|entry| entry.listed == round) {
            return entry.owner.clone();
        }
        let (owner, started, looked_up) = self.look(pid);
        self.entries.insert(pid, Entry { started, owner: owner.clone(), looked_up, listed: round });
        owner
    }

    fn look(&mut self, pid: u32) -> (Owner, Option<u64>, u32) {
        // Half of the processes are looked at in each round: most of a round's time goes into this.
        if let Some(entry) = self.entries.get(&pid).filter(|entry| entry.started.is_some())
            && self.round.wrapping_add(pid) % 2 == 1
        {
            return (entry.owner.clone(), entry.started, entry.looked_up);
        }
        let folder = self.proc.join(pid.to_string());
        let alive = text(&folder.join("stat"), FILE_MAX).as_deref().and_then(stat);
        let known = self.entries.get(&pid);
        let Some(Alive { started, is_zombie }) = alive else {
            // One that ends while it is looked at is none that has left its memory behind.
            let state = if known.is_some_and(|entry| entry.started.is_none()) {
                ProcessState::Orphan
            } else {
                ProcessState::Running
            };
            return (Owner { state, ..Owner::default() }, None, self.round);
        };
        if let Some(entry) = known.filter(|entry| entry.started == Some(started))
            && !is_zombie
            && self.round.wrapping_sub(entry.looked_up) < AGAIN_ROUNDS
        {
            return (entry.owner.clone(), Some(started), entry.looked_up);
        }
        let uid = real_uid(&folder);
        let owner = Owner {
            state: if is_zombie { ProcessState::Orphan } else { ProcessState::Running },
            os_user: uid.map(|uid| self.accounts.name(uid)),
            command: command_of(&folder),
            started_at: self.started_at(started),
            container: text(&folder.join("cgroup"), FILE_MAX).as_deref().and_then(cgroup::container),
        };
        // A name that the directory still owes us is asked for again in the next round.
        let pending = uid.is_some_and(|uid| self.accounts.is_waiting_for(uid));
        let looked_up = if pending { self.round.wrapping_sub(AGAIN_ROUNDS) } else { self.round };
        (owner, Some(started), looked_up)
    }

    /// By the start of the kernel as it was when it was first needed, so that no start moves when the clock is put right.
    fn started_at(&mut self, ticks: u64) -> Option<OffsetDateTime> {
        if self.booted_at.is_none() {
            let stat = fs::read_to_string(self.proc.join("stat")).ok()?;
            self.booted_at = stat.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok());
        }
        let seconds = i64::try_from(ticks / TICKS).ok()?.checked_add(self.booted_at?)?;
        OffsetDateTime::from_unix_timestamp(seconds).ok()
    }
}

struct Alive {
    started: u64,
    is_zombie: bool,
}

/// Fields 3 and 22. The second is the program's name, which may hold blanks and brackets.
fn stat(text: &str) -> Option<Alive> {
    let (_, after_name) = text.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace();
    let is_zombie = matches!(fields.next()?, "Z" | "X");
    Some(Alive { started: fields.nth(18)?.parse().ok()?, is_zombie })
}

/// The account that started it. Its folder belongs to root where the process hides its memory, so that is second best.
fn real_uid(folder: &Path) -> Option<u32> {
    let status = text(&folder.join("status"), FILE_MAX).unwrap_or_default();
    let told = status.lines().find_map(|line| line.strip_prefix("Uid:")?.split_ascii_whitespace().next()?.parse().ok());
    told.or_else(|| fs::metadata(folder).ok().map(|meta| meta.uid()))
}

fn command_of(folder: &Path) -> Option<String> {
    let raw = bytes(&folder.join("cmdline"), COMMAND_MAX)?;
    if !raw.is_empty() {
        return command::line(&raw, raw.len() as u64 == COMMAND_MAX);
    }
    // Kernel threads and processes that have ended but are still listed have only a name.
    let name = bytes(&folder.join("comm"), FILE_MAX)?;
    command::line(name.trim_ascii_end(), false).map(|name| format!("[{name}]"))
}

fn text(path: &Path, max: u64) -> Option<String> {
    bytes(path, max).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn bytes(path: &Path, max: u64) -> Option<Vec<u8>> {
    let mut raw = Vec::new();
    File::open(path).ok()?.take(max).read_to_end(&mut raw).ok()?;
    Some(raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::card::Runtime;
    use time::macros::datetime;

    fn here() -> Attribution {
        Attribution::new(Path::new("/proc"), true)
    }

    /// A process of a made-up machine.
    fn lay(proc: &Path, pid: u32, state: char, started: u64) {
        let folder = proc.join(pid.to_string());
        fs::create_dir_all(&folder).expect("folder");
        let fields: Vec<String> = (4..22).map(|field| field.to_string()).collect();
        let stat = format!("{pid} (a) b) {state} {} {started} 0", fields.join(" "));
        fs::write(folder.join("stat"), stat).expect("stat");
        fs::write(folder.join("status"), "Name:\tx\nUid:\t0\t4\t0\t0\n").expect("status");
        fs::write(folder.join("cmdline"), format!("job-{started}\0")).expect("cmdline");
        fs::write(folder.join("cgroup"), "0::/system.slice/train.service\n").expect("cgroup");
        fs::write(proc.join("stat"), "btime 1764504000\n").expect("stat");
    }

    #[test]
    fn this_process_is_somebodys() {
        let owner = here().of(std::process::id());
        let own = nix::unistd::Uid::current();
        let name = nix::unistd::User::from_uid(own).ok().flatten().map_or(format!("uid:{own}"), |user| user.name);
        assert_eq!(owner.os_user, Some(name));
        assert!(owner.command.is_some_and(|command| command.contains("agent")));
        assert!(owner.started_at.is_some_and(|at| at <= OffsetDateTime::now_utc()));
    }

    #[test]
    fn everything_that_the_kernel_tells() {
        let proc = tempfile::tempdir().expect("folder");
        lay(proc.path(), 7, 'S', 1234);
        let owner = Attribution::new(proc.path(), true).of(7);
        assert_eq!(owner.state, ProcessState::Running);
        assert_eq!(owner.os_user.as_deref(), Some("root"));
        assert_eq!(owner.command.as_deref(), Some("job-1234"));
        assert_eq!(owner.started_at, Some(datetime!(2025-11-30 12:00:12 UTC)));
        let unit = Container { runtime: Runtime::SystemdUnit, id: "train.service".to_owned() };
        assert_eq!(owner.container, Some(unit));
    }

    #[test]
    fn a_process_that_is_gone_is_an_orphan_once_it_stays() {
        let proc = tempfile::tempdir().expect("folder");
        let mut attribution = Attribution::new(proc.path(), true);
        attribution.begin_round();
        assert_eq!(attribution.of(7), Owner::default(), "it may have ended this very moment");
        for _ in 0..3 {
            attribution.begin_round();
            assert_eq!(attribution.of(7), Owner { state: ProcessState::Orphan, ..Owner::default() });
        }
        lay(proc.path(), 8, 'Z', 1);
        assert_eq!(attribution.of(8).state, ProcessState::Orphan, "ended, and not even its parent cares");
    }

    #[test]
    fn a_number_that_another_process_has_now_is_that_process() {
        let proc = tempfile::tempdir().expect("folder");
        let mut attribution = Attribution::new(proc.path(), true);
        lay(proc.path(), 7, 'S', 100);
        attribution.begin_round();
        assert_eq!(attribution.of(7).command.as_deref(), Some("job-100"));
        lay(proc.path(), 7, 'S', 200);
        assert_eq!(attribution.of(7).command.as_deref(), Some("job-100"), "once a round");
        for _ in 0..2 {
            attribution.begin_round();
            attribution.of(7);
        }
        assert_eq!(attribution.of(7).command.as_deref(), Some("job-200"));
    }

    #[test]
    fn numbers_of_another_namespace_are_never_looked_up() {
        let proc = tempfile::tempdir().expect("folder");
        lay(proc.path(), 7, 'S', 100);
        let owner = Attribution::new(proc.path(), false).of(7);
        assert_eq!(owner, Owner { state: ProcessState::Unseen, ..Owner::default() });
    }
}
