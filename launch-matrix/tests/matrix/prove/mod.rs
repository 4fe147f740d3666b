//! How each command is proved: what reads its text, and what is looked at behind it.

pub mod checks;
mod containers;
mod python;
mod remote;
mod schedulers;
mod services;
mod serving;
mod shells;

use domain::launch::{Dialect, Form};

pub use remote::FAR_SHELLS;

use crate::case::Case;
use crate::stage::{Record, Stage};
use crate::tools::Tools;

/// What became of one text in one reader.
pub enum Proof {
    /// It started these, in this order.
    Starts(Vec<Started>),
    /// What reads it cannot be had here, because of this. It is printed, and counts as neither right nor wrong.
    NotHere(&'static str),
    /// The tool refused what somebody typed, and did nothing.
    Refused,
}

/// One program that was started.
#[derive(Debug, PartialEq, Eq)]
pub struct Started {
    pub seen: Seen,
    /// The program and its arguments.
    pub words: Vec<String>,
}

/// What a program sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Exactly these cards, in this order.
    Cards(Vec<String>),
    /// Whatever `berth` finds that the caller holds.
    Berth,
    /// This many cards; which, a scheduler decides.
    Count(usize),
}

impl Expect {
    /// One program for each set of cards.
    pub fn is_for_sets(self) -> bool {
        matches!(self, Self::Sets | Self::EitherWay | Self::BusOrder)
    }
}

/// What must come out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// One program, with all cards that one can use together; forms follow each other set by set.
    Sets,
    /// One program, with the first card alone.
    First,
    /// One program, with what `berth` finds.
    Berth,
    /// The same, but each set is named in one way only: by index, or by UUID where it has none.
    EitherWay,
    /// The same, but the tool sorts the cards as the bus does, and says so.
    BusOrder,
    /// One program for each card, in the order of the booking.
    Each,
    /// One program, with as many cards as are booked.
    Count,
}

pub struct Run {
    /// What read the text.
    pub by: String,
    pub result: Result<Proof, String>,
}

/// What a proof has at hand.
pub struct Bench<'a> {
    pub stage: &'a Stage,
    pub tools: &'a Tools,
    pub case: &'a Case,
}

type Prove = fn(&Bench<'_>, &Form) -> Vec<Run>;

/// How forms of a key are proved, what must come out, and for which sets of cards there have to be any.
pub struct Way {
    pub prove: Prove,
    pub expect: Expect,
    pub of: fn(&Case, &[String]) -> bool,
}

fn any(_: &Case, _: &[String]) -> bool {
    true
}

fn several(_: &Case, set: &[String]) -> bool {
    set.len() > 1
}

/// Whole cards that the machine counts as the booking does.
fn in_order(case: &Case, set: &[String]) -> bool {
    let places: Vec<_> = set.iter().map(|uuid| case.machine.iter().position(|card| card.uuid == *uuid)).collect();
    places.is_sorted()
}

/// Cards that numbers name: no instance, and none whose number is in doubt.
fn numbered(case: &Case, set: &[String]) -> bool {
    case.name != "stale index" && set.iter().all(|uuid| uuid.starts_with("GPU-"))
}

fn numbered_in_order(case: &Case, set: &[String]) -> bool {
    numbered(case, set) && in_order(case, set)
}

/// Where Docker chooses the cards, and gives them in an order that is that of the booking.
fn chosen_in_order(case: &Case, set: &[String]) -> bool {
    !case.is_wsl() && in_order(case, set)
}

fn not_wsl(case: &Case, _: &[String]) -> bool {
    !case.is_wsl()
}

/// How a form is proved; `None` for one that nobody has said it of.
pub fn way(id: &str, key: &str) -> Option<Way> {
    let (prove, expect): (Prove, Expect) = match (id, key) {
        ("run", "all") => (shells::berth, Expect::Berth),
        ("run", "cards") => (shells::berth, Expect::Sets),
        ("run", "one") => (shells::berth, Expect::First),
        ("shell", "berth" | "berth-fish") => (shells::terminal_by_berth, Expect::Berth),
        ("shell", "posix" | "fish" | "powershell" | "cmd") => (shells::terminal, Expect::Sets),
        ("profile", "berth" | "berth-fish") => (shells::profile_by_berth, Expect::Berth),
        ("profile", "posix" | "fish" | "powershell" | "cmd") => (shells::profile, Expect::Sets),
        ("once", "posix" | "fish" | "powershell" | "cmd") => (shells::program, Expect::Sets),
        ("ssh" | "tmux", "berth") => (if id == "ssh" { remote::ssh } else { remote::tmux }, Expect::Berth),
        ("ssh", "env" | "docker") => (remote::ssh, Expect::Sets),
        ("tmux", "env") => (remote::tmux, Expect::Sets),
        ("systemd", "unit") => (services::unit, Expect::Sets),
        ("systemd_run", "user") => (services::transient, Expect::Sets),
        ("docker", "gpus" | "cdi" | "gpus-powershell" | "gpus-powershell5" | "gpus-cmd") => {
            (containers::docker, Expect::Sets)
        }
        ("compose", "compose") => (containers::compose, Expect::Sets),
        ("podman", "cdi") => (containers::podman, Expect::Sets),
        ("nerdctl", "gpus") => (containers::nerdctl, Expect::Sets),
        ("apptainer", "nv" | "nvccli" | "cdi") => (containers::apptainer, Expect::Sets),
        ("devcontainer", "gpus" | "cdi") => (containers::devcontainer, Expect::Sets),
        ("python", "inside") => (python::before_import, Expect::Sets),
        ("torch" | "tensorflow" | "jax", "env") => (shells::program, Expect::Sets),
        ("torch", "inside" | "device" | "data_parallel") => (python::block, Expect::Sets),
        ("torch", "ddp") => (python::ranks, Expect::Sets),
        ("torchrun", "standalone" | "hosts") => (python::launcher, Expect::Sets),
        ("accelerate", "launch" | "hosts") => (python::launcher, Expect::EitherWay),
        ("deepspeed", "include") => (python::deepspeed, Expect::BusOrder),
        ("lightning", "trainer" | "hosts") => (python::block, Expect::Sets),
        ("tensorflow", "growth" | "logical") | ("jax", "inside") => (python::block, Expect::Sets),
        ("tensorflow", "visible") | ("jax", "ids") => (python::by_own_numbers, Expect::Sets),
        ("multiprocessing", "workers") => (python::workers, Expect::Each),
        ("vllm", "serve") => (serving::vllm, Expect::Sets),
        ("vllm", "docker") => (serving::vllm_docker, Expect::Sets),
        ("ollama", "serve") => (serving::ollama, Expect::Sets),
        ("ollama", "unit") => (serving::ollama_unit, Expect::Sets),
        ("llama_cpp", "server") => (serving::llama, Expect::Sets),
        ("jupyter", "kernel") => (python::kernel, Expect::Sets),
        ("jupyter", "cell") => (python::cell, Expect::Sets),
        ("kubernetes", "pod") => (schedulers::pod, Expect::Count),
        ("kubernetes_dra", "claim") => (schedulers::claim, Expect::Sets),
        ("slurm", "line") => (schedulers::sbatch, Expect::Count),
        ("slurm", "script") => (schedulers::script, Expect::Count),
        _ => return None,
    };
    let of = match (id, key) {
        ("torch", "data_parallel" | "ddp") => several,
        ("deepspeed", "include") | ("vllm", "serve") => numbered,
        ("tensorflow", "visible") | ("jax", "ids") => numbered_in_order,
        ("vllm", "docker") => chosen_in_order,
        ("apptainer", "nvccli" | "cdi") => not_wsl,
        _ => any,
    };
    Some(Way { prove, expect, of })
}

/// Shells of this machine that read a dialect.
fn shells_of(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Posix => &["bash", "dash", "zsh"],
        Dialect::Fish => &["fish"],
        Dialect::AnyShell => &["bash", "dash", "zsh", "fish"],
        _ => &[],
    }
}

