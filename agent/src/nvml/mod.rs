//! Reads the cards through NVML, on a thread of its own.
//!
//! One bad field never costs a card, one bad card never the host, and NVML failing never the agent: each gap says why
//! it is there. The rest of the agent sees only [`Sampler`].
//!
//! - [`sampler`]: the thread, the newest [`Snapshot`], whether a call hangs, and pauses
//! - `session`: NVML itself: opening it, and opening it again with growing pauses (`retry`); `driver`: why it fails
//! - `round`: one round through the cards. `inventory`: which card it is; `sensors`, `memory`, `detail`: what it does;
//!   `mig`: its instances; `asleep`: cards that must not be woken; `health`: what an error means
//! - `processes`: who is on a card; `usage`: how much of it they take; `attribution`, `accounts`, `cgroup`: whose they
//!   are; [`command`], [`redact`]: what they were started as, without secrets
//! - `stock`: the host's inventory, read seldom. `traits`: what a card is in full; `links`: how cards are linked
//! - `xid`: the driver's messages, on a thread of their own
//! - `raw`: calls that the wrapper lacks or gets wrong

mod accounts;
mod asleep;
mod attribution;
mod cgroup;
pub mod command;
mod detail;
mod driver;
mod health;
mod inventory;
mod links;
mod memory;
mod mig;
mod processes;
mod raw;
pub mod redact;
mod retry;
mod round;
pub mod sampler;
mod sensors;
mod session;
mod stock;
mod traits;
mod usage;
mod xid;

use std::sync::Arc;

use domain::inventory::Inventory;
use domain::wire::agent_v1::{CardReport, NvmlState};

pub use retry::Pauses;
pub use sampler::{Latest, Sampler, Setup};

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
