//! A host: a state folder, a socket, and the real agent on them.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::eventually;
use super::portal::Portal;
use super::program::{Said, berth, finish, run};

pub struct Host {
    folder: TempDir,
    settings: Vec<(&'static str, PathBuf)>,
    unset: Vec<&'static str>,
}

impl Host {
    pub fn new() -> Self {
        let mut host = Self { folder: tempfile::tempdir().expect("folder"), settings: Vec::new(), unset: Vec::new() };
        // Whatever cards the machine has are no business of these tests.
        host.set("BERTH_NVML_LIBRARY", Path::new("/no/such/libnvidia-ml.so.1"));
        host
    }

    /// One more environment variable for every program of this host; a later one of the same name wins.
    pub fn set(&mut self, name: &'static str, value: &Path) {
        self.settings.push((name, value.to_path_buf()));
    }

    /// Leaves a variable of the tests' own out.
    pub fn unset(&mut self, name: &'static str) {
        self.unset.push(name);
    }

    /// Enrolled with this portal.
    pub fn of(portal: &Portal) -> Self {
        let host = Self::new();
        let said = host.enrol(&portal.url(), "GOOD-CODE\n");
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        host
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("run/agent.sock")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn berth(&self, args: &[&str]) -> Command {
        let mut command = berth(&self.socket(), args);
        command.env("BERTH_STATE_DIR", self.state()).env("BERTH_REPORT_EVERY", "100ms");
        for name in &self.unset {
            command.env_remove(name);
        }
        command.envs(self.settings.iter().map(|(name, value)| (*name, value)));
        command
    }

    pub fn run(&self, args: &[&str]) -> Said {
        run(&mut self.berth(args))
    }

    pub fn enrol(&self, url: &str, code: &str) -> Said {
        self.with_input(&["enrol", url], code)
    }

    pub fn with_input(&self, args: &[&str], input: &str) -> Said {
        let mut command = self.berth(args);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("berth runs");
        // A program that refuses before it reads has closed its end.
        let _ = child.stdin.take().expect("stdin").write_all(input.as_bytes());
        finish(child)
    }

    /// An agent that runs and answers.
    pub fn agent(&self) -> Agent {
        self.agent_with(&[])
    }

    pub fn agent_with(&self, args: &[&str]) -> Agent {
        let log = self.folder.path().join("agent.log");
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&log).expect("log");
        let mut command = self.berth(&["agent"]);
        let child = command.args(args).stderr(file).stdin(Stdio::null()).spawn().expect("berth runs");
        let mut agent = Agent { child, log };
        eventually("the agent answers", || {
            let ended = agent.child.try_wait().expect("child");
            assert!(ended.is_none(), "the agent has ended: {}", agent.log());
            // Not `berth status`, which answers without an agent too.
            UnixStream::connect(self.socket()).is_ok()
        });
        agent
    }
}

/// A running agent; ends with the test.
pub struct Agent {
    child: Child,
    log: PathBuf,
}

impl Agent {
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("log")
    }

    pub fn stop(mut self, signal: Signal) -> ExitStatus {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).expect("pid"));
        kill(pid, signal).expect("alive");
        self.child.wait().expect("ended")
    }

    pub fn kill(mut self) {
        self.child.kill().expect("alive");
        self.child.wait().expect("ended");
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        if !log.contains("panicked") || std::thread::panicking() {
            return;
        }
        panic!("the agent panicked: {log}");
    }
}
