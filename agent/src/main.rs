//! The `berth` program: parses the command line, runs one command, and ends with its exit code.

use std::process::ExitCode;

use agent::cli::Cli;

fn main() -> ExitCode {
    Cli::read().run()
}
