//! `berth status`: who holds what on this host, and what is free.

use std::process::ExitCode;

use clap::Args;
use domain::wire::guard_v1::{Answer, Ask};

use super::{EXIT_FAILED, PATIENCE, SocketOption, print, say, start_agent_hint};
use crate::clean::clean;
use crate::guard::client::ask;
use crate::guard::explain;
use crate::guard::when::LocalClock;

/// Show your cards on this host, who holds the others until when, and what is free
#[derive(Debug, Args)]
pub struct Options {
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    socket: SocketOption,
}

pub(super) fn run(options: &Options) -> ExitCode {
    let fail = |message: String| {
        say(&message);
        ExitCode::from(EXIT_FAILED)
    };
    let status = match ask(&options.socket.socket, &Ask::Status, PATIENCE) {
        Ok(Answer::Status(status)) => status,
        Ok(Answer::Failed { message }) => return fail(format!("berth: {}", clean(&message))),
        Ok(_) => return fail("berth: the agent answers another question than was asked.".to_owned()),
        Err(error) => return fail(format!("berth: {error}.\n{}", start_agent_hint())),
    };
    if !options.json {
        return print(&explain::status(&status, &LocalClock::system()));
    }
    match serde_json::to_string_pretty(&status) {
        Ok(json) => print(&json),
        Err(error) => fail(format!("berth: {error}.")),
    }
}
