//! Started in a container: what is the same for all runtimes.
//!
//! Inside, cards are counted anew, in bus order or the fastest first, whatever order they were asked for in. Where that
//! would not be the order of the booking, the container gets variables of its own.

pub(super) mod apptainer;
pub(super) mod compose;
pub(super) mod devcontainer;
pub(super) mod docker;
pub(super) mod podman;

use super::here::{Here, ORDER, Set};
use super::quote::posix::{single_quote, word};
use super::{Check, Naming};

/// Stands for the image as long as nobody has said one.
const IMAGE: &str = "IMAGE";
/// Prints the UUIDs of the cards that a container has got.
const LIST: &str = "nvidia-smi --query-gpu=uuid --format=csv,noheader";

/// The image as it was said; what begins with a dash is an option to every runtime, and no image.
fn image<'a>(here: &Here<'a>) -> Option<&'a str> {
    here.plan.job.image.as_deref().filter(|image| !image.is_empty() && !image.starts_with('-'))
}

/// The image in a language, or its placeholder.
pub(super) fn image_in(here: &Here<'_>, quote: impl Fn(&str) -> String) -> String {
    image(here).map_or_else(|| IMAGE.to_owned(), quote)
}

/// Image and program for POSIX shells and fish.
fn rest(here: &Here<'_>) -> String {
    format!("{} {}", image_in(here, word), here.program())
}

/// Whether image and program read alike in every shell.
fn rest_is_plain(here: &Here<'_>) -> bool {
    let plain = super::quote::posix::is_plain;
    image(here).is_none_or(plain) && here.plan.job.program.iter().all(|word| plain(word))
}

pub(super) fn placeholders(here: &Here<'_>) -> Vec<&'static str> {
    let image = image(here).is_none().then_some(IMAGE);
    image.into_iter().chain(here.program_placeholder().iter().copied()).collect()
}

/// Variables that a container needs so that its programs see these cards, and in this order.
pub(super) fn variables(here: &Here<'_>, set: &Set<'_>, naming: Naming) -> Vec<(&'static str, String)> {
    let order = ("CUDA_DEVICE_ORDER", "PCI_BUS_ID".to_owned());
    let visible = |ids: String| vec![order.clone(), ("CUDA_VISIBLE_DEVICES", ids)];
    if here.host.facts.is_wsl() {
        // Every card is in the container there, whatever was asked for.
        return visible(set.uuids());
    }
    if !set.is_in_bus_order() {
        return visible(if naming == Naming::Index { set.places() } else { set.uuids() });
    }
    if set.is_mixed() { vec![order] } else { Vec::new() }
}

/// The same as options of Docker and of all that copy it. PowerShell would take a list apart at its commas, and double
/// quotes around it mean the same to all shells.
pub(super) fn options(variables: &[(&str, String)]) -> String {
    let option = |(name, value): &(&str, String)| match value.contains(',') {
        true => format!(" -e \"{name}={value}\""),
        false => format!(" -e {name}={value}"),
    };
    variables.iter().map(option).collect()
}

/// The same before a command; with what the runtime wants before each name.
fn prefix(before: &str, variables: &[(&str, String)]) -> String {
    variables.iter().map(|(name, value)| format!("{before}{name}={value} ")).collect()
}

/// ` --device nvidia.com/gpu=GPU-a --device ...`
fn cdi_options(here: &Here<'_>, set: &Set<'_>, naming: Naming) -> String {
    cdi_names(here, set, naming).iter().map(|name| format!(" --device {name}")).collect()
}

/// Names of CDI. Under WSL there is one device, and it stands for all cards.
fn cdi_names(here: &Here<'_>, set: &Set<'_>, naming: Naming) -> Vec<String> {
    if here.host.facts.is_wsl() {
        return vec!["nvidia.com/gpu=all".to_owned()];
    }
    let name = |card: &&super::LaunchCard| match naming {
        Naming::Index => format!("nvidia.com/gpu={}", card.number),
        _ => format!("nvidia.com/gpu={}", card.uuid),
    };
    set.cards.iter().map(name).collect()
}

/// Which cards a container has got that is started by `start`: their UUIDs, one a line.
fn checks(here: &Here<'_>, start: impl Fn(&Set<'_>, &str) -> String) -> Vec<Check> {
    here.sets().iter().map(|set| checked(here, set, |program| start(set, program))).collect()
}

/// The same for one set.
pub(super) fn checked(here: &Here<'_>, set: &Set<'_>, start: impl Fn(&str) -> String) -> Check {
    if here.host.facts.is_wsl() {
        // nvidia-smi knows nothing of the variables, and there nothing else chooses.
        let count = "import torch; print(torch.cuda.device_count())";
        return Check { text: start(&format!("python -c {}", single_quote(count))), expected: set.len().to_string() };
    }
    let expected = set.cards.iter().map(|card| card.uuid.to_string()).collect::<Vec<_>>().join("\n");
    if set.is_mig() {
        let list = "nvidia-smi -L | grep -o 'MIG-[0-9A-Za-z/-]*'";
        return Check { text: start(&format!("sh -c {}", single_quote(list))), expected };
    }
    Check { text: start(LIST), expected }
}

/// The variables of a POSIX line that hold for a program on the host itself.
fn visible(set: &Set<'_>, naming: Naming) -> Vec<(&'static str, String)> {
    let ids = match naming {
        Naming::Index => set.indices().unwrap_or_else(|| set.uuids()),
        _ => set.uuids(),
    };
    let (name, value) = ORDER.split_once('=').unwrap_or((ORDER, ""));
    vec![(name, value.to_owned()), ("CUDA_VISIBLE_DEVICES", ids)]
}
