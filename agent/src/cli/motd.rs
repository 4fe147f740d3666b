//! `berth motd`: the message at login.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use domain::wire::guard_v1::{Answer, Ask};

use super::{SocketOption, print, status};
use crate::guard::client::ask;

/// Nobody waits longer for a shell because of this.
const PATIENCE: Duration = Duration::from_millis(500);

/// Print what needs your eye, and nothing otherwise: for the message at login
///
/// `sudo berth enrol` has every login shell run it. It prints what the portal has told you and you have not read yet, and
/// is silent where there is nothing, or no agent.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    socket: SocketOption,
}

pub(super) fn run(options: &Options) -> ExitCode {
    // Whatever goes wrong is no business of somebody who logs in; `berth status` says it.
    let Ok(Answer::Notices { notices }) = ask(&options.socket.socket, &Ask::Notices, PATIENCE) else {
        return ExitCode::SUCCESS;
    };
    if notices.is_empty() {
        return ExitCode::SUCCESS;
    }
    let lines: Vec<String> = status::told(&notices).into_iter().map(|line| format!("berth: {line}")).collect();
    print(&lines.join("\n"))
}
