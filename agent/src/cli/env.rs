//! `eval "$(berth env)"`: the variables of the caller's cards, for a shell to take over.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use domain::launch::{Form, Job, LaunchCard, Naming, Plan, commands};
use domain::text::t;
use domain::wire::guard_v1::EXIT_REFUSED;

use super::mine::plan;
use super::{EXIT_USAGE, SocketOption, print, say};
use crate::clean::clean;

/// Print the variables of your cards for your shell: eval "$(berth env)"
///
/// Asks this host's agent what you hold now. If you hold nothing, nothing is printed and the exit code is 77. In fish:
/// `berth env --shell fish | source`.
#[derive(Debug, Args)]
pub struct Options {
    /// Who reads the lines
    #[arg(long, value_enum, value_name = "SHELL", default_value_t = Shell::Sh)]
    shell: Shell,

    /// Of this booking: its number, or four digits or more from either end of it
    #[arg(long, short, value_name = "NUMBER")]
    reservation: Option<String>,

    /// Of these cards alone, by index or UUID, such as `2,0`, in the order in which programs shall see them
    #[arg(long, value_name = "CARDS", value_delimiter = ',')]
    cards: Vec<String>,

    /// How cards are named
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Ids::Uuid)]
    ids: Ids,

    /// Say nothing where you hold nothing, for the start files of a shell
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    socket: SocketOption,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    /// bash, zsh, dash
    #[value(alias = "bash", alias = "zsh", alias = "dash", alias = "posix")]
    Sh,
    /// fish
    Fish,
    /// PowerShell
    #[value(name = "powershell", alias = "pwsh")]
    Pwsh,
    /// cmd.exe
    Cmd,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Ids {
    /// By UUID, which stays
    Uuid,
    /// By index in bus order, for programs that read numbers
    Index,
}

impl Shell {
    /// Name of the form among those of `shell`.
    fn key(self) -> &'static str {
        match self {
            Self::Sh => "posix",
            Self::Fish => "fish",
            Self::Pwsh => "powershell",
            Self::Cmd => "cmd",
        }
    }
}

pub(super) fn run(options: &Options) -> ExitCode {
    let refused = |message: &str, exit_code: u8| {
        if !(options.quiet && exit_code == EXIT_REFUSED) {
            say(message);
        }
        ExitCode::from(exit_code)
    };
    let mut plan = match plan(&options.socket.socket, options.reservation.as_deref(), Job::default()) {
        Ok(plan) => plan,
        Err(stop) => return refused(&stop.message, stop.exit_code),
    };
    if let Err(message) = keep(&mut plan, &options.cards) {
        return refused(&message, EXIT_USAGE);
    }
    match lines(&plan, options.shell, options.ids) {
        Ok(form) => print(&form.text),
        Err(message) => refused(&message, EXIT_REFUSED),
    }
}

/// The form that a shell takes over: the one of the generator, for the one set of cards that a program can see.
fn lines(plan: &Plan, shell: Shell, ids: Ids) -> Result<Form, String> {
    let all = commands(plan, 0, &t().launch);
    let wanted = match ids {
        Ids::Uuid => Naming::Uuid,
        Ids::Index => Naming::Index,
    };
    let shells = all.into_iter().find(|command| command.id == "shell");
    let Some(shells) = shells else {
        return Err("berth: The host reports none of your cards now. `berth status` says why.".to_owned());
    };
    let sets = shells.forms.iter().filter(|form| form.key == shell.key() && form.naming == Naming::Uuid).count();
    if sets > 1 {
        return Err(format!(
            "berth: One program sees one MIG instance, and nothing beside it. Say which one with --cards: {}.",
            names(plan).join(", ")
        ));
    }
    let form = shells.forms.into_iter().find(|form| form.key == shell.key() && form.naming == wanted);
    form.ok_or_else(|| format!("berth: {}", shells.reason))
}

fn names(plan: &Plan) -> Vec<String> {
    plan.hosts.iter().flat_map(|host| &host.cards).map(|card| card.number.to_string()).collect()
}

/// Leaves the cards that were asked for, in that order; all where none was.
fn keep(plan: &mut Plan, asked: &[String]) -> Result<(), String> {
    let Some(host) = plan.hosts.first_mut().filter(|_| !asked.is_empty()) else { return Ok(()) };
    let mut kept: Vec<LaunchCard> = Vec::with_capacity(asked.len());
    for text in asked {
        let text = text.trim();
        let is_it =
            |card: &&LaunchCard| card.number.to_string() == text || card.uuid.as_str().eq_ignore_ascii_case(text);
        let Some(card) = host.cards.iter().find(is_it) else {
            let yours: Vec<String> = host.cards.iter().map(|card| card.number.to_string()).collect();
            return Err(format!("berth: {} is none of your cards here now: {}.", clean(text), yours.join(", ")));
        };
        if kept.contains(card) {
            return Err(format!("berth: card {} is asked for twice.", card.number));
        }
        kept.push(card.clone());
    }
    host.cards = kept;
    Ok(())
}
