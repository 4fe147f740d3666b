//! A simulated driver in a folder of its own: the library under the name that programs look for, its profile, and the few
//! files of the kernel that an agent looks at beside NVML.

use std::fs;
use std::io;
use std::path::Path;

use crate::library;
use crate::profile::{Profile, bus_parts};

/// Name by which programs find NVIDIA's library.
pub const LIBRARY: &str = "libnvidia-ml.so.1";
/// Name of the profile beside it.
pub const PROFILE: &str = "profile.toml";
/// Name of the control file beside it.
pub const CONTROL: &str = "control.toml";

/// Writes library and profile into an existing folder. The copy of the library lacks what the profile's `missing` names.
///
/// A program uses the simulated driver when it loads this library: `LD_LIBRARY_PATH=FOLDER` is enough for most.
///
/// # Errors
/// A sentence, where the profile is wrong, the library is none, or a file cannot be written.
pub fn lay_out(folder: &Path, text: &str, built: &[u8]) -> Result<(), String> {
    let profile = Profile::parse(text)?;
    let copy = library::without(built, &profile.missing)?;
    let put = |name: &str, bytes: &[u8]| {
        replace(&folder.join(name), bytes).map_err(|error| format!("{}: {error}", folder.join(name).display()))
    };
    put(LIBRARY, &copy)?;
    put(PROFILE, text.as_bytes())?;
    for (name, content) in kernel_files(&profile) {
        let parent = folder.join(&name).parent().map(Path::to_path_buf).unwrap_or_default();
        fs::create_dir_all(&parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        put(&name, content.as_bytes())?;
    }
    Ok(())
}

/// What the kernel tells of the driver and of each card's PCI device.
fn kernel_files(profile: &Profile) -> Vec<(String, String)> {
    let version = format!(
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Simulated\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n",
        profile.driver
    );
    let mut files = vec![("proc/driver/nvidia/version".to_owned(), version)];
    for card in &profile.card {
        let Some((domain, bus, device)) = bus_parts(&card.bus) else { continue };
        let place = format!("sys/bus/pci/devices/{domain:04x}:{bus:02x}:{device:02x}.0");
        files.push((format!("{place}/numa_node"), format!("{}\n", card.numa)));
        files.push((format!("{place}/power/runtime_status"), "active\n".to_owned()));
    }
    files
}

/// Replaces a file at once, so that nobody reads half of it and a loaded library stays as it was.
///
/// # Errors
/// Whatever the file system says.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("fresh");
    fs::write(&fresh, bytes)?;
    fs::rename(fresh, path)
}
