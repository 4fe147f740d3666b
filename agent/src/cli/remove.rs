//! `berth remove`: takes the agent off this machine.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::{EXIT_FAILED, print, say};
use crate::service::system::{System, ThisMachine};
use crate::service::{self, Layout};

/// Stop the agent and remove its service and its state, credential included
///
/// What the portal knows of this host stays there; revoke its credential under Admin, Hosts. To have the host back, enrol
/// it anew.
#[derive(Debug, Args)]
pub struct Options {
    /// Remove from this folder, such as that of an image, instead of this system
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> ExitCode {
    let fail = |message: &str| {
        say(&format!("berth: {message}"));
        ExitCode::from(EXIT_FAILED)
    };
    let (layout, system): (_, Option<&dyn System>) = match &options.root {
        Some(root) => (Layout::under(root), None),
        None => (Layout::under(Path::new("/")), Some(&ThisMachine)),
    };
    if system.is_some() && !nix::unistd::geteuid().is_root() {
        return fail("not removed. Run it with sudo.");
    }
    match service::remove(&layout, system) {
        Ok(removed) if removed.is_empty() => print("There is no agent to remove here."),
        Ok(removed) => {
            let list: String = removed.iter().map(|path| format!("  {}\n", path.display())).collect();
            print(&format!(
                "Removed:\n{list}The program itself and the account berth are left. In the portal, revoke this host's \
                 credential under Admin, Hosts."
            ))
        }
        Err(error) => fail(&format!("not all removed: {error}.")),
    }
}
