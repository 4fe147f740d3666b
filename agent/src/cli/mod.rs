//! The command line. Messages go to stderr, data to stdout.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use domain::wire::guard_v1::DEFAULT_SOCKET;

use crate::host::Places;
use crate::nvml::Setup;

pub mod agent;
mod bookings;
mod code;
pub mod commands;
pub mod doctor;
pub mod enrol;
pub mod env;
pub mod link;
mod mine;
mod motd;
pub mod pause;
mod remove;
mod rotate;
pub mod run;
pub mod status;
pub mod topo;

/// A command could not do its work.
pub const EXIT_FAILED: u8 = 1;
/// The command line or a setting is wrong.
pub const EXIT_USAGE: u8 = 2;

/// Shared GPU servers: start jobs on the cards that you have booked.
#[derive(Debug, Parser)]
#[command(name = "berth", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 failed, 2 wrong usage, 77 not started (the guard refused). \
                        `berth run` ends with the exit code of its command; 126 or 127 if that cannot be run.")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Options),
    Status(status::Options),
    Topo(topo::Options),
    Free(bookings::FreeOptions),
    Bookings(bookings::ListOptions),
    Book(bookings::BookOptions),
    Extend(bookings::ExtendOptions),
    End(bookings::EndOptions),
    Commands(commands::Options),
    Env(env::Options),
    Motd(motd::Options),
    Link(link::Options),
    Enrol(enrol::Options),
    Remove(remove::Options),
    Doctor(Box<doctor::Options>),
    Agent(Box<agent::Options>),
}

impl Cli {
    /// Reads the command line; ends the program where it is wrong. The commonest question has the shortest name: `berth`
    /// is `berth status`, also with options.
    #[must_use]
    pub fn read() -> Self {
        let mut args: Vec<OsString> = std::env::args_os().collect();
        let own = ["-h", "--help", "-V", "--version"];
        let is_status = match args.get(1).map(|first| first.to_string_lossy()) {
            None => true,
            Some(first) => first.starts_with('-') && !own.contains(&first.as_ref()),
        };
        if is_status {
            args.insert(1.min(args.len()), "status".into());
        }
        Self::parse_from(args)
    }

    /// Runs the command.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Run(options) => run::run(&options),
            Command::Status(options) => status::run(&options),
            Command::Topo(options) => topo::run(&options),
            Command::Commands(options) => commands::run(&options),
            Command::Env(options) => env::run(&options),
            Command::Free(options) => bookings::free(&options),
            Command::Bookings(options) => bookings::list(&options),
            Command::Book(options) => bookings::book(&options),
            Command::Extend(options) => bookings::extend(&options),
            Command::End(options) => bookings::end(&options),
            Command::Motd(options) => motd::run(&options),
            Command::Link(options) => link::run(&options),
            Command::Enrol(options) => enrol::run(&options),
            Command::Remove(options) => remove::run(&options),
            Command::Doctor(options) => doctor::run(&options),
            Command::Agent(options) => agent::run(*options),
        }
    }
}

/// Where the agent listens.
#[derive(Clone, Debug, Args)]
pub struct SocketOption {
    /// Unix socket on which this host's agent answers
    #[arg(long, env = "BERTH_SOCKET", value_name = "PATH", default_value = DEFAULT_SOCKET)]
    pub socket: PathBuf,
}

/// Where the service keeps its credential and the last bookings.
const DEFAULT_STATE_DIR: &str = "/var/lib/berth-agent";

/// Which NVML is read.
#[derive(Clone, Debug, Args)]
pub struct NvmlOption {
    /// Load this library instead of the driver's libnvidia-ml.so.1
    #[arg(long, env = "BERTH_NVML_LIBRARY", value_name = "FILE")]
    pub nvml_library: Option<PathBuf>,

    /// The driver is simulated: what the kernel would tell of it is below this folder, and its processes are this
    /// machine's
    #[arg(long, env = "BERTH_NVML_SIMULATED", value_name = "FOLDER", hide = true)]
    pub simulated: Option<PathBuf>,
}

impl NvmlOption {
    /// How to read it, from one start of a round to the next.
    fn setup(&self, interval: Duration) -> Setup {
        let mut setup = Setup { library: self.nvml_library.clone(), interval, ..Setup::default() };
        if let Some(folder) = &self.simulated {
            let simulated = Places::below(folder);
            setup.places.sys = simulated.sys;
            setup.places.driver = simulated.driver;
            setup.pids_are_ours = true;
        }
        setup
    }
}

/// Where the agent keeps its credential and the last bookings.
#[derive(Clone, Debug, Args)]
pub struct StateOption {
    /// Folder of the agent's credential and the last bookings
    #[arg(long, env = "BERTH_STATE_DIR", value_name = "FOLDER", default_value = DEFAULT_STATE_DIR)]
    pub state_dir: PathBuf,
}

/// How the portal is reached.
#[derive(Clone, Debug, Args)]
pub struct PortalOptions {
    /// Speak plain HTTP to a portal on another machine. Everybody on the way can then read this host's credential. The
    /// agent remembers it from `berth enrol`
    #[arg(long, env = "BERTH_INSECURE_HTTP", value_parser = clap::builder::FalseyValueParser::new(), action = clap::ArgAction::SetTrue)]
    pub insecure: bool,

    /// PEM file of an authority to trust besides the system's, for a portal with a certificate of your own. The agent
    /// remembers the one given to `berth enrol`
    #[arg(long, env = "BERTH_CA_FILE", value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
}

/// How long the agent may take for an answer out of its memory.
const PATIENCE: Duration = Duration::from_secs(5);

/// How to get an agent that answers.
fn start_agent_hint() -> &'static str {
    "Start it with `sudo systemctl start berth-agent`, or by hand with `sudo berth agent`."
}

/// Says something to the person; a terminal that is gone is no reason to fail.
fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a result. A reader that has seen enough, such as `head`, is no failure.
fn print(text: &str) -> ExitCode {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(&format!("berth: the output cannot be written: {error}."));
            ExitCode::from(EXIT_FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}
