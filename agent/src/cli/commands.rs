//! `berth commands`: the lines that start a job on the caller's cards, in every tool. The page of the booking shows the
//! same ones.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;
use domain::id::ReservationId;
use domain::launch::{Command, Job, commands, listing, select};
use domain::text::t;
use serde::Serialize;

use super::mine::plan;
use super::status::harmless;
use super::{EXIT_FAILED, EXIT_USAGE, SocketOption, print, say};

/// Counts up when a field goes or changes its meaning; new fields may come at any time.
const VERSION: u32 = 1;

/// Print the lines that start a job on your cards: for shells, containers, frameworks and schedulers
///
/// Asks this host's agent what you hold now. With `--format docker/cdi` there is one line and nothing else, for scripts.
#[derive(Debug, Args)]
pub struct Options {
    /// One of them, such as `docker`, `torchrun` or `slurm`, or one of its forms, such as `docker/cdi` [default: all]
    #[arg(long, short, value_name = "NAME")]
    format: Option<String>,

    /// Of this booking: its number, or four digits or more from either end of it
    #[arg(long, short, value_name = "NUMBER")]
    reservation: Option<String>,

    /// Put this container image in place of IMAGE
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,

    /// Print JSON, for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    socket: SocketOption,

    /// Put this program in place of `python train.py`, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// As `GET /api/v1/bookings/{id}/commands` gives it for all hosts.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    reservation: Option<ReservationId>,
    hosts: [HostDocument<'a>; 1],
}

#[derive(Serialize)]
struct HostDocument<'a> {
    host: &'a str,
    commands: &'a [Command],
}

pub(super) fn run(options: &Options) -> ExitCode {
    let program: Option<Vec<String>> = options.command.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    let Some(program) = program else {
        say("berth: the command is not UTF-8, so it cannot be written into a line.");
        return ExitCode::from(EXIT_USAGE);
    };
    let job = Job { image: options.image.clone(), program };
    let plan = match plan(&options.socket.socket, options.reservation.as_deref(), job) {
        Ok(plan) => plan,
        Err(stop) => {
            say(&stop.message);
            return ExitCode::from(stop.exit_code);
        }
    };
    let mut all = commands(&plan, 0, &t().launch);
    if let Some(name) = &options.format {
        let Some(one) = select(&all, name) else {
            say(&format!("berth: {}", crate::clean::clean(&(t().launch.no_format)(name))));
            return ExitCode::from(EXIT_USAGE);
        };
        // One form, by its name: what a script pipes into something.
        if let ([form], false, true) = (one.forms.as_slice(), options.json, name.contains('/')) {
            return print(&form.text);
        }
        all = vec![one];
    }
    if !options.json {
        return print(&listing(&all, &t().launch));
    }
    let host = plan.hosts.first().map_or("", |host| host.host_name.as_str());
    let document =
        Document { version: VERSION, reservation: plan.reservation, hosts: [HostDocument { host, commands: &all }] };
    match serde_json::to_string_pretty(&document) {
        Ok(text) => print(&harmless(text)),
        Err(error) => {
            say(&format!("berth: {error}"));
            ExitCode::from(EXIT_FAILED)
        }
    }
}
