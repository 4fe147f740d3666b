//! `berth topo`: how the cards of this host are linked.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use domain::inventory::Inventory;
use domain::topology::Topology;
use domain::wire::guard_v1::{Answer, Ask};
use serde::Serialize;

use super::status::harmless;
use super::{EXIT_FAILED, NvmlOption, PATIENCE, SocketOption, print, say, start_agent_hint};
use crate::clean::clean;
use crate::guard::client::{NoAnswer, ask};
use crate::nvml::Sampler;

/// A driver that has to start its cards first takes seconds.
const FIRST_ROUND: Duration = Duration::from_secs(15);
/// Counts up when a field goes or changes its meaning; new fields may come at any time.
const VERSION: u32 = 1;

/// Show how the cards of this host are linked, as `nvidia-smi topo -m` does
///
/// Asks this host's agent. Without an agent it reads the cards itself.
#[derive(Debug, Args)]
pub struct Options {
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    socket: SocketOption,

    #[command(flatten)]
    nvml: NvmlOption,
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    /// The words of the table, a row for each card.
    matrix: Vec<Vec<String>>,
    topology: &'a Topology,
}

pub(super) fn run(options: &Options) -> ExitCode {
    match text(options) {
        Ok(text) => print(&text),
        Err(message) => {
            say(&format!("berth: {message}"));
            ExitCode::from(EXIT_FAILED)
        }
    }
}

fn text(options: &Options) -> Result<String, String> {
    let nothing = || "The cards have not been read yet. `berth status` says why.".to_owned();
    let topology = match ask(&options.socket.socket, &Ask::Inventory, PATIENCE) {
        Ok(Answer::Inventory { inventory }) => inventory.map(|known| known.topology).ok_or_else(nothing)?,
        Ok(Answer::Failed { message }) => return Err(clean(&message)),
        Ok(_) => return Err("The agent answers another question than was asked.".to_owned()),
        Err(NoAnswer::NoAgent { .. }) => own_reading(&options.nvml).ok_or_else(nothing)?.topology.clone(),
        Err(error) => return Err(format!("{error}.\n{}", start_agent_hint())),
    };
    if !options.json {
        // What a card says of itself comes from its driver, and is no more to be trusted than other text.
        let lines = topology.table_with_legend();
        return Ok(lines.split('\n').map(cleaned).collect::<Vec<_>>().join("\n"));
    }
    let matrix = topology.matrix().rows().map(|row| row.iter().map(ToString::to_string).collect()).collect();
    let document = Document { version: VERSION, matrix, topology: &topology };
    serde_json::to_string_pretty(&document).map(harmless).map_err(|error| error.to_string())
}

/// Without anything that a terminal acts upon, but for the tabs.
fn cleaned(line: &str) -> String {
    line.split('\t').map(clean).collect::<Vec<_>>().join("\t")
}

fn own_reading(nvml: &NvmlOption) -> Option<Arc<Inventory>> {
    let sampler = Sampler::with(nvml.setup(FIRST_ROUND)).ok()?;
    sampler.wait_after(0, FIRST_ROUND).snapshot.inventory.clone()
}
