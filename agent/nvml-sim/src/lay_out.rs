//! A simulated driver in a folder of its own: the library under the name that programs look for, and its profile.

use std::fs;
use std::io;
use std::path::Path;

use crate::library;
use crate::profile::Profile;

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
pub fn lay_out(folder: &Path, profile: &str, built: &[u8]) -> Result<(), String> {
    let missing = Profile::parse(profile)?.missing;
    let copy = library::without(built, &missing)?;
    let put = |name: &str, bytes: &[u8]| {
        replace(&folder.join(name), bytes).map_err(|error| format!("{}: {error}", folder.join(name).display()))
    };
    put(LIBRARY, &copy)?;
    put(PROFILE, profile.as_bytes())
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
