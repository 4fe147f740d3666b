//! Runs the real program.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

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

pub fn run(command: &mut Command) -> Said {
    said(command.output().expect("berth runs"))
}

pub fn said(output: Output) -> Said {
    let text = |bytes| String::from_utf8(bytes).expect("utf-8");
    let said = Said { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
    said
}
