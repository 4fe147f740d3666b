//! Runs the real program.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// `berth` with an environment of its own: nothing that the developer has set gets in.
pub fn berth<I: AsRef<OsStr>>(socket: &Path, args: impl IntoIterator<Item = I>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_berth"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TZ", "UTC").env("BERTH_SOCKET", socket).args(args);
    command
}

/// What a finished program has said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    pub fn first_line(&self) -> &str {
        self.stderr.lines().next().unwrap_or_default()
    }
}

/// Runs it to its end, without anything on standard input.
pub fn run(command: &mut Command) -> Said {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().expect("berth runs"))
}

/// Waits for the end; a program that goes on for ever fails the test.
pub fn finish(child: Child) -> Said {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("pid"));
    let (done, waiting) = channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    let Ok(output) = waiting.recv_timeout(Duration::from_secs(60)) else {
        kill(pid, Signal::SIGKILL).expect("alive");
        panic!("berth does not end");
    };
    said(output.expect("output"))
}

fn said(output: Output) -> Said {
    let text = |bytes| String::from_utf8(bytes).expect("utf-8");
    let said = Said { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
    said
}

/// A job that says something when it runs, and goes on until its input is closed.
pub struct Job {
    pub child: Child,
    pub said: String,
}

impl Job {
    pub fn start(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("berth runs");
        let mut said = String::new();
        BufReader::new(child.stdout.as_mut().expect("stdout")).read_line(&mut said).expect("a line");
        Self { child, said: said.trim().to_owned() }
    }

    pub fn end(mut self) -> Option<i32> {
        drop(self.child.stdin.take());
        self.child.wait().expect("ended").code()
    }
}
