//! `berth enrol`: makes this machine a host of a portal, and the agent a service on it.

mod seen;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use domain::error::ErrorCode;
use domain::wire::agent_v1::EnrolRequest;
use domain::wire::guard_v1::DEFAULT_SOCKET;
use time::OffsetDateTime;

use super::code::{read_code, read_code_file};
use super::{DEFAULT_STATE_DIR, EXIT_FAILED, EXIT_USAGE, PortalOptions, StateOption, print, say};
use crate::clean::clean;
use crate::host;
use crate::portal::{Address, Portal, PortalError};
use crate::secret::Credential;
use crate::service::system::{System, ThisMachine};
use crate::service::{self, Layout};
use crate::state::{Enrolment, StateDir};

/// systemd is what runs this machine while this folder is there.
const SYSTEMD_RUNS: &str = "/run/systemd/system";

/// Make this machine a host of a portal, and run the agent on it as a service
///
/// Get a code in the portal under Admin, Add a host. It is good for one hour and for one use. It is read from the
/// terminal, from standard input or from a file, never from an argument, which everybody on the machine could see.
///
/// As root it also installs the service berth-agent, which runs as the account berth, and starts it. Doing it again
/// enrols anew.
#[derive(Debug, Args)]
pub struct Options {
    /// Address of the portal, such as `https://berth.example.org`
    url: String,

    /// Read the code from this file, which nobody else may read (mode 0600)
    #[arg(long, value_name = "FILE")]
    code_file: Option<PathBuf>,

    /// Only get the credential; keeping `berth agent` running is up to you. So it is too with --state-dir
    #[arg(long)]
    no_service: bool,

    /// Install into this folder, such as that of an image, instead of this system, and start nothing
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_service")]
    root: Option<PathBuf>,

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

/// What is done beside getting a credential.
enum Plan {
    /// Nothing. The text says how the agent gets to run.
    Nothing(&'static str),
    /// The service's files, below a folder.
    Image(Layout),
    /// The service, on this machine.
    Service(Layout),
}

pub(super) fn run(options: &Options) -> ExitCode {
    let plan = Plan::of(options);
    let host_name = match enrol(options, &plan) {
        Ok(host_name) => clean(&host_name),
        Err(Failure::Usage(message)) => {
            say(&format!("berth: not enrolled. {message}."));
            return ExitCode::from(EXIT_USAGE);
        }
        Err(Failure::Other(message)) => {
            say(&format!("berth: not enrolled. {message}"));
            return ExitCode::from(EXIT_FAILED);
        }
    };
    let enrolled = format!("Enrolled as {host_name}.");
    match &plan {
        Plan::Nothing(hint) => print(&format!("{enrolled} {hint}")),
        Plan::Image(layout) => match service::enable_in_image(layout) {
            Ok(()) => print(&format!("{enrolled} The service berth-agent starts with the system in that folder.")),
            Err(error) => half_done(&enrolled, &error.to_string()),
        },
        Plan::Service(_) => {
            let since = Instant::now();
            match service::start(&ThisMachine) {
                Ok(()) => seen::wait_and_tell(&enrolled, Path::new(DEFAULT_SOCKET), since),
                Err(error) => half_done(&enrolled, &error.to_string()),
            }
        }
    }
}

impl Plan {
    fn of(options: &Options) -> Self {
        if let Some(root) = &options.root {
            return Self::Image(Layout::under(root));
        }
        let by_hand = "Keep `berth agent` running on this host.";
        if options.no_service || options.state.state_dir != Path::new(DEFAULT_STATE_DIR) {
            return Self::Nothing(by_hand);
        }
        if !nix::unistd::geteuid().is_root() {
            // It will not get far: the state folder is root's to make.
            return Self::Nothing(by_hand);
        }
        if !Path::new(SYSTEMD_RUNS).is_dir() {
            return Self::Nothing(
                "systemd does not run here, so no service was installed. Keep `berth agent` running on this host, with \
                 whatever runs services here.",
            );
        }
        Self::Service(Layout::under(Path::new("/")))
    }

    /// Everything that can go wrong before the code is spent: it works once.
    fn prepare(&self, options: &Options) -> Result<StateDir, String> {
        let (layout, system): (_, Option<&dyn System>) = match self {
            Self::Nothing(_) => {
                let open = StateDir::open(&options.state.state_dir);
                return open.map_err(|e| format!("{e}. Run it with sudo, or choose another folder with --state-dir."));
            }
            Self::Image(layout) => (layout, None),
            Self::Service(layout) => (layout, Some(&ThisMachine)),
        };
        let program = std::env::current_exe().map_err(|error| format!("This program cannot be found: {error}."))?;
        service::install(layout, &program, system)
            .map_err(|error| format!("The service cannot be installed: {error}."))?;
        StateDir::open(&layout.state()).map_err(|error| format!("{error}."))
    }
}

impl Plan {
    /// Where the agent finds the authority's certificate. A service sees no home and no temporary folder, so it gets a
    /// copy.
    fn keep_ca(&self, state: &StateDir, path: &Path) -> PathBuf {
        let copy = || std::fs::read(path).ok().and_then(|pem| state.keep_ca(&pem).ok());
        match self {
            // The agent is started from another folder.
            Self::Nothing(_) => path.canonicalize().unwrap_or_else(|_| path.to_path_buf()),
            Self::Image(_) => {
                copy().map_or_else(|| path.to_path_buf(), |_| Path::new(DEFAULT_STATE_DIR).join("ca.pem"))
            }
            Self::Service(_) => copy().unwrap_or_else(|| path.to_path_buf()),
        }
    }
}

fn half_done(enrolled: &str, why: &str) -> ExitCode {
    say(&format!(
        "berth: {enrolled} But the agent does not run: {}.\nPut that right, then run: sudo systemctl enable --now berth-agent",
        clean(why)
    ));
    ExitCode::from(EXIT_FAILED)
}

fn enrol(options: &Options, plan: &Plan) -> Result<String, Failure> {
    let usage = |error: &dyn ToString| Failure::Usage(error.to_string());
    let address = Address::parse(&options.url, options.portal.insecure).map_err(|error| usage(&error))?;
    let portal = Portal::new(address, options.portal.ca_file.as_deref()).map_err(|error| usage(&error))?;
    let state = plan.prepare(options).map_err(Failure::Other)?;
    let code = match &options.code_file {
        Some(path) => read_code_file(path),
        None => read_code("Code from the portal"),
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
        ca_file: options.portal.ca_file.as_ref().map(|path| plan.keep_ca(&state, path)),
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
