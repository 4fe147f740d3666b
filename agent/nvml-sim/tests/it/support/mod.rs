//! A simulated driver in a folder of its own, so that tests in one process do not share a library's state.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use nvml_sim::library;
use nvml_sim::profile::Profile;

/// Profiles by the name of their host.
const PROFILES: [(&str, &str); 3] = [
    ("dgx-h100", include_str!("../../../profiles/dgx-h100.toml")),
    ("rig-3090", include_str!("../../../profiles/rig-3090.toml")),
    ("ws-mixed", include_str!("../../../profiles/ws-mixed.toml")),
];

/// Text of a profile.
pub fn profile(host: &str) -> String {
    let (_, text) = PROFILES.iter().find(|(name, _)| *name == host).expect("a profile of this host");
    (*text).to_owned()
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
        let missing = Profile::parse(text).map(|profile| profile.missing).unwrap_or_default();
        Self::without(text, &missing)
    }

    /// A host whose library lacks these functions.
    pub fn without<S: AsRef<str>>(profile: &str, names: &[S]) -> Self {
        let built = fs::read(built_library()).expect("read the library");
        Self::with_library(profile, &library::without(&built, names).expect("functions of the library"))
    }

    /// A host with a library that the test has changed.
    pub fn with_library(profile: &str, library: &[u8]) -> Self {
        let host = Self { folder: tempfile::tempdir().expect("temporary folder") };
        // A copy, not a link: the loader takes one file by two names for one library.
        fs::write(host.library(), library).expect("copy the library");
        host.set_profile(profile);
        host
    }

    /// Path of the library.
    pub fn library(&self) -> PathBuf {
        self.folder.path().join("libnvidia-ml.so.1")
    }

    /// Replaces the profile, for the next initialisation.
    pub fn set_profile(&self, text: &str) {
        self.replace("profile.toml", text);
    }

    /// Replaces the control file, in force within a moment.
    pub fn control(&self, text: &str) {
        self.replace("control.toml", text);
    }

    /// A reader never sees half a file.
    fn replace(&self, name: &str, text: &str) {
        let fresh = self.folder.path().join("fresh");
        fs::write(&fresh, text).expect("write");
        fs::rename(fresh, self.folder.path().join(name)).expect("rename");
    }
}
