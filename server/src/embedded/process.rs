//! One running Postgres: starting it, taking over one that runs, stopping it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::{ConnectOptions, Connection, PgConnection};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use super::account::Account;
use super::{ClusterError, Durability, Folder, NAME, PORT, Programs, options};
use crate::error::chain;
use crate::store;

/// Longest start, crash recovery included.
const START: Duration = Duration::from_secs(300);
/// Longest fast shutdown before it is told to drop everything.
const FAST: Duration = Duration::from_secs(20);
/// Longest time after that.
const IMMEDIATE: Duration = Duration::from_secs(5);
/// Largest log that is kept on at a start, in bytes.
const LOG_MAX: u64 = 8 * 1024 * 1024;

/// The running Postgres of this process, for an end without time to ask; 0 where there is none.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Tells the private Postgres to drop everything at once; what is committed stays.
pub fn end_at_once() {
    match RUNNING.load(Ordering::SeqCst) {
        0 => {}
        pid => {
            let _ = kill(Pid::from_raw(pid), Signal::SIGQUIT);
        }
    }
}

/// All that it takes to start Postgres.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Where its data is.
    pub folder: Folder,
    /// Its programs.
    pub programs: Programs,
    /// Who runs it.
    pub account: Account,
    /// Whether the data matters.
    pub durability: Durability,
}

/// A Postgres that runs.
pub enum Running {
    /// Started by us.
    Child(Child, Pid),
    /// Started by a portal that was killed.
    Adopted(Pid),
}

impl Launch {
    /// The same account and surroundings for each of its programs.
    pub fn environment(&self, command: &mut Command) {
        self.account.apply(command);
        command.env_clear().env("LC_ALL", "C.UTF-8").env("PATH", "/usr/local/bin:/usr/bin:/bin").current_dir("/");
    }

    /// Starts it, and returns once it accepts connections.
    pub async fn start(&self) -> Result<Running, ClusterError> {
        self.folder.make_socket_dir(&self.account)?;
        let log = self.open_log()?;
        let begin = log.metadata().map_or(0, |meta| meta.len());
        let twin = log.try_clone().map_err(|error| ClusterError::folder(&self.folder.log(), &error))?;
        let mut command = Command::new(self.programs.dir.join("postgres"));
        command.arg("-D").arg(self.folder.cluster());
        for setting in self.settings() {
            command.arg("-c").arg(setting);
        }
        self.environment(&mut command);
        command.stdin(Stdio::null()).stdout(log).stderr(twin);
        // In a group of its own: Ctrl-C on the terminal is for the portal, which stops Postgres when it is done.
        command.process_group(0);
        let child = command.spawn().map_err(|error| ClusterError::folder(&self.programs.dir, &error))?;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).map(Pid::from_raw);
        let Some(pid) = pid else { return Err(self.failed(begin)) };
        RUNNING.store(pid.as_raw(), Ordering::SeqCst);
        let mut running = Running::Child(child, pid);

