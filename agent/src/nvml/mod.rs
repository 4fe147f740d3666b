//! Reads the cards through NVML, on a thread of its own.
//!
//! One bad field never costs a card, one bad card never the host, and NVML failing never the agent: each gap says why
//! it is there. The rest of the agent sees only [`Sampler`].
//!
//! - [`sampler`]: the thread, the newest [`Snapshot`], and whether a call hangs
//! - `session`: NVML itself: opening it, and opening it again with growing pauses
//! - `stock`: the host's inventory, read seldom: `traits`: what a card is in full; `links`: how cards are linked
//! - `inventory`: what a card is; `sensors`: what it does; `health`: what an error means
//! - `processes`: who is on a card; `attribution`, `accounts`: whose they are; [`command`], [`redact`]: what they were
//!   started as, without secrets
//! - `raw`: calls that the wrapper lacks or gets wrong

mod accounts;
mod attribution;
pub mod command;
mod health;
mod inventory;
mod links;
mod processes;
mod raw;
pub mod redact;
mod retry;
pub mod sampler;
mod sensors;
mod session;
mod stock;
mod traits;

use std::sync::Arc;

use domain::inventory::Inventory;
use domain::wire::agent_v1::{CardReport, NvmlState};

pub use sampler::{Latest, Sampler};

/// Everything that NVML said in one round.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// How NVML is doing; without it there are no cards.
    pub nvml: NvmlState,
    /// Driver version, where NVML says.
    pub driver_version: Option<String>,
    /// CUDA version that the driver offers, such as `12.8`.
    pub cuda_version: Option<String>,
    /// What the machine and its cards are; the last one, also while NVML is away. `None` until NVML has answered.
    pub inventory: Option<Arc<Inventory>>,
    /// Names the content of the inventory: 16 hexadecimal digits.
    pub inventory_id: Option<String>,
    /// Every card that NVML lists, in its order.
    pub cards: Vec<CardReport>,
}

impl Snapshot {
    /// A round without cards.
    #[must_use]
    pub fn without_cards(nvml: NvmlState) -> Self {
        Self { nvml, driver_version: None, cuda_version: None, inventory: None, inventory_id: None, cards: Vec::new() }
    }
}
