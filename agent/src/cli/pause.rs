//! `berth agent pause` and `berth agent resume`: lets an administrator at the cards while the agent runs.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use domain::wire::guard_v1::{Answer, Ask};
use time::OffsetDateTime;

use super::agent::time;
use super::{EXIT_FAILED, SocketOption, print, say, start_agent_hint};
use crate::clean::clean;
use crate::guard::client::ask;
use crate::guard::desk::PAUSE_MAX_S;
use crate::guard::when::LocalClock;

/// The agent waits for its call into the driver to return.
const PATIENCE: Duration = Duration::from_secs(15);

/// Let go of the cards for a while, so that they can be reset and MIG be changed
///
/// The agent goes on: bookings count, the portal says that the host is paused. Nothing is started on its cards
/// meanwhile. Only root and the account that the agent runs as may do this.
#[derive(Debug, Args)]
pub struct PauseOptions {
    /// The cards are taken up again after this, whatever happens
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = length)]
    length: Duration,

    #[command(flatten)]
    socket: SocketOption,
}

/// Take the cards up again now
///
/// Only root and the account that the agent runs as may do this.
#[derive(Debug, Args)]
pub struct ResumeOptions {
    #[command(flatten)]
    socket: SocketOption,
}

pub(super) fn pause(options: &PauseOptions) -> ExitCode {
    let seconds = u32::try_from(options.length.as_secs()).unwrap_or(PAUSE_MAX_S);
    match tell(&options.socket, &Ask::Pause { seconds }) {
        Ok(Some(until)) => print(&format!(
            "The agent has let go of the cards until {}. To end it now: sudo berth agent resume",
            LocalClock::system().say(until)
        )),
        Ok(None) => refuse("The agent answers another question than was asked."),
        Err(message) => refuse(&message),
    }
}

pub(super) fn resume(options: &ResumeOptions) -> ExitCode {
    match tell(&options.socket, &Ask::Resume) {
        Ok(None) => print("The agent reads the cards again."),
        Ok(Some(_)) => refuse("The agent answers another question than was asked."),
        Err(message) => refuse(&message),
    }
}

fn refuse(message: &str) -> ExitCode {
    say(&format!("berth: {message}"));
    ExitCode::from(EXIT_FAILED)
}

fn tell(socket: &SocketOption, question: &Ask) -> Result<Option<OffsetDateTime>, String> {
    match ask(&socket.socket, question, PATIENCE) {
        Ok(Answer::Paused { until }) => Ok(until),
        Ok(Answer::Failed { message }) => Err(clean(&message)),
        Ok(_) => Err("The agent answers another question than was asked.".to_owned()),
        Err(error) => Err(format!("{error}.\n{}", start_agent_hint())),
    }
}

fn length(text: &str) -> Result<Duration, String> {
    let range = Duration::from_secs(1)..=Duration::from_secs(u64::from(PAUSE_MAX_S));
    time(text).and_then(|length| if range.contains(&length) { Ok(length) } else { Err("from 1s to 24h".to_owned()) })
}
