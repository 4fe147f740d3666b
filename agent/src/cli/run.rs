//! `berth run`: starts a command on the caller's cards, or nothing.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use domain::draft::spoken;
use domain::wire::guard_v1::{Answer, Ask, EXIT_REFUSED, Grant};
use domain::wire::launch_v1::LaunchAsk;

use super::{PATIENCE, SocketOption, say, start_agent_hint};
use crate::clean::clean;
use crate::guard::client::ask;
use crate::guard::command::{self, Ids};
use crate::guard::explain;
use crate::guard::launch::{BOOKING_VARIABLE, Chosen, Conflict, Given, become_command, choose};
use crate::guard::when::LocalClock;

/// Start a command on the cards that you have booked now
///
/// Asks this host's agent which cards are yours, sets `CUDA_DEVICE_ORDER`, `CUDA_VISIBLE_DEVICES` and
/// `NVIDIA_VISIBLE_DEVICES` for the command, and becomes it: exit code, signals and terminal are the command's own.
/// If the cards are not yours now, nothing is started and the exit code is 77.
#[derive(Debug, Args)]
pub struct Options {
    /// Cards by index or UUID, such as `0,2`, in the order in which the command shall see them [default: all that
    /// are yours now]
    #[arg(long, value_name = "CARDS", value_delimiter = ',')]
    cards: Vec<String>,

    /// So many of your cards, those with the fewest jobs of yours first. Where you have booked none, the best linked cards
    /// that are free are booked for as long as the command runs
    #[arg(long, value_name = "N", conflicts_with = "cards")]
    gpus: Option<u32>,

    /// With --gpus and without a booking: so long at least, such as `2h` or `90 min` [default: 4h]
    #[arg(long = "for", value_name = "LENGTH", requires = "gpus", value_parser = minutes)]
    length: Option<u32>,

    /// The booking to start on, by its id or four digits or more from either end of it [default: the one that you
    /// have now]
    #[arg(long, value_name = "BOOKING")]
    reservation: Option<String>,

    /// Start also beside somebody who uses the cards without a booking
    #[arg(long)]
    shared: bool,

    /// How the cards are named to the command [default: uuid; index for vllm, deepspeed and accelerate, which read
    /// nothing else]
    #[arg(long, value_name = "HOW")]
    ids: Option<Ids>,

    #[command(flatten)]
    socket: SocketOption,

    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// How long the agent may take where it asks the portal.
const PORTAL_PATIENCE: Duration = Duration::from_secs(30);

/// A length as people say it, in minutes.
fn minutes(text: &str) -> Result<u32, String> {
    let minutes = spoken::length(text).map(|length| length.whole_minutes()).filter(|minutes| *minutes > 0);
    minutes.ok_or_else(|| "write it like 2h, 90 min or 1 day".to_owned())
}

/// Does not return if the command starts.
pub(super) fn run(options: &Options) -> ExitCode {
    match start(options) {
        Ok(never_started) => never_started,
        Err(message) => {
            say(&message);
            ExitCode::from(EXIT_REFUSED)
        }
    }
}

/// The exit code of a command that could not be run, or the reason why none was tried.
fn start(options: &Options) -> Result<ExitCode, String> {
    let question = Ask::Launch(LaunchAsk {
        cards: options.cards.clone(),
        reservation: options.reservation.clone(),
        gpus: options.gpus,
        minutes: options.length,
        shared: options.shared,
    });
    // For cards that are to be booked, the agent asks the portal.
    let patience = if options.gpus.is_some() { PORTAL_PATIENCE } else { PATIENCE };
    let answer = ask(&options.socket.socket, &question, patience)
        .map_err(|error| format!("berth: not started, because {error}.\n{}", start_agent_hint()))?;
    let grant = match answer {
        Answer::Granted(grant) => grant,
        Answer::Refused(refusal) => return Err(explain::refusal(&refusal, &options.command, &LocalClock::system())),
        Answer::Failed { message } => return Err(format!("berth: not started. {}", clean(&message))),
        Answer::Status(_)
        | Answer::Bookings(_)
        | Answer::Booked { .. }
        | Answer::Notices { .. }
        | Answer::Mine(_)
        | Answer::Inventory { .. }
        | Answer::Paused { .. }
        | Answer::Linked { .. } => {
            return Err("berth: not started. The agent answers another question than was asked.".to_owned());
        }
    };
    let (visible, order) = (std::env::var_os("CUDA_VISIBLE_DEVICES"), std::env::var_os("CUDA_DEVICE_ORDER"));
    let chosen = Chosen { visible: visible.as_deref(), order: order.as_deref() };
    let cards = choose(&grant.cards, !options.cards.is_empty(), chosen)
        .map_err(|conflict| in_words(&conflict, &grant, options))?;
    let telling = command::read(&options.command)
        .telling(&cards, options.ids)
        .map_err(|why| format!("berth: not started. {why}"))?;
    if let Some(note) = explain::grant(&grant, LocalClock::system) {
        say(&note);
    }
    let Some((program, args)) = options.command.split_first() else {
        return Err("berth: not started. There is no command after `--`.".to_owned());
    };
    let given = Given { cards: &cards, telling, booking: grant.reservation };
    let failed = become_command(program, args, &given);
    say(&format!("berth: {}", failed.message));
    Ok(ExitCode::from(failed.exit_code))
}

fn in_words(conflict: &Conflict, grant: &Grant, options: &Options) -> String {
    let reason = match conflict {
        Conflict::Others { names } => {
            format!(
                "CUDA_VISIBLE_DEVICES is set already and names cards that this is not to run on: {}.",
                clean(&names.join(", "))
            )
        }
        Conflict::Order { value } => format!(
            "CUDA_VISIBLE_DEVICES is set to {} already. Without CUDA_DEVICE_ORDER=PCI_BUS_ID nobody can tell which \
             cards these are.",
            clean(value)
        ),
        Conflict::Excluded { cards } => {
            format!("CUDA_VISIBLE_DEVICES is set already and leaves out {}.", explain::cards_named(cards))
        }
    };
    let mine = explain::cards_named(&grant.cards);
    let line = explain::shell_line(&options.command);
    let cards =
        if options.cards.is_empty() { String::new() } else { format!("--cards {} ", clean(&options.cards.join(","))) };
    let way_out = match outer() {
        Some(Outer::Slurm { job }) => format!(
            "This runs in Slurm's job {}, and Slurm has set it: a job there can use what Slurm gave it, and nothing else. \
             Start it outside of Slurm, or book the cards that Slurm gave you.",
            clean(&job)
        ),
        Some(Outer::Run) => {
            "An outer `berth run` has set it: what runs within it stays on its cards. Start it outside, or give the outer \
             one these cards too."
                .to_owned()
        }
        None => format!(
            "If nothing else relies on that setting: env -u CUDA_VISIBLE_DEVICES berth run {cards}-- {line}"
        ),
    };
    format!("berth: not started. {reason}\nYours now: {mine}.\n{way_out}")
}

/// Who has set what the environment says about cards.
enum Outer {
    Slurm { job: String },
    Run,
}

fn outer() -> Option<Outer> {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    set("SLURM_JOB_ID").map(|job| Outer::Slurm { job }).or_else(|| set(BOOKING_VARIABLE).map(|_| Outer::Run))
}
