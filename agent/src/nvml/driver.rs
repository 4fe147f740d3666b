//! What an error of the library as a whole means, and the versions that explain it.

use std::fs;
use std::path::{Path, PathBuf};

use domain::inventory::Platform;
use domain::wire::agent_v1::NvmlState;
use nvml_wrapper::error::NvmlError;

use crate::host::{self, Places};

/// Longest text of a loader's complaint, in characters.
const DETAIL_MAX: usize = 200;
/// Name of the library, as programs ask for it.
const LIBRARY: &str = "libnvidia-ml.so.1";
/// Where systems keep it.
const FOLDERS: [&str; 7] = [
    "usr/lib/x86_64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
    "usr/lib64",
    "usr/lib",
    "usr/lib64/nvidia",
    "run/opengl-driver/lib",
    "usr/lib/wsl/lib",
];

/// Why NVML is of no use.
pub(super) fn state_of(error: &NvmlError, library: Option<&Path>, places: &Places) -> NvmlState {
    match error {
        NvmlError::LibloadingError(why) => NvmlState::NoLibrary { detail: detail(&why.to_string()) },
        NvmlError::FailedToLoadSymbol(why) => NvmlState::NoLibrary { detail: detail(why) },
        NvmlError::DriverNotLoaded => NvmlState::DriverNotLoaded,
        NvmlError::LibRmVersionMismatch => {
            NvmlState::VersionMismatch { kernel: kernel_version(places), library: library_version(library, places) }
        }
        NvmlError::OperatingSystem => NvmlState::Blocked,
        // A container whose devices were taken away, as `systemctl daemon-reload` on its host does.
        NvmlError::Unknown if host::platform(places) == Platform::Container => NvmlState::LostInContainer,
        _ => NvmlState::Failed,
    }
}

/// A loader's words, in one line of bounded length.
fn detail(text: &str) -> String {
    let safe = |c: char| if domain::user::is_deceptive(c) { ' ' } else { c };
    text.chars().take(DETAIL_MAX).map(safe).collect()
}

/// `NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023`
fn kernel_version(places: &Places) -> Option<String> {
    let text = fs::read_to_string(places.driver.join("version")).ok()?;
    let line = text.lines().find(|line| line.starts_with("NVRM version:"))?;
    line.split_whitespace().find(|word| is_version(word)).map(str::to_owned)
}

/// The name that programs ask for leads to a file whose name ends in the version.
fn library_version(library: Option<&Path>, places: &Places) -> Option<String> {
    let candidates: Vec<PathBuf> = match library {
        Some(library) => vec![library.to_path_buf()],
        None => FOLDERS.iter().map(|folder| places.root.join(folder).join(LIBRARY)).collect(),
    };
    candidates.into_iter().find_map(|path| {
        let file = fs::canonicalize(path).ok()?;
        let version = file.file_name()?.to_str()?.split_once(".so.")?.1.to_owned();
        is_version(&version).then_some(version)
    })
}

/// `535.54.03`
fn is_version(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    parts.len() >= 2 && parts.iter().all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn lay(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn a_mismatch_names_both_versions() {
        let root = tempfile::tempdir().expect("folder");
        let places = Places::below(root.path());
        let state = |library| state_of(&NvmlError::LibRmVersionMismatch, library, &places);
        assert_eq!(state(None), NvmlState::VersionMismatch { kernel: None, library: None });
        lay(
            root.path(),
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.133.20  Release Build  (root@x)\n\
             GCC version:  gcc version 12.2.0\n",
        );
        lay(root.path(), "usr/lib/x86_64-linux-gnu/libnvidia-ml.so.575.51.03", "");
        symlink("libnvidia-ml.so.575.51.03", root.path().join("usr/lib/x86_64-linux-gnu").join(LIBRARY))
            .expect("linked");
        let both =
            NvmlState::VersionMismatch { kernel: Some("570.133.20".to_owned()), library: Some("575.51.03".to_owned()) };
        assert_eq!(state(None), both);
        let elsewhere = root.path().join("own.so.1");
        assert!(matches!(state(Some(&elsewhere)), NvmlState::VersionMismatch { library: None, .. }));
    }

    #[test]
    fn errors_of_the_whole_library_have_names() {
        let root = tempfile::tempdir().expect("folder");
        let places = Places::below(root.path());
        let state = |error| state_of(&error, None, &places);
        assert_eq!(state(NvmlError::OperatingSystem), NvmlState::Blocked);
        assert_eq!(state(NvmlError::DriverNotLoaded), NvmlState::DriverNotLoaded);
        assert_eq!(state(NvmlError::Unknown), NvmlState::Failed);
        assert_eq!(state(NvmlError::UnexpectedVariant(4242)), NvmlState::Failed);
        lay(root.path(), ".dockerenv", "");
        assert_eq!(state(NvmlError::Unknown), NvmlState::LostInContainer);
    }
}
