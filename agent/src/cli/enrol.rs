//! `berth enrol`: makes this machine a host of a portal.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use domain::error::ErrorCode;
use domain::wire::agent_v1::EnrolRequest;
use time::OffsetDateTime;

use super::code::{read_code, read_code_file};
use super::{EXIT_FAILED, EXIT_USAGE, PortalOptions, StateOption, print, say};
use crate::clean::clean;
use crate::host;
use crate::portal::{Address, Portal, PortalError};
use crate::secret::Credential;
use crate::state::{Enrolment, StateDir};

/// Make this machine a host of a portal
///
/// Get a code in the portal under Admin, Add a host. It is good for one hour and for one use. It is read from the
/// terminal, from standard input or from a file, never from an argument, which everybody on the machine could see.
#[derive(Debug, Args)]
pub struct Options {
    /// Address of the portal, such as `https://berth.example.org`
    url: String,

    /// Read the code from this file
    #[arg(long, value_name = "FILE")]
    code_file: Option<PathBuf>,

    #[command(flatten)]
    state: StateOption,

    #[command(flatten)]
    portal: PortalOptions,
}

/// Why the machine is not enrolled.
enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// Something else is.
    Other(String),
}

pub(super) fn run(options: &Options) -> ExitCode {
    match enrol(options) {
        Ok(host_name) => print(&format!(
            "Enrolled as {}. Keep `berth agent` running on this host: sudo systemctl enable --now berth-agent",
            clean(&host_name)
        )),
        Err(Failure::Usage(message)) => {
            say(&format!("berth: not enrolled. {message}."));
            ExitCode::from(EXIT_USAGE)
        }
        Err(Failure::Other(message)) => {
            say(&format!("berth: not enrolled. {message}"));
            ExitCode::from(EXIT_FAILED)
        }
    }
}

fn enrol(options: &Options) -> Result<String, Failure> {
    let usage = |error: &dyn ToString| Failure::Usage(error.to_string());
    let address = Address::parse(&options.url, options.portal.insecure).map_err(|error| usage(&error))?;
    let portal = Portal::new(address, options.portal.ca_file.as_deref()).map_err(|error| usage(&error))?;
    // Before the code is spent: it works once.
    let state = StateDir::open(&options.state.state_dir).map_err(|error| {
        Failure::Other(format!("{error}. Run it with sudo, or choose another folder with --state-dir."))
    })?;
    let code = match &options.code_file {
        Some(path) => read_code_file(path),
        None => read_code("Code from the portal: "),
    };
    let request = EnrolRequest {
        code: code.map_err(Failure::Other)?,
        hostname: host::name(),
        agent_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let reply = portal.enrol(&request).map_err(|error| Failure::Other(in_words(&error)))?;
    let credential = Credential::parse(&reply.credential)
        .map_err(|error| Failure::Other(format!("What the portal sent cannot be used: {error}.")))?;
    let enrolment = Enrolment {
        server: portal.address().as_str().to_owned(),
        host: reply.host,
        host_name: reply.host_name,
        credential,
        previous: None,
        since: Some(OffsetDateTime::now_utc()),
        insecure: options.portal.insecure,
        // The agent is started from another folder.
        ca_file: options.portal.ca_file.as_ref().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())),
    };
    state.keep_enrolment(&enrolment).map_err(|error| {
        Failure::Other(format!("The code is used up, but {error}. Make room, get another code, and try again."))
    })?;
    Ok(enrolment.host_name)
}

fn in_words(error: &PortalError) -> String {
    match error {
        PortalError::Refused { code: Some(ErrorCode::WrongEnrolCode | ErrorCode::UnknownAgent), .. } => {
            "The portal does not take this code: it is mistyped, used already, or older than one hour. Get another one \
             under Admin, Add a host."
                .to_owned()
        }
        PortalError::Refused { message, .. } => format!("The portal says: {message}"),
        PortalError::Unreachable { .. } => format!("The reason: {error}. The code has not been used."),
        PortalError::NotBerth { .. } => format!("The reason: {error}"),
    }
}
