//! Where the profile and the control file are.

use std::fs;
use std::path::{Path, PathBuf};

/// Names the profile, where none lies beside the library.
pub const PROFILE_VARIABLE: &str = "BERTH_NVML_SIM_PROFILE";
/// Names the control file, where the profile does not lie beside the library.
pub const CONTROL_VARIABLE: &str = "BERTH_NVML_SIM_CONTROL";

/// The two files of one simulated driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Must exist.
    pub profile: PathBuf,
    /// May come and go.
    pub control: Option<PathBuf>,
}

/// A directory that holds the library and a `profile.toml` is a simulated driver of its own, whatever the
/// environment says; so one process can load several.
#[must_use]
pub fn files() -> Option<Files> {
    if let Some(folder) = own_path().as_deref().and_then(Path::parent) {
        let profile = folder.join("profile.toml");
        if profile.is_file() {
            return Some(Files { profile, control: Some(folder.join("control.toml")) });
        }
    }
    let profile = std::env::var_os(PROFILE_VARIABLE).filter(|path| !path.is_empty())?;
    let control = std::env::var_os(CONTROL_VARIABLE).filter(|path| !path.is_empty());
    Some(Files { profile: profile.into(), control: control.map(Into::into) })
}

/// The file that this code was loaded from, found by the address of one of its own functions.
fn own_path() -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    path_at(&maps, own_path as fn() -> Option<PathBuf> as usize)
}

/// The file mapped at an address, by the text of `/proc/PID/maps`.
fn path_at(maps: &str, address: usize) -> Option<PathBuf> {
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let (from, to) = (usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?);
        // The path is the rest of the line, so it may hold spaces.
        (from..to).contains(&address).then(|| rest.find('/').map(|at| PathBuf::from(&rest[at..]))).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_of_an_address_names_its_file() {
        let maps = "55d0-55e0 r-xp 00000000 fe:01 12  /usr/bin/a\n\
                    7f00-7f80 r-xp 00001000 fe:01 34                         /tmp/a dir/libx.so\n\
                    8000-8100 rw-p 00000000 00:00 0 \n";
        assert_eq!(path_at(maps, 0x7f7f), Some(PathBuf::from("/tmp/a dir/libx.so")));
        assert_eq!(path_at(maps, 0x7f80), None);
        assert_eq!(path_at(maps, 0x8001), None);
        assert!(own_path().is_some_and(|path| path.is_file()));
    }
}