/// Readers of a dialect that cannot be had from the registries that this project may use.
fn absent(dialect: Dialect) -> &'static [(&'static str, &'static str)] {
    const PWSH: (&str, &str) = ("PowerShell 7", "PowerShell is in none of Debian, PyPI, npm and crates.io");
    const CMD: (&str, &str) = ("cmd.exe", "cmd.exe is a part of Windows");
    match dialect {
        Dialect::PowerShell => &[PWSH],
        Dialect::WindowsPowerShell => &[("Windows PowerShell 5.1", "it is a part of Windows")],
        Dialect::Cmd => &[CMD],
        Dialect::AnyShell => &[PWSH, CMD],
        _ => &[],
    }
}

impl Bench<'_> {
    /// The text as a person pastes it, who puts something in the place of the words that stand for it.
    fn filled(&self, form: &Form) -> String {
        let mut text = form.text.clone();
        for word in &form.placeholders {
            if let Some(said) = self.instead(word, form.dialect) {
                text = text.replace(word, &said);
            }
        }
        text
    }

    /// What stands in the place of a placeholder; `None` where it can be used as it is.
    fn instead(&self, word: &str, language: Dialect) -> Option<String> {
        match word {
            "IMAGE" => Some(self.case.image()),
            "MODEL" if language == Dialect::Python => Some("torch.Model()".to_owned()),
            _ => None,
        }
    }

    /// Runs a line in every shell that reads its dialect and lets somebody judge what was started.
    fn in_shells(&self, form: &Form, text: &str, judge: impl Fn(&[Record]) -> Result<Proof, String>) -> Vec<Run> {
        let run = |shell: &&str| Run {
            by: (*shell).to_owned(),
            result: self.stage.shell(shell, text).and_then(|records| judge(&records)),
        };
        let missing = |(by, why): &(&str, &'static str)| Run { by: (*by).to_owned(), result: Ok(Proof::NotHere(why)) };
        let mut runs: Vec<Run> = shells_of(form.dialect).iter().map(run).collect();
        runs.extend(absent(form.dialect).iter().map(missing));
        runs
    }
}

/// The one program that was started.
fn only(records: &[Record]) -> Result<&Record, String> {
    match records {
        [one] => Ok(one),
        [] => Err("nothing was started".to_owned()),
        more => Err(format!("several were started: {:?}", more.iter().map(Record::words).collect::<Vec<_>>())),
    }
}

/// The only start, of a program that sees these cards.
fn started(cards: Vec<String>, words: Vec<String>) -> Proof {
    Proof::Starts(vec![Started { seen: Seen::Cards(cards), words }])
}
