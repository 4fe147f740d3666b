//! What NVML itself says: whether it opens, whether its version fits the driver's, and how the cards are.

use std::path::PathBuf;
use std::time::Duration;

use domain::card::CardHealth;
use domain::wire::agent_v1::{CardReport, NvmlState};

use super::finding::Finding;
use crate::clean::clean;
use crate::nvml::{Sampler, Setup, Snapshot};

/// One look at all cards; a slow one is far below.
const PATIENCE: Duration = Duration::from_secs(10);
/// From then on a call counts as hanging.
const STALLED_AFTER: Duration = Duration::from_secs(8);
/// There is one round only.
const INTERVAL: Duration = Duration::from_secs(60);

/// Opens NVML once and looks at all cards.
pub(super) fn check(library: Option<PathBuf>) -> Vec<Finding> {
    let setup = Setup { library, interval: INTERVAL, stalled_after: STALLED_AFTER, ..Setup::default() };
    let sampler = match Sampler::with(setup) {
        Ok(sampler) => sampler,
        Err(error) => return vec![Finding::skipped("nvml", format!("The system gives no thread: {error}."))],
    };
    let snapshot = sampler.wait_after(0, PATIENCE).snapshot;
    vec![nvml(&snapshot), version(&snapshot), cards(&snapshot)]
}

fn nvml(snapshot: &Snapshot) -> Finding {
    let problem = |found: &str, why: &str, fix: &str| Finding::problem("nvml", found, why, fix);
    match &snapshot.nvml {
        NvmlState::Ok => {
            let driver = snapshot.driver_version.as_deref().unwrap_or("of an unknown version");
            let cuda = snapshot.cuda_version.as_deref().unwrap_or("unknown");
            Finding::ok("nvml", clean(&format!("NVML answers: driver {driver}, CUDA {cuda}.")))
        }
        NvmlState::NoLibrary { detail } => problem(
            "libnvidia-ml.so.1 is not there, or cannot be loaded.",
            &format!("The loader says: {}", clean(detail)),
            "Install the driver's library: libnvidia-compute-VERSION on Ubuntu, libnvidia-ml1 on Debian, \
             nvidia-driver-NVML on Fedora. In a container, start it with --gpus all.",
        ),
        NvmlState::DriverNotLoaded => problem(
            "NVML finds no driver.",
            "The library is there, the kernel module nvidia is not loaded.",
            "sudo modprobe nvidia; sudo dmesg | grep -i nvrm says why it does not load.",
        ),
        NvmlState::VersionMismatch { .. } => {
            problem("NVML does not open.", "Its version is not that of the driver; see below.", "As for the version.")
        }
        NvmlState::Blocked => problem(
            "The operating system keeps the cards from NVML.",
            "Under WSL that is so when Windows' driver is older than what runs here needs.",
            "Update NVIDIA's driver in Windows, then run wsl --shutdown there.",
        ),
        NvmlState::LostInContainer => problem(
            "This container has lost its cards.",
            "On the host, systemctl daemon-reload or an update has rewritten the container's list of devices.",
            "Make the container anew. To keep it from happening, let Docker use cgroupfs as its cgroup driver.",
        ),
        NvmlState::Paused { .. } => Finding::skipped("nvml", "NVML is let go of, by berth agent pause."),
        NvmlState::Stalled { .. } => problem(
            "NVML does not return.",
            "A call hangs in the driver. Mostly a card has fallen off the bus.",
            "sudo dmesg | grep -iE 'xid|nvrm' says which card. A restart of the machine helps, a cold one if need be.",
        ),
        NvmlState::Failed => problem(
            "NVML does not open.",
            "It gives an error without a cause.",
            "nvidia-smi may say more, and so may sudo dmesg | grep -i nvrm.",
        ),
    }
}

