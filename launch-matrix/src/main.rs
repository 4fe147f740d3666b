//! Stands in the place of a program and writes down how it was started: its arguments and its variables.
//!
//! A stage (`tests/matrix/stage.rs`) makes files named `python`, `docker` and so on whose first line names this program.
//! So the kernel passes the path of that file, whatever a shell, an ssh server or tmux did to the environment, and the
//! record goes to `records` in the folder above it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

/// One start of a program.
#[derive(Serialize)]
struct Record {
    program: String,
    /// Without the program's own name. Bytes that are no UTF-8 come as U+FFFD.
    argv: Vec<String>,
    env: BTreeMap<String, String>,
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let Some(script) = args.next() else {
        eprintln!("launch-recorder: started without the script that names it");
        return ExitCode::from(64);
    };
    match record(Path::new(&script), args.map(|arg| arg.to_string_lossy().into_owned()).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("launch-recorder: {}: {error}", script.to_string_lossy());
            ExitCode::from(70)
        }
    }
}

fn record(script: &Path, argv: Vec<String>) -> std::io::Result<()> {
    let missing = || std::io::Error::other("a script in a folder of a stage is needed");
    // By its real place: over ssh it is found through a link.
    let script = script.canonicalize()?;
    let stage = script.parent().and_then(Path::parent).ok_or_else(missing)?;
    let program = script.file_name().ok_or_else(missing)?.to_string_lossy().into_owned();
    let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
    let env = std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect();
    let said = Record { program, argv, env };
    let mut line = serde_json::to_vec(&said)?;
    line.push(b'\n');
    // One write of a whole line: starts at the same moment stay apart.
    std::fs::OpenOptions::new().append(true).create(true).open(stage.join("records"))?.write_all(&line)
}
