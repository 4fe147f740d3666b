//! How each command is proved: what reads its text, and what is looked at behind it.

mod containers;
mod python;
mod remote;
mod schedulers;
mod services;
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
    /// The tool refused what somebody typed, and did nothing: this is what it said.
    Refused(String),
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

/// What must come out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// One program, with all cards that one can use together; forms follow each other set by set.
    Sets,
    /// One program, with the first card alone.
    First,
    /// One program, with what `berth` finds.
    Berth,
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

type Way = fn(&Bench<'_>, &Form) -> Vec<Run>;

/// How forms are proved, and what must come out; `None` for one that nobody has said it of.
pub fn way(id: &str, key: &str) -> Option<(Way, Expect)> {
    Some(match (id, key) {
        ("run", "all") => (shells::berth, Expect::Berth),
        ("run", "cards") => (shells::berth, Expect::Sets),
        ("run", "one") => (shells::berth, Expect::First),
        ("shell", "berth" | "berth-fish") => (shells::terminal_by_berth, Expect::Berth),
        ("shell", "posix" | "fish" | "powershell" | "cmd") => (shells::terminal, Expect::Sets),
        ("profile", "berth" | "berth-fish") => (shells::profile_by_berth, Expect::Berth),
        ("profile", "posix" | "fish" | "powershell" | "cmd") => (shells::profile, Expect::Sets),
        ("once", "posix" | "fish" | "powershell" | "cmd") => (shells::program, Expect::Sets),
        ("ssh", "berth") => (remote::ssh, Expect::Berth),
        ("ssh", "env") => (remote::ssh, Expect::Sets),
        ("tmux", "berth") => (remote::tmux, Expect::Berth),
        ("tmux", "env") => (remote::tmux, Expect::Sets),
        ("systemd", "unit") => (services::unit, Expect::Sets),
        ("systemd_run", "user") => (services::transient, Expect::Sets),
        ("docker", "gpus" | "cdi") => (containers::docker, Expect::Sets),
        ("torch", "env") => (shells::program, Expect::Sets),
        ("torch", "inside") => (python::before_import, Expect::Sets),
        _ => return None,
    })
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
            if let Some(said) = self.instead(word) {
                text = text.replace(word, &said);
            }
        }
        text
    }

    /// What stands in the place of a placeholder; `None` where it can be used as it is.
    fn instead(&self, word: &str) -> Option<String> {
        match word {
            "IMAGE" => Some(self.case.image()),
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
