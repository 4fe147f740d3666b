//! The agent's reading of cards, against the simulated library.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why and ends")]

mod cards;
mod failures;
mod health;
mod inventory;
mod mig;
mod pause;
mod platforms;
mod processes;
mod storm;
#[path = "../../nvml-sim/tests/it/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use agent::host::Places;
use agent::nvml::{Latest, Pauses, Sampler, Setup, Snapshot};
use domain::wire::agent_v1::CardReport;
use support::SimHost;

/// Short, so that faults show soon.
const INTERVAL: Duration = Duration::from_millis(60);
/// A test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// The host's own library and files of the driver, and the processes of this machine.
fn setup(host: &SimHost) -> Setup {
    Setup {
        library: Some(host.library()),
        interval: INTERVAL,
        pauses: Pauses { first: Duration::from_millis(20), longest: Duration::from_millis(200) },
        places: Places { proc: "/proc".into(), ..Places::below(host.folder()) },
        pids_are_ours: true,
        ..Setup::default()
    }
}

fn with(setup: Setup) -> Sampler {
    Sampler::with(setup).expect("a thread")
}

fn start(host: &SimHost) -> Sampler {
    with(setup(host))
}

/// The values so many rounds after a round.
fn rounds_after(sampler: &Sampler, round: u64, more: u64) -> Latest {
    let latest = sampler.wait_after(round + more - 1, PATIENCE);
    assert!(latest.round >= round + more);
    latest
}

/// The first snapshot, of this round or a later one, that is as asked for.
fn until(sampler: &Sampler, what: &str, check: impl Fn(&Snapshot) -> bool) -> Latest {
    let deadline = Instant::now() + PATIENCE;
    let mut latest = sampler.latest();
    while latest.round == 0 || !check(&latest.snapshot) {
        assert!(Instant::now() < deadline, "{what}: {:#?}", latest.snapshot);
        latest = sampler.wait_after(latest.round, INTERVAL * 4);
    }
    latest
}

fn first(host: &SimHost) -> Vec<CardReport> {
    until(&start(host), "a first round", |_| true).snapshot.cards.clone()
}
