//! Where the kernel's and the system's own files lie.

use std::path::{Path, PathBuf};

/// The folders that the agent reads from. Tests put others in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// `/`, for the marks that container runtimes leave.
    pub root: PathBuf,
    /// `/proc`
    pub proc: PathBuf,
    /// `/proc/driver/nvidia`
    pub driver: PathBuf,
    /// `/sys`
    pub sys: PathBuf,
    /// `/etc`
    pub etc: PathBuf,
}

impl Default for Places {
    fn default() -> Self {
        Self::below(Path::new("/"))
    }
}

impl Places {
    /// All of them below another root.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        let proc = root.join("proc");
        let driver = proc.join("driver/nvidia");
        Self { root: root.to_path_buf(), proc, driver, sys: root.join("sys"), etc: root.join("etc") }
    }

    /// sysfs's folder of a PCI address (`0000:1b:00.0`).
    #[must_use]
    pub fn pci(&self, address: &str) -> PathBuf {
        self.sys.join("bus/pci/devices").join(address)
    }
}
