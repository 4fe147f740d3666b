//! `berth link`: proves to the portal that this account is the caller's.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use domain::wire::guard_v1::{Answer, Ask};

use super::code::read_code;
use super::{EXIT_FAILED, SocketOption, print, say, start_agent_hint};
use crate::clean::clean;
use crate::guard::client::ask;

/// The agent asks the portal, which may be slow.
const PATIENCE: Duration = Duration::from_secs(15);

/// Tell the portal that this account on this host is yours
///
/// Get a code on your account page in the portal; it is good for ten minutes and for one use.
#[derive(Debug, Args)]
pub struct Options {
    /// The code [default: asked for]
    code: Option<String>,

    #[command(flatten)]
    socket: SocketOption,
}

pub(super) fn run(options: &Options) -> ExitCode {
    match link(options) {
        Ok(name) => print(&format!("This account belongs to {} in the portal now.", clean(&name))),
        Err(message) => {
            say(&format!("berth: not linked. {message}"));
            ExitCode::from(EXIT_FAILED)
        }
    }
}

fn link(options: &Options) -> Result<String, String> {
    let code = match &options.code {
        Some(code) if code.trim().is_empty() => return Err("The code is empty.".to_owned()),
        Some(code) => code.trim().to_owned(),
        None => read_code("Code from your account page in the portal")?,
    };
    match ask(&options.socket.socket, &Ask::Link { code }, PATIENCE) {
        Ok(Answer::Linked { name }) => Ok(name),
        Ok(Answer::Failed { message }) => Err(clean(&message)),
        Ok(_) => Err("The agent answers another question than was asked.".to_owned()),
        Err(error) => Err(format!("The reason: {error}.\n{}", start_agent_hint())),
    }
}
