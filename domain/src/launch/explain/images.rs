//! Which container images a driver can run, by the CUDA version that they were built with.
//!
//! A driver runs everything that was built for its own CUDA version or an older one. Within a major version it also runs
//! what is newer, without what that CUDA added and without compiling PTX: NVIDIA's minor-version compatibility, which
//! needs a driver of at least that major version's first branch.

use crate::launch::HostFacts;

/// Where the rules stand.
pub const SOURCE: &str = "https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html";

/// First driver branch of each major CUDA version that has minor-version compatibility, newest first.
const FAMILIES: [(u32, u32); 3] = [(580, 13), (525, 12), (450, 11)];

/// What a host's driver can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    /// Version of the driver, as the host reported it.
    pub driver: String,
    /// Newest CUDA version that it runs in full, where the host reported it.
    pub newest: Option<(u32, u32)>,
    /// Major version within which newer ones run too, with less.
    pub family: Option<u32>,
}

/// How an image runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// As it was built.
    Fully,
    /// By minor-version compatibility: without what is newer than the driver, and without compiling PTX.
    Limited,
    /// Not without another driver, or NVIDIA's forward-compatibility package on a data-centre card.
    Not,
}

/// What a host's driver can run; `None` where it has not said what driver it has.
#[must_use]
pub fn images(facts: &HostFacts) -> Option<Images> {
    let driver = facts.driver_version.clone()?;
    let branch: Option<u32> = driver.split('.').next().and_then(|branch| branch.parse().ok());
    let newest = facts.cuda_version.as_deref().and_then(version);
    let family =
        FAMILIES.iter().find(|(first, _)| branch.is_some_and(|branch| branch >= *first)).map(|(_, major)| *major);
    // A driver of a branch that is newer than this list says itself what it belongs to.
    let family = family.map(|major| newest.map_or(major, |(newest, _)| major.max(newest)));
    Some(Images { driver, newest, family })
}

/// How an image runs that was built with this CUDA version.
#[must_use]
pub fn runs(images: &Images, built_with: (u32, u32)) -> Runs {
    if images.newest.is_some_and(|newest| built_with <= newest) {
        return Runs::Fully;
    }
    match images.family {
        Some(family) if built_with.0 < family => Runs::Fully,
        Some(family) if built_with.0 == family => Runs::Limited,
        _ => Runs::Not,
    }
}

/// `12.8`
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
