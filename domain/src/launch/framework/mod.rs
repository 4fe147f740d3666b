//! Started with a framework: what is the same for all of them.

pub(super) mod blocks;
pub(super) mod jax;
pub(super) mod jupyter;
pub(super) mod launchers;
pub(super) mod serving;
pub(super) mod tensorflow;
pub(super) mod torch;
pub(super) mod torchrun;

use super::here::{Here, ORDER, Set};
use super::quote::posix::word;
use super::quote::python;
use super::{Dialect, Form, Naming};

/// Sets both variables in a program in Python.
pub(super) fn selection(ids: &str) -> String {
    format!(
        "import os\n\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = {}",
        python::string(ids)
    )
}

/// The program with both variables before it: in POSIX shells, and in fish from 3.1 on.
fn env_forms(here: &Here<'_>, more: &str) -> Vec<Form> {
    here.both(|naming, ids, _| {
        let line = format!("{ORDER} CUDA_VISIBLE_DEVICES={ids}{more} \\\n  {}", here.program());
        Form::new("env", Dialect::Posix, naming, line).label(here.named(naming)).holding(here.program_placeholder())
    })
}

/// What a launcher of Python programs is given in the place of `python train.py`.
pub(super) enum Script {
    /// A file and its arguments.
    File(Vec<String>),
    /// A module and its arguments.
    Module(Vec<String>),
    /// Another program.
    Other(Vec<String>),
}

/// What of the job a launcher starts.
pub(super) fn script(here: &Here<'_>) -> Script {
    let words = here.words();
    let (first, rest) = words.split_first().map_or(("", [].as_slice()), |(first, rest)| (first.as_str(), rest));
    let name = first.rsplit('/').next().unwrap_or_default();
    let version = name.strip_prefix("python").unwrap_or("x");
    if !version.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Script::Other(words);
    }
    match rest.first().map(String::as_str) {
        Some("-m") => Script::Module(rest.get(1..).unwrap_or_default().to_vec()),
        Some(option) if option.starts_with('-') => Script::Other(words),
        _ => Script::File(rest.to_vec()),
    }
}

impl Script {
    /// The words for a POSIX shell, with the launcher's options for a module and for what is no Python.
    pub fn line(&self, module: &str, other: &str) -> String {
        let (option, words) = match self {
            Self::File(words) => ("", words),
            Self::Module(words) => (module, words),
            Self::Other(words) => (other, words),
        };
        let words = words.iter().map(|text| word(text));
        std::iter::once(option.to_owned())
            .filter(|option| !option.is_empty())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// A block of Python for each set, by UUID and by index beside it.
fn blocks(here: &Here<'_>, key: &'static str, write: impl Fn(&Set<'_>) -> String) -> Vec<Form> {
    here.both(|naming, ids, set| {
        Form::new(key, Dialect::Python, naming, format!("{}\n{}", selection(ids), write(set))).label(here.named(naming))
    })
}

/// A block of Python for each set, by UUID alone.
fn block(
    here: &Here<'_>,
    key: &'static str,
    label: &str,
    fits: impl Fn(&Set<'_>) -> bool,
    write: impl Fn(&Set<'_>) -> String,
) -> Vec<Form> {
    let form = |set: &Set<'_>| {
        let text = format!("{}\n{}", selection(&set.uuids()), write(set));
        Form::new(key, Dialect::Python, Naming::Uuid, text).label(label).of(set)
    };
    here.sets().iter().filter(|set| fits(set)).map(form).collect()
}
