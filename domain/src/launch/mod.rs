//! Commands that select exactly the reserved cards, in every tool that people use.
//!
//! Pure text: from the cards of one booking on one host to lines that can be copied as they stand. Words for people
//! come from [`LaunchText`]; commands are the same in every language. Rules that all of them follow:
//!
//! - cards are named by full UUID first; an index is only ever given beside it, and always with the bus order
//! - the order of the cards is kept: it decides which one a program sees as `cuda:0`
//! - UUIDs and indices are never mixed, and no list has a repeat: either would silently shorten it
//! - a CUDA program can use only one MIG instance, so each gets lines of its own
//! - what people typed (purpose, names, hosts, images) is quoted for whoever reads the line, by [`quote`]; what cannot be
//!   quoted for somebody gives no line for them
//!
//! What a tool needs is in a module for its kind; [`Command`] and [`Form`] are what comes out.

mod check;
mod cluster;
mod command;
mod container;
mod direct;
mod explain;
mod framework;
mod here;
mod listing;
mod plan;
pub mod quote;

use crate::text::LaunchText;

use here::{Here, sets};

pub use check::check;
pub use command::{Check, Command, Dialect, Form, Naming};
pub use explain::{Advice, Fit, Images, Kind, Precision, Runs, SOURCE, images, kinds, pairs, runs};
pub use listing::{listing, select};
pub use plan::{HostCards, HostFacts, Job, LaunchCard, Link, Plan, by_host};
pub use quote::posix::single_quote;

/// Names of all commands, in their order. They stand in addresses, in what browsers remember and in people's scripts:
/// none is ever changed or used for something else.
pub const FORMATS: [&str; 30] = [
    "run",
    "shell",
    "once",
    "profile",
    "ssh",
    "tmux",
    "systemd",
    "systemd_run",
    "docker",
    "compose",
    "podman",
    "nerdctl",
    "apptainer",
    "devcontainer",
    "python",
    "torch",
    "torchrun",
    "accelerate",
    "deepspeed",
    "lightning",
    "tensorflow",
    "jax",
    "multiprocessing",
    "vllm",
    "ollama",
    "llama_cpp",
    "jupyter",
    "kubernetes",
    "kubernetes_dra",
    "slurm",
];

/// All launch commands for the cards of one booking on one of its hosts, the one at this place in the plan; none without
/// such a host, or without cards.
#[must_use]
pub fn commands(plan: &Plan, at: usize, text: &LaunchText) -> Vec<Command> {
    let Some(host) = plan.hosts.get(at).filter(|host| !host.cards.is_empty()) else { return Vec::new() };
    let here = &Here { plan, at, host, text };
    vec![
        direct::run::run(here),
        direct::shell::session(here),
        direct::shell::once(here),
        direct::shell::profile(here),
        direct::remote::ssh(here),
        direct::remote::tmux(here),
        direct::service::unit(here),
        direct::service::run(here),
        container::docker::docker(here),
        container::compose::compose(here),
        container::podman::podman(here),
        container::docker::nerdctl(here),
        container::apptainer::apptainer(here),
        container::devcontainer::devcontainer(here),
        framework::blocks::python(here),
        framework::torch::torch(here),
        framework::torchrun::torchrun(here),
        framework::launchers::accelerate(here),
        framework::launchers::deepspeed(here),
        framework::torch::lightning(here),
        framework::tensorflow::tensorflow(here),
        framework::jax::jax(here),
        framework::blocks::multiprocessing(here),
        framework::serving::vllm(here),
        framework::serving::ollama(here),
        framework::serving::llama_cpp(here),
        framework::jupyter::jupyter(here),
        cluster::kubernetes::count(here),
        cluster::kubernetes::dra(here),
        cluster::slurm::slurm(here),
    ]
}

/// A card and what a program calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// The physical card.
    pub card: LaunchCard,
    /// `cuda:0` and so on.
    pub program: String,
}

/// Which card a program sees as which `cuda:N`, when it is started with these lines.
#[must_use]
pub fn mapping(host: &HostCards) -> Vec<Mapped> {
    let name = |(n, card): (usize, &LaunchCard)| Mapped { card: card.clone(), program: format!("cuda:{n}") };
    sets(&host.cards).iter().flat_map(|set| set.cards.iter().copied().enumerate().map(name)).collect()
}

#[cfg(test)]
mod tests;
