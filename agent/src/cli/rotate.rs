//! `berth agent rotate`: renews this host's credential now.

use std::process::ExitCode;

use clap::Args;

use super::{EXIT_FAILED, PortalOptions, StateOption, print, say};
use crate::state::StateDir;
use crate::uplink::{Overrides, Uplink, renew};

/// Renew this host's credential now; by itself it is renewed every 30 days
///
/// The agent that runs uses the new one from its next report on. Until then the old one works.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    state: StateOption,

    #[command(flatten)]
    portal: PortalOptions,
}

pub(super) fn run(options: &Options) -> ExitCode {
    match rotate(options) {
        Ok(()) => print("The credential is renewed. The agent uses it from its next report on; the old one ends then."),
        Err(message) => {
            say(&format!("berth: not renewed; the credential in use goes on working. The reason: {message}."));
            ExitCode::from(EXIT_FAILED)
        }
    }
}

fn rotate(options: &Options) -> Result<(), String> {
    // Looked at first: a new credential that cannot be kept would be one too many.
    let state = StateDir::open(&options.state.state_dir).map_err(|error| format!("{error}; run it with sudo"))?;
    let overrides =
        Overrides { server: None, insecure: options.portal.insecure, ca_file: options.portal.ca_file.clone() };
    let uplink = Uplink::open(state.clone(), overrides).map_err(|error| error.to_string())?.get();
    renew(&state, &uplink.portal, &uplink.credential).map(|_| ()).map_err(|error| error.to_string())
}