        let deadline = Instant::now() + START;
        while Instant::now() < deadline {
            tokio::select! {
                () = running.ended() => {
                    RUNNING.store(0, Ordering::SeqCst);
                    return Err(self.failed(begin));
                }
                answers = self.answers() => if answers {
                    tracing::info!(pid = pid.as_raw(), version = self.programs.major, "private Postgres runs");
                    return Ok(running);
                },
            }
            sleep(Duration::from_millis(50)).await;
        }
        running.stop().await;
        Err(self.failed(begin))
    }

    /// Takes over the Postgres that a killed portal left running on this folder, or stops it where it does not answer.
    pub async fn adopt(&self) -> Result<Option<Running>, ClusterError> {
        let Some(pid) = left_running(&self.folder.cluster()) else {
            remove_misleading_pid_file(&self.folder.cluster());
            return Ok(None);
        };
        let mut running = Running::Adopted(pid);
        if timeout(Duration::from_secs(5), self.answers()).await.unwrap_or(false) {
            tracing::warn!(pid = pid.as_raw(), "took over the private Postgres that was left running");
            RUNNING.store(pid.as_raw(), Ordering::SeqCst);
            return Ok(Some(running));
        }
        tracing::warn!(pid = pid.as_raw(), "stopping a private Postgres that was left running and does not answer");
        running.stop().await;
        Ok(None)
    }

    /// Makes the database inside, if it is not there.
    pub async fn ensure_database(&self) -> Result<(), ClusterError> {
        let failed = |error: &(dyn std::error::Error + 'static)| ClusterError::Failed {
            said: chain(error),
            log: self.folder.log(),
        };
        let mut connection = self.connect().await.map_err(|error| failed(&error))?;
        store::cluster::ensure_database(&mut connection, NAME).await.map_err(|error| failed(&error))?;
        let _ = connection.close().await;
        Ok(())
    }

    async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        options(&self.folder).database("postgres").disable_statement_logging().connect().await
    }

    async fn answers(&self) -> bool {
        match self.connect().await {
            Ok(connection) => connection.close().await.is_ok(),
            Err(_) => false,
        }
    }

    fn settings(&self) -> Vec<String> {
        // A list with quoting of its own.
        let socket_dir = self.folder.socket_dir().to_string_lossy().replace('"', "\"\"");
        let mut settings = vec![
            "listen_addresses=".to_owned(),
            format!("unix_socket_directories=\"{socket_dir}\""),
            "unix_socket_permissions=0700".to_owned(),
            format!("port={PORT}"),
            "logging_collector=off".to_owned(),
            "log_destination=stderr".to_owned(),
            "log_min_messages=warning".to_owned(),
            "log_checkpoints=off".to_owned(),
            // Statements can hold what people typed.
            "log_min_error_statement=panic".to_owned(),
            "shared_buffers=128MB".to_owned(),
            "timezone=UTC".to_owned(),
        ];
        match self.durability {
            Durability::Full => settings.push("max_connections=50".to_owned()),
            Durability::None => settings.extend(
                ["max_connections=300", "fsync=off", "synchronous_commit=off", "full_page_writes=off"]
                    .map(str::to_owned),
            ),
        }
        settings
    }

    fn open_log(&self) -> Result<File, ClusterError> {
        let path = self.folder.log();
        if path.metadata().is_ok_and(|meta| meta.len() > LOG_MAX) {
            let _ = std::fs::rename(&path, path.with_extension("log.1"));
        }
        let open = OpenOptions::new().append(true).create(true).open(&path);
        open.map_err(|error| ClusterError::folder(&path, &error))
    }

    /// What it said since `begin`.
    fn failed(&self, begin: u64) -> ClusterError {
        let path = self.folder.log();
        let mut said = Vec::new();
        if let Ok(mut log) = File::open(&path)
            && log.seek(SeekFrom::Start(begin)).is_ok()
        {
            let _ = log.take(64 * 1024).read_to_end(&mut said);
        }
        ClusterError::failed(self.folder.root(), &path, &String::from_utf8_lossy(&said))
    }
}

impl Running {
    fn pid(&self) -> Pid {
        match self {
            Self::Child(_, pid) | Self::Adopted(pid) => *pid,
        }
    }

    /// Returns when it is gone.
    pub async fn ended(&mut self) {
        match self {
            Self::Child(child, _) => {
                let _ = child.wait().await;
            }
            Self::Adopted(pid) => {
                while is_alive(*pid) {
                    sleep(Duration::from_millis(200)).await;
                }
            }
        }
    }

    /// Cuts its sessions and lets it write everything down; without patience if that takes too long.
    pub async fn stop(&mut self) {
        for (signal, patience) in [(Signal::SIGINT, FAST), (Signal::SIGQUIT, IMMEDIATE)] {
            let _ = kill(self.pid(), signal);
            if timeout(patience, self.ended()).await.is_ok() {
                RUNNING.store(0, Ordering::SeqCst);
                return;
            }
            tracing::warn!(pid = self.pid().as_raw(), ?signal, "private Postgres does not stop");
        }
    }
}

/// The Postgres that runs on this cluster, by what it wrote down about itself: the file may be stale, and its number
/// another program's by now.
fn left_running(cluster: &Path) -> Option<Pid> {
    let written = std::fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    let pid = Pid::from_raw(written.lines().next()?.trim().parse().ok()?);
    let its_folder: PathBuf = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    (is_alive(pid) && its_folder == cluster).then_some(pid)
}

/// After a reboot the number in the file can be another program's, and Postgres would refuse to start because of it.
/// The file also guards against sessions of a dead Postgres, so it goes only where no process works in the cluster.
fn remove_misleading_pid_file(cluster: &Path) {
    let path = cluster.join("postmaster.pid");
    let Ok(written) = std::fs::read_to_string(&path) else { return };
    let pid = written.lines().next().and_then(|line| line.trim().parse().ok()).map(Pid::from_raw);
    let works_there = |entry: std::fs::DirEntry| {
        std::fs::read_link(entry.path().join("cwd")).is_ok_and(|folder| folder.starts_with(cluster))
    };
    let Ok(mut processes) = std::fs::read_dir("/proc") else { return };
    if pid.is_some_and(is_alive) && !processes.any(|entry| entry.is_ok_and(works_there)) {
        tracing::warn!(file = %path.display(), "removing the pid file of a Postgres that is gone: its number is another program's by now");
        let _ = std::fs::remove_file(path);
    }
}

/// Neither gone nor waiting for a parent that never asks.
fn is_alive(pid: Pid) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}
