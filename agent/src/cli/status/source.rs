//! Where the host's state comes from: its agent, or NVML itself where no agent answers.

use std::path::PathBuf;
use std::time::Duration;

use domain::wire::agent_v1::NvmlState;
use domain::wire::guard_v1::{Answer, Ask, HostStatus};

use crate::clean::clean;
use crate::cli::{NvmlOption, PATIENCE, start_agent_hint};
use crate::guard::client::{NoAnswer, ask};
use crate::guard::peer;
use crate::host;
use crate::nvml::Sampler;

/// A driver that has to start its cards first takes seconds.
const FIRST_ROUND: Duration = Duration::from_secs(15);

/// The host as it is now.
pub(super) struct Look {
    pub status: HostStatus,
    /// Why it does not come from the agent.
    pub no_agent: Option<String>,
}

impl Look {
    /// There is something to show: bookings, or cards.
    pub fn is_good(&self) -> bool {
        self.no_agent.is_none() || self.status.nvml == Some(NvmlState::Ok)
    }
}

/// Asks again and again.
pub(super) struct Source {
    socket: PathBuf,
    nvml: NvmlOption,
    every: Duration,
    /// Opened when it is needed first, and kept: opening NVML may start the cards each time.
    own: Option<Sampler>,
}

impl Source {
    /// `every` is from one look to the next, should there be several.
    pub fn new(socket: PathBuf, nvml: NvmlOption, every: Duration) -> Self {
        Self { socket, nvml, every, own: None }
    }

    /// Looks once.
    ///
    /// # Errors
    /// A sentence for the person, where the agent is there and does not answer as it should.
    pub fn look(&mut self) -> Result<Look, String> {
        match ask(&self.socket, &Ask::Status, PATIENCE) {
            Ok(Answer::Status(status)) => {
                self.own = None;
                Ok(Look { status, no_agent: None })
            }
            Ok(Answer::Failed { message }) => Err(format!("berth: {}", clean(&message))),
            Ok(_) => Err("berth: the agent answers another question than was asked.".to_owned()),
            Err(error @ NoAnswer::NoAgent { .. }) => self.read_nvml(&error),
            Err(error) => Err(format!("berth: {error}.\n{}", start_agent_hint())),
        }
    }

    fn read_nvml(&mut self, error: &NoAnswer) -> Result<Look, String> {
        let (sampler, fresh) = match self.own.take() {
            Some(sampler) => (sampler, false),
            None => {
                let started = Sampler::with(self.nvml.setup(self.every));
                (started.map_err(|error| format!("berth: the system gives no thread: {error}."))?, true)
            }
        };
        let latest = if fresh { sampler.wait_after(0, FIRST_ROUND) } else { sampler.latest() };
        self.own = Some(sampler);
        let snapshot = &latest.snapshot;
        let status = HostStatus {
            host_name: host::name(),
            portal_url: String::new(),
            os_user: peer::name_of(nix::unistd::getuid().as_raw()),
            person: None,
            held: Vec::new(),
            free: Vec::new(),
            table_age_s: None,
            nvml: Some(snapshot.nvml.clone()),
            driver_version: snapshot.driver_version.clone(),
            cuda_version: snapshot.cuda_version.clone(),
            sampled_at: Some(latest.sampled_at),
            cards: snapshot.cards.clone(),
            accounts: Vec::new(),
            notices: Vec::new(),
        };
        Ok(Look { status, no_agent: Some(error.to_string()) })
    }
}
