//! A simulated driver in a folder of its own, so that tests in one process do not share a library's state.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use nvml_sim::lay_out::{CONTROL, LIBRARY, PROFILE, lay_out, replace};

/// Where the profiles are, from a test of this package and from one of the agent's.
const PROFILES: [&str; 2] =
    [concat!(env!("CARGO_MANIFEST_DIR"), "/profiles"), concat!(env!("CARGO_MANIFEST_DIR"), "/nvml-sim/profiles")];

/// Text of a profile.
pub fn profile(host: &str) -> String {
    let file = format!("{host}.toml");
    let read = |folder: &&str| fs::read_to_string(Path::new(folder).join(&file)).ok();
    PROFILES.iter().find_map(read).expect("a profile of this host")
}

/// The library as cargo built it for this test.
pub fn built_library() -> PathBuf {
    if let Some(path) = std::env::var_os("BERTH_NVML_SIM") {
        return path.into();
    }
    let exe = std::env::current_exe().expect("path of the test");
    // Tests lie in `target/PROFILE/deps`, the library there or one above.
    let deps = exe.parent().expect("folder of the test");
    let candidates = [deps.join("libnvml_sim.so"), deps.join("../libnvml_sim.so")];
    candidates
        .into_iter()
        .filter(|path| path.is_file())
        .max_by_key(|path| path.metadata().and_then(|meta| meta.modified()).ok())
        .expect("libnvml_sim.so: build it with `cargo build -p nvml-sim`, or name it in BERTH_NVML_SIM")
}

/// A folder with a library, its profile and its control file.
pub struct SimHost {
    folder: tempfile::TempDir,
}

impl SimHost {
    /// A host with one of the profiles, under a name of its own: processes of a demonstration that runs on this machine
    /// are none of its.
    pub fn new(host: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("host = \"test-{}-{}\"", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self::with_profile(&profile(host).replacen(&format!("host = \"{host}\""), &name, 1))
    }

    /// A host with a profile of the test's own. Its library lacks what the profile's `missing` names.
    pub fn with_profile(text: &str) -> Self {
        Self::without(text, &[])
    }

    /// A host whose library lacks these functions; the profile must not have a list of them itself.
    pub fn without(profile: &str, names: &[&str]) -> Self {
        let missing = if names.is_empty() { String::new() } else { format!("missing = {names:?}\n") };
        let built = fs::read(built_library()).expect("read the library");
        Self::with_library(&format!("{missing}{profile}"), &built)
    }

    /// A host with a library that the test has changed.
    pub fn with_library(profile: &str, library: &[u8]) -> Self {
        let host = Self { folder: tempfile::tempdir().expect("temporary folder") };
        // A copy, not a link: the loader takes one file by two names for one library.
        lay_out(host.folder(), profile, library).expect("lay the host out");
        host
    }

    /// Its folder, which is also the root of its `sys` and `proc`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Path of the library.
    pub fn library(&self) -> PathBuf {
        self.folder().join(LIBRARY)
    }

    /// Replaces the profile, for the next initialisation.
    pub fn set_profile(&self, text: &str) {
        self.replace(PROFILE, text);
    }

    /// Replaces the control file, in force within a moment.
    pub fn control(&self, text: &str) {
        self.replace(CONTROL, text);
    }

    fn replace(&self, name: &str, text: &str) {
        replace(&self.folder().join(name), text.as_bytes()).expect("write");
    }
}