fn version(snapshot: &Snapshot) -> Finding {
    let NvmlState::VersionMismatch { kernel, library } = &snapshot.nvml else {
        return match snapshot.nvml {
            NvmlState::Ok => Finding::ok("version", "Library and kernel module are of one version."),
            _ => Finding::skipped("version", "NVML has to open before versions can be compared."),
        };
    };
    let known = |version: &Option<String>| version.as_deref().map_or_else(|| "another version".to_owned(), clean);
    Finding::problem(
        "version",
        format!("The library is of {}, the kernel module of {}.", known(library), known(kernel)),
        "The driver was upgraded while the old module was in use, as by unattended upgrades.",
        "Restart the machine. Without a restart: end all that uses the cards, then sudo rmmod nvidia_uvm nvidia_drm \
         nvidia_modeset nvidia && sudo modprobe nvidia.",
    )
}

fn cards(snapshot: &Snapshot) -> Finding {
    if snapshot.nvml != NvmlState::Ok {
        return Finding::skipped("cards", "NVML has to answer before cards can be seen.");
    }
    let named = |card: &CardReport| format!("card {} ({})", card.facts.number(), clean(&card.facts.name));
    let sick: Vec<String> = snapshot
        .cards
        .iter()
        .filter(|card| !card.health.is_well())
        .map(|card| format!("{}: {}", named(card), ailment(card.health)))
        .collect();
    // MIG instances are no cards of their own.
    match (snapshot.cards.iter().filter(|card| card.facts.part.is_none()).count(), sick.len()) {
        (0, _) => Finding::problem(
            "cards",
            "NVML lists no card.",
            "All of them have fallen off the bus, are excluded, or belong to virtual machines.",
            "lspci -d 10de: -nn shows what is on the bus, and with -k which driver holds it.",
        ),
        (1, 0) => Finding::ok("cards", "One card, and it is well."),
        (all, 0) => Finding::ok("cards", format!("{all} cards, all well.")),
        (_, _) => Finding::problem(
            "cards",
            format!("{}.", sick.join("; ")),
            "They are shown in the portal as they are, and cannot be booked.",
            "sudo berth agent pause lets go of them for a reset: sudo nvidia-smi --gpu-reset -i INDEX. A lost card needs a \
             restart of the machine; a defective one, to be replaced.",
        ),
    }
}

fn ailment(health: CardHealth) -> &'static str {
    match health {
        CardHealth::Ok | CardHealth::Asleep => "well",
        CardHealth::Lost => "fell off the bus",
        CardHealth::ResetNeeded => "needs a reset",
        CardHealth::RepairPending => "memory repair waits for a reset",
        CardHealth::Defective => "memory is beyond repair",
        CardHealth::Failing => "answers with errors",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::State;

    #[test]
    fn every_state_of_nvml_says_what_to_do() {
        let now = time::OffsetDateTime::UNIX_EPOCH;
        let states = [
            NvmlState::NoLibrary { detail: "no\u{1b} such file".to_owned() },
            NvmlState::DriverNotLoaded,
            NvmlState::VersionMismatch { kernel: Some("535.1".to_owned()), library: None },
            NvmlState::Blocked,
            NvmlState::LostInContainer,
            NvmlState::Stalled { since: now },
            NvmlState::Failed,
        ];
        for state in states {
            let snapshot = Snapshot::without_cards(state);
            let found = nvml(&snapshot);
            assert_eq!(found.state, State::Problem, "{found:?}");
            assert!(found.why.is_some_and(|why| !why.is_empty() && !why.contains('\u{1b}')));
            assert!(found.fix.is_some_and(|fix| !fix.is_empty()));
            assert_eq!(cards(&snapshot).state, State::Skipped);
        }
        let paused = Snapshot::without_cards(NvmlState::Paused { until: now });
        assert_eq!(nvml(&paused).state, State::Skipped);
        let mismatch = NvmlState::VersionMismatch { kernel: Some("535.1".to_owned()), library: None };
        let found = version(&Snapshot::without_cards(mismatch));
        assert_eq!(found.found, "The library is of another version, the kernel module of 535.1.");
        assert_eq!(cards(&Snapshot::without_cards(NvmlState::Ok)).state, State::Problem);
    }
}
